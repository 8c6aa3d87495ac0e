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

# "98% tests passed, 2 tests failed out of 100"; without failures, newer versions leave the middle out.
# A skipped test counts as passed there.
verdict=$(grep -E '^[0-9]+% tests passed.* out of [0-9]+$' "$log") ||
  { echo "tests: error: ctest ran no test" >&2; exit 1; }
total=${verdict##* }
failed=$(sed -n 's/.* \([0-9]*\) tests\{0,1\} failed.*/\1/p' <<<"$verdict")
failed=${failed:-0}
skipped=$(grep -c '\*\*\*Skipped' "$log" || true)
if [[ -n ${PHRASEQ_FUZZ_MINUTES:-} ]]; then
  total=$((total + 1))
  tests/fuzz/run.sh "$PHRASEQ_FUZZ_MINUTES" || { failed=$((failed + 1)); status=1; }
fi
summary="$((total - failed - skipped)) passed, $failed failed"
((skipped == 0)) || summary+=", $skipped skipped"
echo "$summary"
exit "$status"
