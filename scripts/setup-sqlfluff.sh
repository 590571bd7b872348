#!/bin/sh
# Installs SQLFluff, which the `sqlfluff` measurement runs beside the product, into .venv-sqlfluff. Idempotent.
set -eu
cd "$(dirname "$0")/.."
. scripts/python-venv.sh

install .venv-sqlfluff 'sqlfluff==4.5.0'
