#!/usr/bin/env bash
# Monolingual text for training: back-translation (Sennrich et al. 2016), with samples (Edunov et al. 2018) and a tag
# (Caswell et al. 2019), or self-training (He et al. 2020). README.md describes the rows.
#
#   [ROWS="base bt tagged self"] [UPDATES=20000] examples/recipes/back_translation/run.sh DATA [FOLDER] [OPTION...]
#
# DATA holds train, dev, test in .SOURCE and .TARGET and mono in .TARGET (bt, tagged) or .SOURCE (self), plain or .gz;
# FOLDER (back-translation-run) gets all files that are made. Options after them go to every phraseq train. A second run
# keeps finished files and continues training where it stopped. phraseq must be on the PATH or built in build/.
set -euo pipefail

case ${1:-} in -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; exit ;; esac
[[ $# -ge 1 ]] || { echo "usage: run.sh DATA [FOLDER] [OPTION...]" >&2; exit 2; }
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
source "$root/examples/recipes/ablation.sh"
data=$(cd "$1" && pwd)
folder=${2:-back-translation-run}
shift $(($# < 2 ? 1 : 2))
options=("$@")
src=${SOURCE:-en} tgt=${TARGET:-de} tag=${TAG-<BT>} updates=${UPDATES:-20000} subwords=${SUBWORDS:-10000}
ratio=${RATIO:-2} # the maximum ratio of the numbers of words in a pair
read -ra rows <<< "${ROWS-base bt tagged self}"
check_rows "base bt tagged self" "${rows[@]}"
PATH=$root/build/bin:$PATH

mkdir -p "$folder/text"
cd "$folder"
for name in {train,dev,test}.{"$src","$tgt"}; do need_text "$data" "$name" "$name"; done

# All rows have one subword model, from the parallel text, so that the model of one row can read another's output.
[[ -e data-bin/manifest.json ]] ||
  phraseq preprocess --source-lang "$src" --target-lang "$tgt" --joined-dictionary --subwords "$subwords" \
    --trainpref text/train --validpref text/dev --testpref text/test --destdir data-bin

train_model() { # ROW DATA FROM TO OPTION...
  local row=$1 from=$2
  shift 2
  train_row "$row" "$from" --source-lang "$1" --target-lang "$2" --arch transformer_tiny --max-update "$updates" \
    --save-interval-updates "$(save_interval "$updates" 10)" --keep-interval-updates 5 "${options[@]}"
}

# Translates monolingual text with a model of the other direction (or, for self-training, of the same one).
translate_mono() { # MODEL INPUT OUTPUT OPTION...
  local model=$1 input=$2 output=$3
  shift 3
  [[ -e $output ]] || { phraseq generate --path "$model/average.safetensors" "$@" < "$input" > "$output.new" && mv "$output.new" "$output"; }
}

# Writes pairs with words on both sides whose lengths differ at most by the ratio. A TAG is put before the source.
write_pairs() { # SOURCE TARGET PREFIX TAG
  paste "$1" "$2" | awk -F '\t' -v ratio="$ratio" -v tag="$4" -v source="$3.$src" -v target="$3.$tgt" '
    NF == 2 { s = split($1, _, " "); t = split($2, _, " ")
      if (s && t && s <= ratio * t && t <= ratio * s) {
        line = tag == "" ? $1 : tag " " $1
        print line > source; print $2 > target; ++kept } }
    END { printf "%d of %d pairs kept\n", kept, NR > "/dev/stderr"; exit kept ? 0 : 1 }'
}

# Preprocesses the parallel text followed by the pairs of PREFIX, with the subwords of data-bin.
preprocess_with() { # ROW PREFIX
  local row=$1 side
  [[ -e $row/data-bin/manifest.json ]] && return
  for side in "$src" "$tgt"; do cat "text/train.$side" "$2.$side" > "$row/train.$side"; done
  phraseq preprocess --source-lang "$src" --target-lang "$tgt" --joined-dictionary \
    --subword-model data-bin/sentencepiece.model --trainpref "$row/train" --validpref text/dev --testpref text/test \
    --destdir "$row/data-bin" --overwrite
}

back_translate() { # ROW TAG
  need_text "$data" "mono.$tgt" "mono.$tgt"
  [[ -e reverse/average.safetensors ]] || train_model reverse data-bin "$tgt" "$src"
  mkdir -p "$1"
  translate_mono reverse "text/mono.$tgt" "text/mono.$tgt.$src" --sampling --seed 1
  write_pairs "text/mono.$tgt.$src" "text/mono.$tgt" "$1/added" "$2"
  preprocess_with "$1" "$1/added"
}

self_train() { # ROW
  need_text "$data" "mono.$src" "mono.$src"
  [[ -e base/average.safetensors ]] || train_model base data-bin "$src" "$tgt"
  mkdir -p "$1"
  translate_mono base "text/mono.$src" "text/mono.$src.$tgt" --beam 5
  write_pairs "text/mono.$src" "text/mono.$src.$tgt" "$1/added" ""
  preprocess_with "$1" "$1/added"
}

for row in "${rows[@]}"; do
  case $row in
    base) mkdir -p base ;;
    bt) back_translate bt "" ;;
    tagged) back_translate tagged "$tag" ;;
    self) self_train self ;;
  esac
  [[ -e $row/average.safetensors ]] ||
    train_model "$row" "$([[ $row == base ]] && echo data-bin || echo "$row/data-bin")" "$src" "$tgt"
  translate_row "$row" test "text/test.$src" --beam 5
done
score_rows . test "text/test.$tgt" 13a "${rows[@]}"
time_rows . test "${rows[@]}"
