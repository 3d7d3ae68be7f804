#!/usr/bin/env bash
# Builds a fuzzer with sanitizers, and lets it look for inputs that crash, hang,
# take too much memory, or break what the fuzzer says of all inputs.
#
#   scripts/fuzz.sh import|compile|weights [--seconds N] [libFuzzer's options and files]
#
#   import       archives through the importer, and back (test/Fuzz/Import.cpp)
#   compile      IR through the compiler (test/Fuzz/Compile.cpp)
#   weights      safetensors, GGUF and pickles through their readers (test/Fuzz/Weights.cpp)
#   --seconds N  how long; default 3600
#
# What it keeps stands in build-fuzz/corpus-KIND and serves the next time; a
# finding becomes build-fuzz/KIND-crash-..., and `scripts/fuzz.sh KIND FILE` runs it.

set -euo pipefail
kind="${1:-}" seconds=3600
case "$kind" in
  import | compile | weights) shift ;;
  -h | --help) sed -n '2,13s/^# \{0,1\}//p' "$0"; exit 0 ;;
  *) printf "error: expected 'import', 'compile' or 'weights', got '%s'\n" "$kind" >&2; exit 2 ;;
esac
if [ "${1:-}" = --seconds ]; then
  seconds="${2:?--seconds takes a number}"
  shift 2
fi
FX_PRESET=fuzz
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
fx_setup "fx-$kind-fuzzer"

# LLVM's libraries come without the sanitizer, and share containers with ours.
export ASAN_OPTIONS="detect_leaks=0:allow_user_poisoning=0:detect_container_overflow=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
fuzzer=("$fx_build/bin/fx-$kind-fuzzer" -timeout=60 -rss_limit_mb=6144
  "-artifact_prefix=$fx_build/$kind-")
for argument in "$@"; do
  if [ -f "$argument" ]; then # One input, or some, instead of a search.
    exec "${fuzzer[@]}" "$@"
  fi
done
corpus="$fx_build/corpus-$kind" seeds="$fx_build/seeds-$kind"
[ -d "$seeds" ] || "$fx_python" "$fx_root/test/Fuzz/seeds.py" "$kind" "$seeds"
mkdir -p "$corpus"
exec "${fuzzer[@]}" "-max_total_time=$seconds" -max_len=262144 "$@" "$corpus" "$seeds"
