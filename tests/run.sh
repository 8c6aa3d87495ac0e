#!/usr/bin/env bash
# Sets up, builds with warnings as errors, and runs all tests. The last line is "N passed, N failed",
# with ", N skipped" after it when tests were skipped.
#
# With PHRASEQ_FUZZ_MINUTES every parser is fuzzed for that time (tests/fuzz/run.sh), which counts as one more test.
#
# Tests on real data run when PHRASEQ_DATA names a data folder, or when one is next to the checkout
# (../shared/data); without it they are skipped.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

if [[ -z ${PHRASEQ_DATA:-} && -d $root/../shared/data ]]; then
  PHRASEQ_DATA=$(cd "$root/../shared/data" && pwd)
  export PHRASEQ_DATA
fi

scripts/setup.sh build
cmake --preset ci
cmake --build --preset ci

log=build/tests.log
status=0
ctest --preset ci -j2 | tee "$log" || status=$?

# A ctest test counts as the GoogleTest tests that its block in ctest's log lists, or else as one. Failures are at least
# those that ctest counts ("98% tests passed, 2 tests failed out of 100"), which include crashes and missing programs.
read -r passed failed skipped < <(awk '
  FNR == NR { if (/\*\*\*Skipped/) left_out[$4] = 1; if (/tests failed out of/) ctest_failed = $4; next }
  / Testing: / { name = $3; ok = bad = skip = 0 }
  /^\[       OK \] .* ms\)$/ { ++ok }
  /^\[  FAILED  \] .* ms\)$/ { ++bad }
  /^\[  SKIPPED \] .* ms\)$/ { ++skip }
  /^Test (Passed|Failed)/ {
    if ($2 == "Passed." && !(ok + skip)) left_out[name] ? ++skip : ++ok
    passed += ok; failed += bad; skipped += skip
  }
  END { print passed + 0, (failed > ctest_failed ? failed : ctest_failed) + 0, skipped + 0 }
' "$log" build/Testing/Temporary/LastTest.log)
((passed + failed + skipped > 0)) || { echo "tests: error: ctest ran no test" >&2; exit 1; }
if [[ -n ${PHRASEQ_FUZZ_MINUTES:-} ]]; then
  if tests/fuzz/run.sh "$PHRASEQ_FUZZ_MINUTES"; then passed=$((passed + 1)); else failed=$((failed + 1)) status=1; fi
fi
summary="$passed passed, $failed failed"
((skipped == 0)) || summary+=", $skipped skipped"
echo "$summary"
exit "$status"
