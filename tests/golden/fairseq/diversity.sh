#!/bin/bash
# Hypotheses of fairseq 0.12.2 with diverse beams, diverse siblings and lexical constraints, by the model in
# PHRASEQ_DATA/fairseq. Run:  PHRASEQ_DATA=... ./diversity.sh      (made with Python 3.11, torch 2.13.0, on the CPU)
#
# The constraints are words of 60 references: constrained.tsv has lines ID<TAB>source symbols<TAB>constraint…; of
# every four lines, one has no constraint, one has one, one has two, and one has two in reverse order. fairseq numbers
# the lines; these numbers are replaced by the ids.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
data=$PHRASEQ_DATA/fairseq
translate() {  # NAME OPTIONS
  name=$1
  shift
  fairseq-generate "$data/data-bin" --path "$data/model.pt" --cpu --batch-size 128 --beam 4 --nbest 2 \
    --scoring sacrebleu "$@" | grep -E '^(H|P)-' | gzip -9 -n > "$here/$name.txt.gz"
}
translate beam4-diverse-groups-nbest2 --diverse-beam-groups 2 --diverse-beam-strength 0.5
translate beam4-diversity-rate-nbest2 --diversity-rate 0.7
for order in ordered unordered; do
  cut -f 2- constrained.tsv | fairseq-interactive "$data/data-bin" --path "$data/model.pt" --cpu -s en -t de \
    --buffer-size 60 --batch-size 20 --beam 5 --nbest 2 --constraints $order | grep -E '^(C|H|P)-' |
    awk -F'\t' -v OFS='\t' 'NR == FNR { id[FNR - 1] = $1; next }
      { split($1, part, "-"); $1 = part[1] "-" id[part[2]]; print }' constrained.tsv - |
    gzip -9 -n > "$here/beam5-constraints-$order-nbest2.txt.gz"
done
