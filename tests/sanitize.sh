#!/usr/bin/env bash
# Builds tests with sanitizers and runs them.
#
#   tests/sanitize.sh [address|thread] [REGEX]
#
# address (the default): AddressSanitizer and UndefinedBehaviorSanitizer, in build-asan, all test programs.
# thread: ThreadSanitizer, in build-tsan, the programs with threads of phraseq: loader, prefetcher, workers, server.
# REGEX selects others by name: tests/sanitize.sh address 'test-(io|options)$'. What a program needs is built with it.
# GTEST_FILTER in the environment selects tests within them.
#
# Problems within LibTorch are not reported: tests/sanitizers has the lists, with reasons. Tests that cannot run under a
# sanitizer are in tests/sanitizers/KIND.skip. One line per program; its output is in BUILD_FOLDER/PROGRAM.log. Exit code 1
# when a test fails or a sanitizer reports something.
set -euo pipefail

kind=${1:-address}
case $kind in
  address) preset=asan programs='^test-' ;;
  thread) preset=tsan programs='^test-(base|io|options|corpus|phrase_memory|score|data|search|translate|train|embed|serve|distributed)$' ;;
  *) echo "usage: tests/sanitize.sh [address|thread] [REGEX]" >&2; exit 2 ;;
esac
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
build=$root/build-$preset
lists=$root/tests/sanitizers

[[ -d build/venv || -n ${PHRASEQ_TORCH_ROOT:-} ]] || scripts/setup.sh build
[[ -e $build/build.ninja ]] || cmake --preset "$preset" --log-level=WARNING
mapfile -t selected < <(ninja -C "$build" -t targets all | sed -n 's/^\(test-[a-z_-]*\): phony$/\1/p' | sort -u |
  grep -E "${2:-$programs}") || true
((${#selected[@]} > 0)) || { echo "sanitize: error: no test program matches ${2:-$programs}" >&2; exit 2; }

mkdir -p "$build/reports"
reports=$build/reports/report
# detect_stack_use_after_return stays off: with GCC 12, it crashes kernels with vectors of 64 bytes.
export ASAN_OPTIONS=log_path=$reports:detect_leaks=1:detect_odr_violation=1:allocator_may_return_null=1
export LSAN_OPTIONS=suppressions=$lists/leak.supp:print_suppressions=0
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1:suppressions=$lists/undefined.supp
export TSAN_OPTIONS=log_path=$reports:halt_on_error=0:second_deadlock_stack=1:ignore_noninstrumented_modules=1:suppressions=$lists/thread.supp
export OMP_NUM_THREADS=1  # ThreadSanitizer does not know libgomp's barriers
skipped=$(sed '/^#/d; /^$/d' "$lists/$kind.skip" | paste -sd:)
filter=${GTEST_FILTER:-*}-$skipped
[[ ${GTEST_FILTER:-} != *-* ]] || filter=$GTEST_FILTER:$skipped
status=0
for program in "${selected[@]}"; do
  log=$build/$program.log
  if ! ninja -C "$build" "$program" >"$log" 2>&1; then
    printf 'sanitize: %-24s does not build, see %s\n' "$program" "$log"
    status=1
    continue
  fi
  rm -f "$reports".*
  code=0 start=$SECONDS
  # Without address space randomization: ThreadSanitizer needs its usual layout.
  GTEST_FILTER=$filter setarch "$(uname -m)" -R "$build/bin/$program" >"$log" 2>&1 || code=$?
  # Each process writes its reports to a file of its own, including processes that a test has started.
  cat "$reports".* >>"$log" 2>/dev/null || true
  found=$(grep -cE 'ERROR: (Address|Leak)Sanitizer|WARNING: ThreadSanitizer|runtime error:' "$log" || true)
  passed=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log")
  printf 'sanitize: %-24s %5s passed, exit code %d, %d reports, %d s\n' \
    "$program" "${passed:-0}" "$code" "$found" $((SECONDS - start))
  ((code == 0 && found == 0)) || status=1
done
exit "$status"
