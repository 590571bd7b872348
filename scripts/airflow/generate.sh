#!/bin/sh
# Writes test/fixtures/time/*.json anew from the two Airflows that setup-airflow.sh installs.
set -eu
cd "$(dirname "$0")/../.."
scripts/setup-airflow.sh
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT

run() {
  AIRFLOW_HOME="$home/$1" AIRFLOW__CORE__LOAD_EXAMPLES=False AIRFLOW__CORE__DAGS_FOLDER="$PWD/scripts/airflow" \
    AIRFLOW__LOGGING__LOGGING_LEVEL=ERROR PYTHONWARNINGS=ignore ".venv-airflow$1/bin/python" "scripts/airflow/$2.py"
}

for version in 2 3; do run "$version" schedules >"$home/schedules$version"; done
python3 scripts/airflow/merge-schedules.py "$home/schedules2" "$home/schedules3" >test/fixtures/time/schedules.json
run 3 crons >test/fixtures/time/crons.json
for version in 2 3; do
  AIRFLOW_HOME="$home/$version" ".venv-airflow$version/bin/airflow" db migrate >/dev/null 2>&1
  run "$version" values >"test/fixtures/time/values-airflow$version.json"
done
