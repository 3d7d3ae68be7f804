#!/usr/bin/env bash
# Sets everything up on a Debian machine, builds, and runs all tests: lit,
# gtest, and the end-to-end tests against eager PyTorch. The last line printed
# is `N passed, N failed`; the exit status is 0 only when something ran and
# nothing failed.
#
#   scripts/test.sh [--long] [--asan] [--lit-only]
#
#   --long      also the slow tests (every form of every model and operator, every model of test/EndToEnd/zoo)
#   --asan      the same tests of a build with AddressSanitizer and UndefinedBehaviorSanitizer, in build-asan.
#               Code that is compiled from models is not instrumented. Left out: what measures memory or
#               crashes on purpose (tests with `asan` in UNSUPPORTED or in a skip)
#   --lit-only  no end-to-end tests

set -euo pipefail
long=0 asan=0 lit_only=0
for arg in "$@"; do
  case "$arg" in
    --long) long=1 ;;
    --asan) asan=1 FX_PRESET=asan ;;
    --lit-only) lit_only=1 ;;
    -h | --help) sed -n '2,14s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) printf "error: unknown argument '%s'\n" "$arg" >&2; exit 2 ;;
  esac
done
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
fx_setup
[ $lit_only -eq 0 ] && fx_setup_compilers

results="$fx_build/test-results"
rm -rf "$results" && mkdir -p "$results"
status=0

fx_say "lit"
lit=("$fx_venv/bin/lit" -sv -j "$fx_jobs" --xunit-xml-output "$results/lit.xml")
[ $long -eq 1 ] && lit+=(--param long=1)
"${lit[@]}" "$fx_build/test" || status=1

for binary in "$fx_build"/bin/*Tests; do
  [ -x "$binary" ] || continue
  fx_say "gtest $(basename "$binary")"
  timeout 600 "$binary" --gtest_brief=1 \
    --gtest_output="xml:$results/$(basename "$binary").xml" || status=1
done

if [ $lit_only -eq 0 ]; then
  fx_say "end to end, beside eager PyTorch, and the Python package"
  pytest=("$fx_python" -m pytest -q -n "$fx_jobs" --dist loadgroup
    -p no:cacheprovider)
  [ $long -eq 1 ] && pytest+=(--long)
  export FX_BUILD_DIR="$fx_build" OMP_NUM_THREADS=1
  if [ $asan -eq 1 ]; then
    # LibTorch and LLVM come without the sanitizer: what they leave in containers
    # and slabs is not seen to be right, and they never free all.
    export ASAN_OPTIONS="detect_leaks=0:allow_user_poisoning=0:detect_container_overflow=0:hard_rss_limit_mb=8192${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
    # An interpreter that loads our libraries must begin with the sanitizer.
    FX_SANITIZER_RUNTIME="$(clang-22 -print-file-name=libclang_rt.asan-x86_64.so)"
    export FX_SANITIZER_RUNTIME
  fi
  "${pytest[@]}" --junitxml "$results/end-to-end.xml" "$fx_root/test/EndToEnd" || status=1
  [ $asan -eq 1 ] && export LD_PRELOAD="$FX_SANITIZER_RUNTIME"
  "${pytest[@]}" --junitxml "$results/python.xml" "$fx_root/test/Python" || status=1
  unset LD_PRELOAD
fi

# One sum over the reports; a runner that died before its report is a failure.
"$fx_python" - "$results" "$status" <<'PYTHON'
import pathlib, sys
import xml.etree.ElementTree as ET

passed = failed = 0
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.xml")):
    for case in ET.parse(path).getroot().iter("testcase"):
        kinds = {child.tag for child in case}
        if "failure" in kinds or "error" in kinds:
            failed += 1
        elif "skipped" not in kinds and case.get("status") != "notrun":
            passed += 1
if int(sys.argv[2]) and not failed:
    print("error: a test runner failed without naming a test", file=sys.stderr)
    failed = 1
if not passed and not failed:
    print("error: no test ran", file=sys.stderr)
print(f"{passed} passed, {failed} failed", flush=True)
sys.exit(0 if passed and not failed else 1)
PYTHON
