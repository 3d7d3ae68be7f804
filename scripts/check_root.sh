#!/usr/bin/env bash
# Checks the wheels of scripts/wheel.sh in a root of Debian that has Python alone: no torch, no
# LLVM, no compiler. ResNet-50, exported by this tree's torch, is compiled there and run on NumPy
# arrays, in Python and by the tools, and compared with the results of eager PyTorch.
#
# usage: scripts/check_root.sh [SUITE]... (default: bullseye bookworm trixie)
#
# Run it as root, with debootstrap installed. FX_ROOTS (default: build-wheel/roots) holds the
# roots, which are made once and kept: each takes about 300 MB. FX_DIST (default:
# build-wheel/dist) holds the wheels. bullseye has glibc 2.31, bookworm 2.36, trixie 2.41. A suite
# whose Python is too old for NumPy gets CPython 3.11, built there from Debian's sources in a root
# of its own, so that the compiler is in neither.
set -euo pipefail
export FX_PRESET=wheel
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
roots="$(realpath -m "${FX_ROOTS:-$fx_build/roots}")"
dist="$(realpath -m "${FX_DIST:-$fx_build/dist}")"
mirror="${FX_MIRROR:-http://deb.debian.org/debian}"
source="$mirror/pool/main/p/python3.11/python3.11_3.11.2.orig.tar.gz"
source_sum=2411c74bda5bbcfcddaf4531f66d1adc73f247f529aee981b029513aefdbf849

[ "$(id -u)" -eq 0 ] || fx_die "a root of Debian needs the rights of root"
command -v debootstrap >/dev/null || fx_die "debootstrap is missing: apt-get install debootstrap"
compgen -G "$dist/fx_mlir-*.whl" >/dev/null || fx_die "no wheels in $dist: run scripts/wheel.sh first"

# bootstrap SUITE FOLDER PACKAGES
bootstrap() {
  [ -f "$2/.complete" ] && return
  fx_say "making $2"
  rm -rf "$2"
  mkdir -p "$2"
  debootstrap --variant=minbase --include="$3" "$1" "$2" "$mirror" >"$2.log" 2>&1 || {
    tail -n 20 "$2.log" >&2
    fx_die "debootstrap failed"
  }
  touch "$2/.complete"
}

# inside FOLDER COMMAND...: runs a command in a root, with its own /proc and no variable of ours.
inside() {
  local root="$1"
  shift
  unshare --mount --pid --fork --kill-child sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" \
    env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/root LANG=C.UTF-8 FX_CACHE=0 "$@"' "$root" "$@"
}

# Installs CPython in /usr/local of a root.
add_python() {
  local suite="$1" root="$2" builder="$roots/$1-build"
  [ -x "$root/usr/local/bin/python3.11" ] && return
  bootstrap "$suite" "$builder" \
    gcc,libc6-dev,make,zlib1g-dev,libssl-dev,libffi-dev,libbz2-dev,liblzma-dev
  fx_say "building CPython in $builder"
  curl -sSfL "$source" -o "$builder/python.tar.gz" || fx_die "cannot fetch $source"
  echo "$source_sum  $builder/python.tar.gz" | sha256sum --quiet -c || fx_die "a wrong $source"
  inside "$builder" sh -c "cd /usr/src && tar -xzf /python.tar.gz && cd Python-* &&
    ./configure -q --prefix=/usr/local --disable-test-modules && make -s -j$fx_jobs &&
    make -s install" >"$builder.log" 2>&1 || {
    tail -n 20 "$builder.log" >&2
    fx_die "CPython cannot be built"
  }
  cp -a "$builder/usr/local/." "$root/usr/local/"
}

check() {
  local suite="$1" root="$roots/$1" python=python3 version
  if [ "$suite" = bullseye ]; then
    bootstrap "$suite" "$root" libffi7,zlib1g,libssl1.1,libbz2-1.0,liblzma5
    add_python "$suite" "$root"
    python=python3.11
  else
    bootstrap "$suite" "$root" python3,python3-venv
  fi
  version="$(inside "$root" "$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')"
  rm -rf "$root/check"
  mkdir "$root/check"
  cp -a "$model"/. "$fx_root/scripts/check_root.py" "$root/check"
  mkdir "$root/check/dist"
  cp "$dist"/*.whl "$root/check/dist"
  "$fx_python" -m pip --quiet --disable-pip-version-check download numpy --no-deps \
    --only-binary :all: --python-version "$version" --platform manylinux_2_28_x86_64 \
    --platform manylinux2014_x86_64 --dest "$root/check/dist" || fx_die "cannot fetch numpy"
  fx_say "checking $suite: Python $version"
  inside "$root" "$python" -m venv /check/venv
  inside "$root" /check/venv/bin/pip --quiet --disable-pip-version-check install --no-index \
    --find-links /check/dist fx-mlir fx-mlir-runtime
  inside "$root" sh -c 'PATH=/check/venv/bin:$PATH python /check/check_root.py /check'
}

[ $# -gt 0 ] || set -- bullseye bookworm trixie
fx_setup_venv
model="$roots/resnet50"
if [ ! -d "$model" ]; then
  fx_say "exporting ResNet-50"
  rm -rf "$model.new"
  mkdir -p "$model.new"
  "$fx_python" "$fx_root/scripts/export.py" resnet50 -o "$model.new/model.pt2" \
    --inputs "$model.new/in" --expected "$model.new/expected" || fx_die "cannot export the model"
  mv "$model.new" "$model"
fi
for suite in "$@"; do
  check "$suite"
done
