#!/bin/sh
# Writes test/fixtures/time/*.json and test/fixtures/airflow/*.json anew from the two Airflows that setup-airflow.sh
# installs, and from the source of provider packages.
set -eu
cd "$(dirname "$0")/../.."
scripts/setup-airflow.sh
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT

run() {
  version=$1 script=$2
  shift 2
  AIRFLOW_HOME="$home/$version" AIRFLOW__CORE__LOAD_EXAMPLES=False AIRFLOW__CORE__DAGS_FOLDER="$PWD/scripts/airflow" \
    AIRFLOW__LOGGING__LOGGING_LEVEL=ERROR PYTHONWARNINGS=ignore ".venv-airflow$version/bin/python" "scripts/airflow/$script.py" \
    "$@"
}

for version in 2 3; do run "$version" schedules >"$home/schedules$version"; done
python3 scripts/airflow/merge-schedules.py "$home/schedules2" "$home/schedules3" >test/fixtures/time/schedules.json
run 3 crons >test/fixtures/time/crons.json
for version in 2 3; do
  AIRFLOW_HOME="$home/$version" ".venv-airflow$version/bin/airflow" db migrate >/dev/null 2>&1
  run "$version" values >"test/fixtures/time/values-airflow$version.json"
done

# DAG files under each Airflow, and under the settings that change what a schedule means.
dags=test/fixtures/airflow/dags
run 2 dags $dags/schedules.py $dags/schedules_2.py $dags/defaults.py $dags/sensors.py >"$home/dags-2"
run 3 dags $dags/schedules.py $dags/schedules_3.py $dags/defaults.py $dags/sensors.py >"$home/dags-3"
AIRFLOW__SCHEDULER__CREATE_CRON_DATA_INTERVALS=False run 2 dags $dags/schedules.py >"$home/dags-2-trigger"
AIRFLOW__SCHEDULER__CREATE_CRON_DATA_INTERVALS=True run 3 dags $dags/schedules.py >"$home/dags-3-cron"
AIRFLOW__SCHEDULER__CREATE_DELTA_DATA_INTERVALS=True run 3 dags $dags/schedules.py >"$home/dags-3-delta"
python3 scripts/airflow/merge-dags.py 2="$home/dags-2" 3="$home/dags-3" "2 without cron intervals=$home/dags-2-trigger" \
  "3 with cron intervals=$home/dags-3-cron" "3 with delta intervals=$home/dags-3-delta" >test/fixtures/airflow/dags.json

# Providers are only read, so they come without the packages that they depend on.
labels=''
for year in 2021 2023 2026; do
  .venv-airflow3/bin/uv pip install --quiet --python .venv-airflow3/bin/python --no-deps --target "$home/$year" \
    -r "scripts/airflow/providers-$year.txt"
  labels="$labels $year=$home/$year"
done
# shellcheck disable=SC2086 # one argument a year
python3 scripts/airflow/signatures.py $labels >test/fixtures/airflow/operator-signatures.json
