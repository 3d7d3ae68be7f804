#!/usr/bin/env bash
# Sets everything up on a Debian machine, builds all tools, the fallback to ATen
# and the Python package, then exports ResNet-50 and a Llama-style decoder with a
# dynamic sequence length, compiles both to native code, runs them, and prints
# the largest error beside eager PyTorch and the times beside eager and
# torch.compile without freezing.
#
#   scripts/demo.sh [--quick]
#
#   --quick  small versions of the models, a second of timing each

set -euo pipefail
for arg in "$@"; do
  case "$arg" in
    --quick) ;;
    -h | --help) sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) printf "error: unknown argument '%s'\n" "$arg" >&2; exit 2 ;;
  esac
done
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
fx_setup fx-tools
FX_BUILD_DIR="$fx_build" OMP_NUM_THREADS=1 exec "$fx_python" "$fx_root/scripts/demo.py" "$@"
