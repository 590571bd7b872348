# Sourced by the scripts that install Python programs for tests and measurements: `install FOLDER PACKAGES` makes a
# virtual environment, or leaves one alone that was made from the same list. Needs a package index and Python 3.10 to
# 3.12; where Debian's packages are at hand, python3 with venv is installed from there when missing.

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
