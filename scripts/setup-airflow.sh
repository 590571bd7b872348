#!/bin/sh
# Installs real Airflow 2 and 3 into .venv-airflow2 and .venv-airflow3: to generate and check the time fixtures, and for
# the engines suite. Idempotent.
set -eu
cd "$(dirname "$0")/.."

# No constraints files are used; these pins are what the newest releases of other packages would break, and the
# providers whose example DAGs the engines suite has expectations for. kubernetes and virtualenv are what some of
# Airflow's own example DAGs ask for before they make anything. The postgres provider is for the Airflows that the suite
# starts: it brings the driver of their own database and the hook of the tasks that they run.
airflow2='apache-airflow==2.11.2 sqlalchemy<2 apache-airflow-providers-common-sql==2.4.0 kubernetes virtualenv
  apache-airflow-providers-postgres psycopg2-binary'
airflow3='apache-airflow==3.3.2 apache-airflow-providers-common-sql==2.4.0 apache-airflow-providers-standard==1.21.0
  kubernetes virtualenv apache-airflow-providers-postgres psycopg2-binary asyncpg'

. scripts/python-venv.sh

install .venv-airflow2 "$airflow2"
install .venv-airflow3 "$airflow3"
