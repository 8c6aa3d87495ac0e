#!/usr/bin/env bash
# The models of Nguyen & Joty 2018 under one budget: the Transformer, the six phrase models of table 1, and
# the four with trigrams of table 2. README.md has the results.
#
#   examples/recipes/nguyen_joty2018/run.sh TEXT [FOLDER] [OPTION...]
#
# TEXT holds train, dev (or val) and test (or test_2016_flickr) in .en and .de, plain or .gz. FOLDER
# (nguyen_joty2018-run) gets all files that are made; options after it go to phraseq train. From the environment:
#
#   SIZE       tiny (4+4 layers, width 128, feed-forward 256, 4 heads; the default) or base (the paper's)
#   UPDATES    1000 by default; the paper has 500000
#   DIRECTION  en-de by default, or de-en
#   ROWS       "base homogeneous_convkv_22 …", all eleven by default; with base's 8 heads the names end in
#              44, 12, 323 and 123, with tiny's 4 heads in 22, 12, 211 and 123
#   DECODE     options of phraseq generate, "--beam 5 --lenpen 0.6 --length-penalty-form wu" by default
#
# Finished rows are kept; a row that was stopped continues. phraseq must be on the PATH or built in build/.
set -euo pipefail

case ${1:-} in -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; exit ;; esac
[[ $# -ge 1 ]] || { echo "usage: run.sh TEXT [FOLDER] [OPTION...]" >&2; exit 2; }
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
source "$root/examples/recipes/ablation.sh"
text=$(cd "$1" && pwd)
folder=${2:-nguyen_joty2018-run}
shift $(($# < 2 ? 1 : 2))
PATH=$root/build/bin:$PATH

updates=${UPDATES:-1000}
direction=${DIRECTION:-en-de}
read -ra decode <<< "${DECODE:---beam 5 --lenpen 0.6 --length-penalty-form wu}"
if [[ ${SIZE:-tiny} == base ]]; then
  prefix=phrasal pair=44 triple=323 subwords=37000
  every=$(save_interval "$updates" 50)
  budget=(--lr-scale 2 --warmup-updates 16000 --max-tokens 4096 --save-interval-updates "$every")
else
  prefix=phrasal_tiny pair=22 triple=211 subwords=8000
  budget=(--lr-scale 1 --warmup-updates 500 --max-tokens 2000 --save-interval-updates "$(save_interval "$updates" 20)")
fi
rows=(base {homogeneous_{convkv,queryk}_$pair,{heterogeneous,interleaved}_{convkv,queryk}_12}
      homogeneous_{convkv,queryk}_$triple heterogeneous_{convkv,queryk}_123)
read -ra chosen <<< "${ROWS:-${rows[*]}}"
check_rows "${rows[*]}" "${chosen[@]}"

mkdir -p "$folder/text"
cd "$folder"
for language in en de; do
  need_text "$text" "train.$language" "train.$language"
  need_text "$text" "dev.$language" "dev.$language" "val.$language"
  need_text "$text" "test.$language" "test.$language" "test_2016_flickr.$language"
done
source_language=${direction%-*} target_language=${direction#*-}
[[ -e data-$direction/manifest.json ]] ||
  phraseq preprocess --source-lang "$source_language" --target-lang "$target_language" --joined-dictionary \
    --subwords $subwords --trainpref text/train --validpref text/dev --testpref text/test --destdir "data-$direction"

architecture() { # a model with trigrams is a preset of the same type and method with other n-grams
  case $1 in
    base) if [[ $prefix == phrasal ]]; then echo phrasal_base; else echo "$prefix"; fi ;;
    homogeneous_*_$triple) echo "${prefix}_${1%_*}_$pair --pa-ngrams $triple" ;;
    heterogeneous_*_123) echo "${prefix}_${1%_*}_12 --pa-ngrams 123" ;;
    *) echo "${prefix}_$1" ;;
  esac
}

for row in "${chosen[@]}"; do
  place=$direction/$row
  [[ -e $place/test.hyp ]] && continue
  read -ra arch <<< "$(architecture "$row")"
  train_row "$place" "data-$direction" --arch "${arch[@]}" \
    --criterion label_smoothed_cross_entropy --label-smoothing 0.1 \
    --optimizer adam --adam-betas 0.9,0.98 --adam-eps 1e-9 --lr-scheduler noam "${budget[@]}" \
    --max-update "$updates" --keep-interval-updates 5 --no-epoch-checkpoints "$@"
  translate_row "$place" test "text/test.$source_language" "${decode[@]}"
done
score_rows "$direction" test "text/test.$target_language" 13a "${rows[@]}"
time_rows "$direction" test "${rows[@]}"
