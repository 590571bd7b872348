#!/bin/sh
# Installs a real Spark with its Connect server into .venv-spark, for the Spark suite and the demo of the lake. Idempotent.
# Needs a package index, and a Java of version 17 or later, which it does not install.
set -eu
cd "$(dirname "$0")/.."

java=${JAVA_HOME:+$JAVA_HOME/bin/}java
version=$("$java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1) || version=''
if [ "${version:-0}" -lt 17 ]; then
  echo "Spark 4 needs Java 17 or later; here is ${version:-none}. Install one (apt-get install openjdk-17-jre-headless), or set JAVA_HOME." >&2
  exit 1
fi

. scripts/python-venv.sh

install .venv-spark 'pyspark==4.0.1'
