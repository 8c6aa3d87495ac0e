#!/usr/bin/env bash
# Fuzzes every parser with libFuzzer under AddressSanitizer and UndefinedBehaviorSanitizer.
#
#   tests/fuzz/run.sh MINUTES [TARGET...]     MINUTES for each target; 0 = only replay the corpus
#
# Clang is installed when it is missing. Seeds are in tests/fuzz/corpus/TARGET, words in
# tests/fuzz/dictionaries. Inputs that reach new code are kept in build-fuzz/corpus/TARGET, inputs that end a
# target in build-fuzz/findings. One line per target: executions, inputs kept, findings. Exit code 1 when there
# is a finding.
set -euo pipefail

[[ ${1:-} =~ ^[0-9]+$ ]] || { echo "usage: tests/fuzz/run.sh MINUTES [TARGET...]" >&2; exit 2; }
minutes=$1
shift
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
work=$root/build-fuzz

if ! command -v clang++ >/dev/null; then
  as_root=()
  ((EUID == 0)) || as_root=(sudo)
  echo "fuzz: installing clang"
  "${as_root[@]}" apt-get install -y clang >/dev/null ||
    { echo "fuzz: error: clang++ is needed; install Debian's package clang" >&2; exit 1; }
fi
[[ -d build/venv || -n ${PHRASEQ_TORCH_ROOT:-} ]] || scripts/setup.sh build
[[ -e $work/build.ninja ]] || CXX=clang++ cmake --preset fuzz --log-level=WARNING
cmake --build --preset fuzz

targets=("$@")
if ((${#targets[@]} == 0)); then
  for source in tests/fuzz/targets/*.cpp; do targets+=("$(basename "$source" .cpp)"); done
fi

# Leaks are those of process-wide caches in libraries; a parser that leaks grows and meets the memory limit.
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
status=0
mkdir -p "$work/findings"
for target in "${targets[@]}"; do
  kept=$work/corpus/$target
  mkdir -p "$kept"
  limits=(-timeout=10 -rss_limit_mb=4096 -max_len=20000 -print_final_stats=1 "-artifact_prefix=$work/findings/$target-")
  if ((minutes == 0)); then limits+=(-runs=0); else limits+=("-max_total_time=$((60 * minutes))"); fi
  words=$root/tests/fuzz/dictionaries/$target.dict
  [[ ! -e $words ]] || limits+=("-dict=$words")
  log=$work/$target.log
  if "$work/bin/fuzz-$target" "${limits[@]}" "$kept" "$root/tests/fuzz/corpus/$target" >"$log" 2>&1; then
    finding=none
  else
    finding="see $log"
    status=1
  fi
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  printf 'fuzz: %-16s %10s executions, %5d inputs kept, findings: %s\n' "$target" "${runs:-?}" \
    "$(find "$kept" -type f | wc -l)" "$finding"
done
exit "$status"
