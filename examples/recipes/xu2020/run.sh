#!/usr/bin/env bash
# The ablation of Xu et al. 2020, table 2, under one budget: base, +Mean, +Max, +Attn, +TA and, if there
# are trees, +Parse. README.md has the results.
#
#   examples/recipes/xu2020/run.sh TEXT [FOLDER] [OPTION...]
#
# TEXT holds train, dev (or val) and test (or test_2016_flickr) in .en and .de, plain or .gz, and for +Parse
# {train,dev,test}.en.trees, one bracketed tree per line (parse.sh makes them). FOLDER (xu2020-run) gets
# all files that are made; options after it go to phraseq train. From the environment:
#
#   SIZE     tiny (2+2 layers, width 128, feed-forward 512, 4 heads, pre-norm; the default) or base (the paper's)
#   UPDATES  2000 by default; the paper has 100000
#   ROWS     "base mean max attn ta parse" by default
#   DECODE   options of phraseq generate, "--beam 4 --lenpen 0.6 --length-penalty-form wu" by default
#
# Finished rows are kept; a row that was stopped continues. phraseq must be on the PATH or built in build/.
set -euo pipefail

case ${1:-} in -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; exit ;; esac
[[ $# -ge 1 ]] || { echo "usage: run.sh TEXT [FOLDER] [OPTION...]" >&2; exit 2; }
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
source "$root/examples/recipes/ablation.sh"
text=$(cd "$1" && pwd)
folder=${2:-xu2020-run}
shift $(($# < 2 ? 1 : 2))
PATH=$root/build/bin:$PATH

size=${SIZE:-tiny}
updates=${UPDATES:-2000}
read -ra decode <<< "${DECODE:---beam 4 --lenpen 0.6 --length-penalty-form wu}"
if [[ $size == base ]]; then
  sizes=() warmup=8000 tokens=25000 subwords=32000 most=1500
else
  sizes=(--encoder-embed-dim 128 --encoder-ffn-embed-dim 512 --encoder-attention-heads 4 --encoder-layers 2
         --decoder-embed-dim 128 --decoder-ffn-embed-dim 512 --decoder-attention-heads 4 --decoder-layers 2
         --encoder-normalize-before --decoder-normalize-before)
  warmup=600 tokens=2000 subwords=8000 most=$updates
fi
every=$(save_interval "$updates" 20)
every=$((every < most ? every : most))
all=(base mean max attn ta parse)
read -ra chosen <<< "${ROWS:-${all[*]}}"
check_rows "${all[*]}" "${chosen[@]}"

mkdir -p "$folder/text" && cd "$folder"
trees=yes
for language in en de; do
  need_text "$text" "train.$language" "train.$language"
  need_text "$text" "dev.$language" "dev.$language" "val.$language"
  need_text "$text" "test.$language" "test.$language" "test_2016_flickr.$language"
done
take_text "$text" train.en.trees train.en.trees &&
  take_text "$text" dev.en.trees dev.en.trees val.en.trees &&
  take_text "$text" test.en.trees test.en.trees test_2016_flickr.en.trees || trees=

[[ -e data-bin/manifest.json ]] ||
  phraseq preprocess --source-lang en --target-lang de --joined-dictionary --subwords $subwords \
    --trainpref text/train --validpref text/dev --testpref text/test ${trees:+--trees} --destdir data-bin

preset() {
  case $1 in
    base) echo transformer_xu_base ;;
    mean) echo phrase_rep_base_mean ;;
    max) echo phrase_rep_base_max ;;
    attn) echo phrase_rep_base_max_attn ;;
    ta) echo phrase_rep_base_max_attn_ta ;;
    parse) echo phrase_rep_base_parse ;;
  esac
}

for row in "${chosen[@]}"; do
  [[ $row != parse || $trees ]] || { echo "run.sh: no trees in $text, +Parse is left out" >&2; continue; }
  [[ -e $row/test.hyp ]] && continue
  train_row "$row" data-bin --arch "$(preset "$row")" "${sizes[@]}" \
    --criterion label_smoothed_cross_entropy --label-smoothing 0.1 --smoothing-kernel neutron \
    --optimizer adam --adam-betas 0.9,0.98 --adam-eps 1e-9 --lr-scheduler noam --warmup-updates $warmup \
    --max-tokens $tokens --max-update "$updates" --save-interval-updates "$every" \
    --keep-interval-updates 5 --no-epoch-checkpoints "$@"
  with_trees=()
  [[ $row == parse ]] && with_trees=(--trees text/test.en.trees)
  translate_row "$row" test text/test.en "${decode[@]}" "${with_trees[@]}"
done

score_rows . test text/test.de 13a "${all[@]}"
time_rows . test "${all[@]}"
mapfile -t rows < <(rows_with . test "${all[@]}")
[[ ${#rows[@]} -lt 2 ]] ||
  phraseq compare "${rows[@]/%//test.hyp}" --ref text/test.de --src text/test.en --bucket-edges 15,30,45 -m bleu > lengths.txt
