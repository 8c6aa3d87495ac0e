#!/usr/bin/env bash
# Races phraseq against its peers in one run on this machine: training against PyTorch's eager
# Transformer, and generation against CTranslate2 when there is a model to translate with.
#
#   tests/bench/run.sh [OPTION...]       --presets tiny base --rounds 3 --json FILE …; --help lists all
#
# Python is a measuring tool here: the peers are Python packages, in virtual environments inside build/.
# With PHRASEQ_DATA the real sentence lengths and fairseq's model in it are used. libjemalloc2, when
# installed, adds the peers with a tuned allocator.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
scripts/setup.sh build
cmake --preset release --log-level=WARNING
cmake --build --preset release

python=build/venv/bin/python
[[ -x $python ]] || { echo "bench: error: the peer is build/venv's PyTorch; PHRASEQ_TORCH_ROOT has none" >&2; exit 1; }
if [[ ! -e build/bench-venv/ready ]]; then
  python3 -m venv build/bench-venv
  build/bench-venv/bin/pip install --quiet ctranslate2 numpy && touch build/bench-venv/ready ||
    echo "bench: CTranslate2 could not be installed; its race is left out"
fi
exec "$python" tests/bench/race.py --phraseq build/bin/phraseq \
  --ctranslate2-python build/bench-venv/bin/python ${PHRASEQ_DATA:+--data "$PHRASEQ_DATA/fairseq"} "$@"
