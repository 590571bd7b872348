#!/bin/sh
# Installs what the `peers` measurement runs beside the product, SQLMesh and dbt, into .venv-sqlmesh and .venv-dbt.
# Idempotent. Releases of dbt-core from 1.12 on want a binary that no package index has.
set -eu
cd "$(dirname "$0")/.."
. scripts/python-venv.sh

install .venv-sqlmesh 'sqlmesh[postgres]==0.236.4'
install .venv-dbt 'dbt-core==1.11.16 dbt-postgres==1.11.0'
