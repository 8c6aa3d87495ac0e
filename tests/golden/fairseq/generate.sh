#!/bin/bash
# Translations of fairseq 0.12.2 that are as long as their sources, by the model in PHRASEQ_DATA/fairseq.
# Run:  PHRASEQ_DATA=... ./generate.sh      (made with Python 3.8, torch 1.12.1, on the CPU in fp32)
# If all hypotheses are kept, a batch has one sentence: in larger batches, fairseq finishes some with a score of -inf.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
data=$PHRASEQ_DATA/fairseq
translate() {  # NAME OPTIONS
  name=$1
  shift
  fairseq-generate "$data/data-bin" --path "$data/model.pt" --cpu --match-source-len "$@" |
    grep -E '^(S|T|H|P)-' | gzip -9 -n > "$here/$name.txt.gz"
}
translate beam5-match-source-len --batch-size 128 --beam 5
translate beam4-match-source-len-nbest4 --batch-size 1 --beam 4 --nbest 4
