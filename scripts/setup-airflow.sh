#!/bin/sh
# Installs real Airflow 2 and 3 into .venv-airflow2 and .venv-airflow3: to generate and check the time fixtures, and for
# the engines suite. Idempotent: a folder that was made from the same list is left alone. Needs a package index and
# Python 3.10 to 3.12; where Debian's packages are at hand, python3 with venv is installed from there when missing.
set -eu
cd "$(dirname "$0")/.."

# No constraints files are used; these pins are what the newest releases of other packages would break, and the
# providers whose example DAGs the engines suite has expectations for. kubernetes and virtualenv are what some of
# Airflow's own example DAGs ask for before they make anything.
airflow2='apache-airflow==2.11.2 sqlalchemy<2 apache-airflow-providers-common-sql==2.4.0 kubernetes virtualenv'
airflow3='apache-airflow==3.3.2 apache-airflow-providers-common-sql==2.4.0 apache-airflow-providers-standard==1.21.0
  kubernetes virtualenv'

need_python() {
  probe=$(mktemp -d)
  python3 -m venv "$probe/venv" >/dev/null 2>&1 && ready=yes || ready=no
  rm -rf "$probe"
  [ "$ready" = yes ] && return
  command -v apt-get >/dev/null || { echo 'please install python3 with its venv module' >&2; exit 1; }
  echo 'installing python3 with venv' >&2
  [ "$(id -u)" = 0 ] && sudo='' || sudo=sudo
  DEBIAN_FRONTEND=noninteractive $sudo apt-get -qq update
  DEBIAN_FRONTEND=noninteractive $sudo apt-get -qq install -y --no-install-recommends python3 python3-venv
}

install() {
  venv=$1 packages=$2
  [ "$(cat "$venv/.installed" 2>/dev/null)" = "$packages" ] && return
  need_python
  echo "installing $packages into $venv" >&2
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check uv
  # shellcheck disable=SC2086 # the list is split into words on purpose
  "$venv/bin/uv" pip install --quiet --python "$venv/bin/python" $packages
  printf '%s' "$packages" >"$venv/.installed"
}

install .venv-airflow2 "$airflow2"
install .venv-airflow3 "$airflow3"
