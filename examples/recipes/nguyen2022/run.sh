#!/usr/bin/env bash
# Vietnamese-Chinese in both directions with PhraseTransformer and the Transformer it extends, as Nguyen &
# Nguyen 2022 trained them: separate subword models (4,000 pieces for Vietnamese, 16,000 for Chinese, which
# is not segmented first), one joined dictionary, Adam with a peak rate of 7e-4 after 6,000 updates, four
# batches of 4,096 tokens per update, the average of the last five epochs' parameters, beam 5. README.md has more.
#
#   examples/recipes/nguyen2022/run.sh [FOLDER] [CORPUS...]
#
# FOLDER (nguyen2022-run) gets all files that are made; a second run continues where the first stopped. CORPUS:
# folders with train, dev and test in .vi and .zh, plain or .gz, which are joined (such as those of VLSP 2022).
# Without any, a corpus is made from LibreOffice's help in two Debian packages.
#
# From the environment:
#   SIZE=published     512/1024, 6+6 layers, 100 epochs, 16,384 tokens per update: for a GPU or a week
#   SIZE=small         128/256, 4+4 layers, 40 epochs, 4,096 tokens per update: hours on two cores
#   SIZE=tiny          small with dropout 0.1, also in the LSTM, and UPDATES (2000) of 2,000 tokens: 5 to 13 minutes
#                      per model on one core
#   MODELS             "base 3 4 2_3": the Transformer, and gram sizes {3}, {4}, {2, 3}
#   DIRECTIONS         "zh-vi vi-zh"
#   OPTIONS            for phraseq train: "--precision bf16 --pt-dropout-scope position"
# phraseq must be on the PATH, or built in build/.
set -euo pipefail

case ${1:-} in -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; exit ;; esac
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
source "$root/examples/recipes/ablation.sh"
PATH=$root/build/bin:$PATH
folder=${1:-nguyen2022-run}
shift $(($# < 1 ? 0 : 1))
corpora=()
for corpus in "$@"; do corpora+=("$(cd "$corpus" && pwd)"); done
read -ra models <<< "${MODELS:-base 3 4 2_3}"
read -ra directions <<< "${DIRECTIONS:-zh-vi vi-zh}"
read -ra options <<< "${OPTIONS:-}"
check_rows "base 3 4 2_3" "${models[@]}"

readonly schedule=(--optimizer adam --adam-betas 0.9,0.98 --adam-eps 1e-9 --weight-decay 1e-4 --clip-norm 0
  --lr-scheduler inverse_sqrt --criterion label_smoothed_cross_entropy --label-smoothing 0.1)
readonly post_norm=(--encoder-normalize-before no --decoder-normalize-before no)
updates=${UPDATES:-2000}
case ${SIZE:-small} in
  published) preset=phrase_transformer pieces_zh=16000
    size=(--lr 7e-4 --warmup-updates 6000 --max-tokens 4096 --update-freq 4 --max-epoch 100) ;;
  small) preset=phrase_transformer_tiny pieces_zh=8000
    size=("${post_norm[@]}" --lr 3e-3 --warmup-updates 1000 --max-tokens 4096 --max-epoch 40
          --dropout 0.3 --attention-dropout 0.1 --activation-dropout 0.1 --pt-dropout 0.3) ;;
  tiny) preset=phrase_transformer_tiny pieces_zh=4000
    size=("${post_norm[@]}" --lr 3e-3 --warmup-updates 500 --max-tokens 2000 --max-update "$updates"
          --dropout 0.1 --attention-dropout 0.1 --activation-dropout 0.1 --pt-dropout 0.1
          --save-interval-updates "$(save_interval "$updates" 20)" --keep-interval-updates 5 --no-epoch-checkpoints) ;;
  *) echo "run.sh: error: SIZE is published, small or tiny" >&2; exit 2 ;;
esac
if [[ ${SIZE:-small} != tiny ]]; then
  size+=(--keep-last-epochs 5)
  average=(epoch 5)
fi

mkdir -p "$folder/text"
cd "$folder"

gather_text() {  # one file per part and language from all corpora
  if [[ ${#corpora[@]} == 0 ]]; then
    [[ -s lohelp/test.zh ]] || "$root/examples/quickstart/derive_lohelp.sh" lohelp vi zh
    corpora=("$PWD/lohelp")
  fi
  for name in {train,dev,test}.{vi,zh}; do
    for corpus in "${corpora[@]}"; do
      if [[ -e $corpus/$name ]]; then cat "$corpus/$name"; else gzip -dc "$corpus/$name.gz"; fi
    done > "text/$name"
  done
}

learn_subwords() {  # LANGUAGE PIECES → subwords-LANGUAGE/sentencepiece.model
  [[ -e subwords-$1/manifest.json ]] ||
    phraseq preprocess --source-lang "$1" --only-source --dict-only --subwords "$2" \
      --trainpref text/train --destdir "subwords-$1"
}

index_text() {  # SOURCE TARGET → data-SOURCE-TARGET
  [[ -e data-$1-$2/manifest.json ]] ||
    phraseq preprocess --source-lang "$1" --target-lang "$2" --joined-dictionary \
      --source-subword-model "subwords-$1/sentencepiece.model" \
      --target-subword-model "subwords-$2/sentencepiece.model" \
      --trainpref text/train --validpref text/dev --testpref text/test --destdir "data-$1-$2"
}

architecture() {  # base equals the Transformer bit for bit: a phrase model without gram sizes
  if [[ $1 == base ]]; then echo --arch "${preset}_3" --pt-grams 0; else echo --arch "${preset}_$1"; fi
}

gather_text
learn_subwords vi 4000
learn_subwords zh "$pieces_zh"
for direction in "${directions[@]}"; do
  source=${direction%-*} target=${direction#*-} tokenizer=13a
  [[ $target != zh ]] || tokenizer=zh
  index_text "$source" "$target"
  for model in "${models[@]}"; do
    place=$direction/$model
    [[ -e $place/test.hyp ]] && continue
    read -ra arch <<< "$(architecture "$model")"
    train_row "$place" "data-$direction" "${arch[@]}" "${schedule[@]}" "${size[@]}" "${options[@]}"
    for part in dev test; do translate_row "$place" $part "text/$part.$source" --beam 5; done
  done
  for part in dev test; do score_rows "$direction" $part "text/$part.$target" $tokenizer "${models[@]}"; done
  time_rows "$direction" test "${models[@]}"
done
