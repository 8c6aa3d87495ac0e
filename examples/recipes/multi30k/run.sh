#!/usr/bin/env bash
# Multi30k English→German, text only, with the smallest usual Transformer: 4+4 layers, width 128, feed-
# forward 256, 4 heads, dropout 0.3, 10,000 joint subwords; Adam with a peak rate of 0.005 after 2,000
# updates; average of the last 10 epochs' parameters (or of all, if there are fewer); beam 5. README.md has the results.
#
#   examples/recipes/multi30k/run.sh DATA [FOLDER] [OPTION...]
#
# DATA holds train, val and test_2016_flickr in .en and .de, plain or .gz; FOLDER (multi30k-run) gets
# all files that are made. Options after them go to phraseq train (--precision bf16, --max-epoch 20 …). A
# second run continues the training where it stopped. phraseq must be on the PATH or built in build/.
set -euo pipefail

case ${1:-} in -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; exit ;; esac
[[ $# -ge 1 ]] || { echo "usage: run.sh DATA [FOLDER] [OPTION...]" >&2; exit 2; }
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
source "$root/examples/recipes/ablation.sh"
data=$(cd "$1" && pwd)
folder=${2:-multi30k-run}
shift $(($# < 2 ? 1 : 2))
PATH=$root/build/bin:$PATH

mkdir -p "$folder/text"
cd "$folder"
for name in {train,val,test_2016_flickr}.{en,de}; do need_text "$data" "$name" "$name"; done

[[ -e data-bin/manifest.json ]] ||
  phraseq preprocess --source-lang en --target-lang de --joined-dictionary --subwords 10000 \
    --trainpref text/train --validpref text/val --testpref text/test_2016_flickr --destdir data-bin

logged train.log timed train phraseq train data-bin --arch transformer_tiny --share-all-embeddings \
  --dropout 0.3 --clip-norm 0.0 --no-encoder-normalize-before --no-decoder-normalize-before \
  --criterion label_smoothed_cross_entropy --label-smoothing 0.1 \
  --optimizer adam --adam-betas 0.9,0.98 --lr 0.005 --lr-scheduler inverse_sqrt --warmup-updates 2000 \
  --max-tokens 4000 --max-epoch 60 --patience 10 \
  --keep-last-epochs 10 --save-dir checkpoints --seed 1 "$@"

average_newest checkpoints epoch 10 checkpoints/average.safetensors
phraseq generate --path checkpoints/average.safetensors --beam 5 < text/test_2016_flickr.en > test.hyp
phraseq score text/test_2016_flickr.de --format text < test.hyp | tee score-test.txt
