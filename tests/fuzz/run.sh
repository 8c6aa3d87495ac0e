#!/usr/bin/env bash
# Fuzzes every parser with libFuzzer under AddressSanitizer and UndefinedBehaviorSanitizer.
#
#   tests/fuzz/run.sh MINUTES [TARGET...]     MINUTES for each target (0.1 = 6 s); 0 = only replay the corpus
#
# As many targets run at a time as there are processors. With PHRASEQ_FUZZ_SEED=N, the mutations are those of other runs
# with N; otherwise, they differ from run to run. If clang is missing, Clang 14 or newer is installed. Seeds are in
# tests/fuzz/corpus/TARGET, words in tests/fuzz/dictionaries. Inputs that reach new code are kept in
# build-fuzz/corpus/TARGET, inputs that end a target in build-fuzz/findings. One line per target: executions, edges of
# the code that were reached, inputs kept, findings. Exit code 1 when there is a finding.
#
# This command adds the findings of a long run to the repository, as the fewest small inputs that reach the same code:
#
#   PHRASEQ_FUZZ_TARGET=TARGET build-fuzz/bin/fuzz -set_cover_merge=1 -use_counters=0 -max_len=400 tests/fuzz/corpus/TARGET build-fuzz/corpus/TARGET
set -euo pipefail

[[ ${1:-} =~ ^[0-9]+(\.[0-9]+)?$ ]] || { echo "usage: tests/fuzz/run.sh MINUTES [TARGET...]" >&2; exit 2; }
seconds=$(awk "BEGIN {printf \"%d\", 60 * $1}")
shift
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
work=$root/build-fuzz

if ! command -v clang++ >/dev/null; then
  as_root=()
  ((EUID == 0)) || as_root=(sudo)
  echo "fuzz: installing clang"
  { "${as_root[@]}" apt-get update && "${as_root[@]}" apt-get install -y clang; } >/dev/null ||
    { echo "fuzz: error: clang++ is needed; install Debian's package clang" >&2; exit 1; }
fi
[[ -d build/venv || -n ${PHRASEQ_TORCH_ROOT:-} ]] || scripts/setup.sh build
CXX=clang++ cmake --preset fuzz --log-level=WARNING >/dev/null
mkdir -p "$work/findings"
cmake --build --preset fuzz >"$work/build.log" || { cat "$work/build.log" >&2; exit 1; }

targets=("$@")
if ((${#targets[@]} == 0)); then
  for source in tests/fuzz/targets/*/*.cpp; do targets+=("$(basename "$source" .cpp)"); done
fi

# Leak detection is off, as libraries have process-wide caches; a parser that leaks reaches the memory limit.
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export root work seconds

fuzz() {
  local target=$1 kept=$work/corpus/$1 log=$work/$1.log finding=none status=0
  local words=$root/tests/fuzz/dictionaries/$target.dict
  mkdir -p "$kept"
  local limits=(-timeout=30 -rss_limit_mb=4096 -max_len=20000 -print_final_stats=1
                "-seed=${PHRASEQ_FUZZ_SEED:-0}"
                "-artifact_prefix=$work/findings/$target-")
  if ((seconds == 0)); then limits+=(-runs=0); else limits+=("-max_total_time=$seconds"); fi
  [[ ! -e $words ]] || limits+=("-dict=$words")
  PHRASEQ_FUZZ_TARGET=$target "$work/bin/fuzz" "${limits[@]}" "$kept" "$root/tests/fuzz/corpus/$target" >"$log" 2>&1 || status=$?
  ((status == 0)) || finding="see $log"
  local runs edges
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
  printf 'fuzz: %-18s %10s executions, %6s edges, %5d inputs kept, findings: %s\n' "$target" "${runs:-?}" \
    "${edges:-?}" "$(find "$kept" -type f | wc -l)" "$finding"
  return "$status"
}
export -f fuzz

printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -I '{}' bash -c 'fuzz {}' || exit 1
