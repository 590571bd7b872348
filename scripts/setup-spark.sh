#!/bin/sh
# Installs a real Spark with its Connect server into .venv-spark, with Delta, Iceberg and the driver of PostgreSQL, for the Spark suite and
# the demo of the lake. Idempotent. Needs a package index and Maven Central, which Spark's own Ivy asks; Java is installed where there is none and Debian's package manager is.
set -eu
cd "$(dirname "$0")/.."

java=${JAVA_HOME:+$JAVA_HOME/bin/}java
java_version() {
  "$java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1
}
if [ "$(java_version || true)" = '' ] && command -v apt-get >/dev/null; then
  echo 'setup-spark: installing openjdk-17-jre-headless'
  sudo=$([ "$(id -u)" = 0 ] || echo sudo)
  $sudo apt-get -qq update
  DEBIAN_FRONTEND=noninteractive $sudo apt-get -qq install -y --no-install-recommends openjdk-17-jre-headless >/dev/null
fi
version=$(java_version || true)
if [ "${version:-0}" -lt 17 ]; then
  echo "Spark 4 needs Java 17 or later; here is ${version:-none}. Install one (apt-get install openjdk-17-jre-headless), or set JAVA_HOME." >&2
  exit 1
fi

. scripts/python-venv.sh

install .venv-spark 'pyspark==4.0.1'

# Built for Spark 4.0 and Scala 2.13, as that Spark is.
jar() {
  file=.venv-spark/jars/$2-$3.jar
  [ -f "$file" ] && return
  echo "setup-spark: fetching $1:$2:$3" >&2
  "$java" -Divy.default.ivy.user.dir="$PWD/.venv-spark/ivy" -jar .venv-spark/lib/python3*/site-packages/pyspark/jars/ivy-*.jar \
    -dependency "$1" "$2" "$3" -notransitive -types jar -retrieve "$PWD/.venv-spark/jars/[artifact]-[revision](-[classifier]).[ext]" \
    >.venv-spark/ivy.log 2>&1 || { cat .venv-spark/ivy.log >&2; exit 1; }
}
jar io.delta delta-spark_2.13 4.0.0
jar io.delta delta-storage 4.0.0
jar org.apache.iceberg iceberg-spark-runtime-4.0_2.13 1.10.0
jar org.postgresql postgresql 42.7.4
