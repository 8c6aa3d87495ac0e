#!/usr/bin/env bash
# Races `phraseq score` against sacrebleu 2.6.0 in one run on this machine, and fails unless phraseq is 20 times
# as fast at the two tasks that require it.
#
#   PHRASEQ_DATA=FOLDER tests/bench/score.sh [--rounds N]      FOLDER/scores has the outputs of WMT17
#
# sacrebleu is installed into a virtual environment inside build/. The contestant is build/bin/phraseq-score.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
: "${PHRASEQ_DATA:?names the folder that has scores/}"
[[ -x build/bin/phraseq-score ]] || { echo "bench: error: build first (cmake --build build)" >&2; exit 1; }
if [[ ! -e build/sacrebleu-venv/ready ]]; then
  python3 -m venv build/sacrebleu-venv
  build/sacrebleu-venv/bin/pip install --quiet sacrebleu==2.6.0 && touch build/sacrebleu-venv/ready
fi
exec build/sacrebleu-venv/bin/python tests/bench/score_race.py --phraseq build/bin/phraseq-score \
  --sacrebleu build/sacrebleu-venv/bin/sacrebleu --data "$PHRASEQ_DATA/scores" "$@"
