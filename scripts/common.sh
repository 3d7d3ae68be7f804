# Set-up shared by scripts/test.sh, scripts/demo.sh and the rest; sourced by
# bash, never run. Each step first checks that there is something to do, so an
# unchanged tree is ready in seconds.
#
# The environment may set:
#   FX_BUILD_DIR  build folder                       (default: build)
#   FX_VENV       Python environment to use as it is (default: make .venv)
#   FX_PRESET     CMake preset                       (default: release)
#   FX_JOBS       compile jobs                       (default: all cores)

fx_root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
fx_preset="${FX_PRESET:-release}"
case "$fx_preset" in
  release) fx_build="${FX_BUILD_DIR:-$fx_root/build}" ;;
  *) fx_build="${FX_BUILD_DIR:-$fx_root/build-$fx_preset}" ;;
esac
fx_venv="${FX_VENV:-$fx_root/.venv}"
fx_jobs="${FX_JOBS:-$(nproc)}"
fx_python="$fx_venv/bin/python3"

fx_packages=(
  cmake ninja-build ccache git g++
  clang-22 clang-format-22 lld-22 libclang-rt-22-dev
  llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools liblld-22-dev
  libsimdjson-dev libgtest-dev zlib1g-dev libzstd-dev libdeflate-dev
  libvulkan-dev mesa-vulkan-drivers spirv-tools # tests of SPIR-V
  qemu-user # tests of other CPUs
  libc6-dev-arm64-cross libgcc-12-dev-arm64-cross # artefacts for AArch64, and their tests
)

fx_say() { printf '==> %s\n' "$*" >&2; }
fx_die() { printf 'error: %s\n' "$*" >&2; exit 1; }

fx_has_python() { python3 -c 'import venv, ensurepip' >/dev/null 2>&1; }

# Packages of the distribution: installed only where they are missing.
fx_setup_packages() {
  local missing=() package
  for package in "${fx_packages[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null |
      grep -q 'ok installed' || missing+=("$package")
  done
  # Another Python than the distribution's brings these along.
  if ! fx_has_python; then
    missing+=(python3 python3-venv)
  fi
  if ! python3 -c 'import os, sysconfig as s; os.stat(s.get_path("include") + "/Python.h")' \
    >/dev/null 2>&1; then
    missing+=(python3-dev)
  fi
  [ ${#missing[@]} -eq 0 ] && return
  local install="apt-get install -y --no-install-recommends ${missing[*]}"
  if [ "$(id -u)" -ne 0 ]; then
    printf 'error: packages are missing; as root, run this line and start again:\n' >&2
    printf 'apt-get update && %s\n' "$install" >&2
    exit 1
  fi
  fx_say "installing packages: ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq >&2 || fx_die "apt-get update failed"
  $install -qq >"$fx_root/.setup-apt.log" 2>&1 || {
    tail -n 20 "$fx_root/.setup-apt.log" >&2
    fx_die "'$install' failed"
  }
  rm -f "$fx_root/.setup-apt.log"
}

# The Python environment. torch goes first, by its exact version.
fx_setup_venv() {
  [ -n "${FX_VENV:-}" ] && return
  local want torch
  want="$(python3 --version) $(sha256sum <"$fx_root/scripts/requirements.txt")"
  [ "$(cat "$fx_venv/.fx-stamp" 2>/dev/null)" = "$want" ] && return
  fx_say "making the Python environment"
  torch="$(grep '^torch==' "$fx_root/scripts/requirements.txt")"
  python3 -m venv --clear "$fx_venv" || fx_die "python3 -m venv failed"
  local pip=("$fx_python" -m pip --quiet --disable-pip-version-check install)
  "${pip[@]}" "$torch" >&2 || fx_die "cannot install $torch"
  "${pip[@]}" -r "$fx_root/scripts/requirements.txt" >&2 ||
    fx_die "cannot install scripts/requirements.txt"
  printf '%s' "$want" >"$fx_venv/.fx-stamp"
}

# The compilers that tests hand programs over to. Nothing else needs them.
fx_setup_compilers() {
  [ -n "${FX_VENV:-}" ] && return
  local list="$fx_root/scripts/requirements-compilers.txt" want
  want="$(sha256sum <"$list")"
  [ "$(cat "$fx_venv/.fx-compilers-stamp" 2>/dev/null)" = "$want" ] && return
  fx_say "installing other compilers"
  "$fx_python" -m pip --quiet --disable-pip-version-check install -r "$list" >&2 ||
    fx_die "cannot install scripts/requirements-compilers.txt"
  printf '%s' "$want" >"$fx_venv/.fx-compilers-stamp"
}

# fx_log FILE [SECONDS]: writes the output of ninja to a file. Of its status lines, at most one in
# SECONDS (60) goes to standard error.
fx_log() {
  local line last=$SECONDS every="${2:-60}"
  while IFS= read -r line; do
    printf '%s\n' "$line" >&3
    [[ "$line" == \[* ]] && ((SECONDS - last >= every)) || continue
    printf '%s\n' "$line" >&2
    last=$SECONDS
  done 3>"$1"
}

# Objects are found again by a fresh clone in another folder.
fx_setup_ccache() {
  export CCACHE_BASEDIR="$fx_root" CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1
  export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
}

fx_setup_build() {
  local torch_dir want
  torch_dir="$(echo "$fx_venv"/lib/python3*/site-packages/torch)"
  [ -d "$torch_dir" ] || fx_die "no torch in $fx_venv"
  fx_setup_ccache
  want="$fx_preset $torch_dir $(sha256sum <"$fx_root/CMakePresets.json")"
  if [ "$(cat "$fx_build/.fx-stamp" 2>/dev/null)" != "$want" ]; then
    fx_say "configuring $fx_build"
    (cd "$fx_root" && cmake --preset "$fx_preset" -B "$fx_build" \
      -DFX_TORCH_DIR="$torch_dir" >"$fx_build.log" 2>&1) || {
      tail -n 30 "$fx_build.log" >&2
      fx_die "cmake failed"
    }
    mv "$fx_build.log" "$fx_build/configure.log"
    printf '%s' "$want" >"$fx_build/.fx-stamp"
  fi
  fx_say "building"
  if [ -t 2 ]; then
    ninja -C "$fx_build" -j "$fx_jobs" "$@" >&2 || fx_die "the build failed"
  else
    (set -o pipefail; ninja -C "$fx_build" -j "$fx_jobs" "$@" 2>&1 | fx_log "$fx_build/build.log") || {
      grep -A 20 -E '^FAILED|error:' "$fx_build/build.log" | tail -n 60 >&2
      fx_die "the build failed"
    }
  fi
}

# fx_setup [ninja targets]: everything from a bare machine to built tools.
fx_setup() {
  if fx_has_python; then # Neither waits for the other.
    fx_setup_venv &
    fx_setup_packages
    wait $! || exit 1
  else
    fx_setup_packages
    fx_setup_venv
  fi
  fx_setup_build "$@"
  export PATH="$fx_build/bin:$PATH"
}
