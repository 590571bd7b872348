#!/bin/sh
# Installs real Airflow 2 and 3 into .venv-airflow2 and .venv-airflow3, to generate and check the time fixtures.
# Idempotent: a version that already imports is left alone. Needs python3 (3.10 to 3.12) and a package index.
set -eu
cd "$(dirname "$0")/.."

# No constraints files are used; these pins are what the newest releases of other packages would break.
airflow2_version=2.11.2
airflow2_pins='sqlalchemy<2'
airflow3_version=3.3.2
airflow3_pins=''

install() {
  venv=$1 version=$2
  shift 2
  if [ -x "$venv/bin/python" ] && "$venv/bin/python" - "$version" <<'PY' 2>/dev/null
import sys
from importlib.metadata import version
import airflow.timetables.interval
sys.exit(version("apache-airflow") != sys.argv[1])
PY
  then
    return
  fi
  echo "installing apache-airflow $version into $venv" >&2
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check uv
  "$venv/bin/uv" pip install --quiet --python "$venv/bin/python" "apache-airflow==$version" "$@"
}

# shellcheck disable=SC2086 # pins are split into words on purpose
install .venv-airflow2 "$airflow2_version" $airflow2_pins
# shellcheck disable=SC2086
install .venv-airflow3 "$airflow3_version" $airflow3_pins
