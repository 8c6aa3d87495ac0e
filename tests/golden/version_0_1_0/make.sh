#!/usr/bin/env bash
# Makes the files of this folder with phraseq 0.1.0: a data folder, a run of 150 updates that can be resumed, and its
# translations by that version. Tests read them with the present version.
#
#   make.sh PHRASEQ_0_1_0 FOLDER        PHRASEQ_0_1_0: build/bin/phraseq of that version
set -euo pipefail

phraseq=$(realpath "$1")
[[ $("$phraseq" --version) == *" 0.1.0 "* ]] || { echo "make.sh: $phraseq is not version 0.1.0" >&2; exit 2; }
mkdir -p "$2"
cd "$2"

# Sentences of a small grammar, whose translation replaces words and moves the verb to the end.
sentences() { # COUNT SEED
  awk -v count="$1" -v seed="$2" 'BEGIN {
    srand(seed)
    split("cat dog bird man child", noun); split("sees hears likes finds", verb); split("big small old", adjective)
    split("Katze Hund Vogel Mann Kind", noun_de); split("sieht hört mag findet", verb_de)
    split("groß klein alt", adjective_de)
    for (i = 0; i < count; ++i) {
      a = 1 + int(rand() * 3); n = 1 + int(rand() * 5); v = 1 + int(rand() * 4); m = 1 + int(rand() * 5)
      print "the " adjective[a] " " noun[n] " " verb[v] " the " noun[m] " ." > "text.en"
      print "das " adjective_de[a] " " noun_de[n] " das " noun_de[m] " " verb_de[v] " ." > "text.de"
    }
  }'
}

for part in train:120:1 dev:10:2 test:8:3; do
  IFS=: read -r name count seed <<< "$part"
  sentences "$count" "$seed"
  mv text.en "$name.en"
  mv text.de "$name.de"
done

"$phraseq" preprocess --source-lang en --target-lang de --trainpref train --validpref dev --destdir data-bin
"$phraseq" train data-bin --arch transformer_tiny --max-update 150 --max-tokens 400 --seed 1 --threads 1 \
  --encoder-embed-dim 16 --encoder-ffn-embed-dim 32 --encoder-attention-heads 2 --encoder-layers 1 \
  --decoder-embed-dim 16 --decoder-ffn-embed-dim 32 --decoder-attention-heads 2 --decoder-layers 1 --dropout 0 \
  --optimizer adam --lr 0.01 --lr-scheduler inverse_sqrt --warmup-updates 40 \
  --save-dir checkpoints --no-epoch-checkpoints --log-interval 100
"$phraseq" generate --path checkpoints/checkpoint_last --beam 3 < test.en > test.hyp
rm checkpoints/{metrics.jsonl,run.json,.lock} train.en train.de dev.en dev.de
