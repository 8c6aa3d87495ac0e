#!/usr/bin/env bash
# Vietnamese-Chinese in both directions with PhraseTransformer and the Transformer it extends, as Nguyen &
# Nguyen 2022 trained them: separate subword models (4,000 pieces for Vietnamese, 16,000 for Chinese, which
# is not segmented first), one joined dictionary, Adam with a peak rate of 7e-4 after 6,000 updates, four
# batches of 4,096 tokens an update, the last five epochs' parameters averaged, beam 5. README.md has more.
#
#   examples/recipes/nguyen2022/run.sh [FOLDER] [CORPUS...]
#
# FOLDER (nguyen2022-run) gets everything made; run again, it goes on where it stopped. CORPUS: folders that
# hold train, dev and test in .vi and .zh, plain or .gz, taken together (VLSP 2022's, when you have them).
# Without any, LibreOffice's help is made one of two Debian packages.
#
# From the environment:
#   SIZE=published     512/1024, 6+6 layers, 100 epochs, 16,384 tokens an update: for a GPU or a week
#   SIZE=small         128/256, 4+4 layers, 40 epochs, 4,096 tokens an update: hours of two cores
#   SIZE=micro         small, cut to 30 updates: minutes, to see that all parts work
#   MODELS             "base 3 4 2_3": the Transformer, and gram sizes {3}, {4}, {2, 3}
#   DIRECTIONS         "zh-vi vi-zh"
#   OPTIONS            for phraseq train: "--precision bf16 --pt-dropout-scope position"
# phraseq must be on the PATH, or built in build/.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
PATH=$root/build/bin:$PATH
folder=${1:-nguyen2022-run}
shift $(($# < 1 ? 0 : 1))
corpora=()
for corpus in "$@"; do corpora+=("$(cd "$corpus" && pwd)"); done
read -ra models <<< "${MODELS:-base 3 4 2_3}"
read -ra directions <<< "${DIRECTIONS:-zh-vi vi-zh}"
read -ra options <<< "${OPTIONS:-}"

readonly schedule=(--optimizer adam --adam-betas 0.9,0.98 --adam-eps 1e-9 --weight-decay 1e-4 --clip-norm 0
  --lr-scheduler inverse_sqrt --criterion label_smoothed_cross_entropy --label-smoothing 0.1 --max-tokens 4096)
case ${SIZE:-small} in
  published) preset=phrase_transformer pieces_zh=16000
    size=(--lr 7e-4 --warmup-updates 6000 --update-freq 4 --max-epoch 100) ;;
  small) preset=phrase_transformer_tiny pieces_zh=8000
    size=(--lr 3e-3 --warmup-updates 1000 --max-epoch 40) ;;
  micro) preset=phrase_transformer_tiny pieces_zh=8000
    size=(--lr 3e-3 --warmup-updates 20 --max-update 30 --save-interval-updates 10) ;;
  *) echo "run.sh: error: SIZE is published, small or micro" >&2; exit 2 ;;
esac

mkdir -p "$folder/text"
cd "$folder"

gather_text() {  # one file a part and language, of all corpora
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

architecture() {  # base is the Transformer, bit for bit: a phrase model without a gram size
  if [[ $1 == base ]]; then echo --arch "${preset}_3" --pt-grams 0; else echo --arch "${preset}_$1"; fi
}

train() {  # SOURCE TARGET MODEL → the averaged checkpoint in SOURCE-TARGET-MODEL/
  local place=$1-$2-$3 arch=() newest=(--num-epoch-checkpoints 5)
  [[ ${SIZE:-small} != micro ]] || newest=(--num-update-checkpoints 2)
  read -ra arch <<< "$(architecture "$3")"
  phraseq train "data-$1-$2" "${arch[@]}" "${schedule[@]}" "${size[@]}" \
    --keep-last-epochs 5 --save-dir "$place" --seed 1 "${options[@]}"
  phraseq average --inputs "$place" "${newest[@]}" --output "$place/average.safetensors"
}

evaluate() {  # SOURCE TARGET MODEL: BLEU as published, sacreBLEU's zh or 13a, on dev and test
  local place=$1-$2-$3 tokenizer=13a part
  [[ $2 != zh ]] || tokenizer=zh
  for part in dev test; do
    phraseq generate --path "$place/average.safetensors" --beam 5 < "text/$part.$1" > "$place/$part.hyp"
    printf '%s\t%s\t%s\t%s\n' "$1-$2" "$3" "$part" \
      "$(phraseq score "text/$part.$2" -tok "$tokenizer" --format text < "$place/$part.hyp")"
  done | tee "$place/scores.tsv"
}

gather_text
learn_subwords vi 4000
learn_subwords zh "$pieces_zh"
for direction in "${directions[@]}"; do
  source=${direction%-*} target=${direction#*-}
  index_text "$source" "$target"
  for model in "${models[@]}"; do
    train "$source" "$target" "$model"
    evaluate "$source" "$target" "$model"
  done
done
printf '\n== BLEU\n'
cat ./*-*-*/scores.tsv
