#!/usr/bin/env bash
# Races phraseq against its peers on a GPU, in one run: training against PyTorch (eager and torch.compile), generation
# against CTranslate2. Prints tables with the share of the GPU's peak that matrix products reach, with the machine, its
# driver and all versions, and says what was skipped and why.
#
#   tests/bench/gpu.sh [--build FOLDER] [OPTION...]      --presets base big small --updates 50 --json FILE …; --help lists all
#   tests/bench/gpu.sh --build build --device cpu --presets tiny --updates 3        tests the script
#
# FOLDER (default: build-gpu, as scripts/gpu_check.sh makes it) has the programs. The peers are Python packages of
# PHRASEQ_BENCH_PYTHON (default: the Python of the LibTorch that FOLDER was built with, else python3); nothing is
# installed and no network is needed.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$root/build-gpu
if [[ ${1-} == --build ]]; then
  build=$(realpath -m "$2")
  shift 2
fi
[[ -x $build/bin/phraseq ]] || { echo "gpu.sh: error: $build/bin/phraseq does not exist; scripts/gpu_check.sh builds it" >&2; exit 1; }
torch=$(sed -n 's/^PHRASEQ_TORCH_ROOT:[A-Z]*=//p' "$build/CMakeCache.txt")
beside=${torch%/lib/python*}/bin/python  # the Python of a wheel in a virtual environment
[[ -x $beside ]] || beside=$build/venv/bin/python
[[ -x $beside ]] || beside=python3
# shellcheck disable=SC1091
[[ ! -e $build/environment.sh ]] || source "$build/environment.sh"  # sets the library path (scripts/gpu_check.sh)
export PYTHONUNBUFFERED=1  # results so far are printed even if the run is stopped
exec "${PHRASEQ_BENCH_PYTHON:-$beside}" "$root/tests/bench/gpu_race.py" --phraseq "$build/bin/phraseq" "$@"
