#!/usr/bin/env bash
# The ablation of Xu et al. 2020, table 2, under one budget: base, +Mean, +Max, +Attn, +TA and, where there
# are trees, +Parse. README.md has the results.
#
#   examples/recipes/xu2020/run.sh TEXT [FOLDER] [OPTION...]
#
# TEXT holds train, dev (or val) and test (or any test*) in .en and .de, plain or .gz, and for +Parse
# {train,dev,test}.en.trees, one bracketed tree a line (parse.sh makes them). FOLDER (xu2020-run) gets
# everything made; options behind it go to phraseq train. From the environment:
#
#   SIZE     tiny (4+4 layers, width 128, feed-forward 512, 4 heads; the default) or base (the paper's)
#   UPDATES  1200 by default; the paper has 100000
#   ROWS     "base mean max attn ta parse" by default
#   DECODE   options of phraseq generate, "--beam 4 --lenpen 0.6 --length-penalty-form wu" by default
#
# Rows that are done are left as they are; a row that was stopped goes on. phraseq must be on the PATH, or
# built in build/.
set -euo pipefail

[[ $# -ge 1 ]] || { echo "usage: run.sh TEXT [FOLDER] [OPTION...]" >&2; exit 2; }
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
text=$(cd "$1" && pwd)
folder=${2:-xu2020-run}
shift $(($# < 2 ? 1 : 2))
PATH=$root/build/bin:$PATH

size=${SIZE:-tiny}
updates=${UPDATES:-1200}
decode=${DECODE:---beam 4 --lenpen 0.6 --length-penalty-form wu}
if [[ $size == base ]]; then
  sizes=() warmup=8000 tokens=25000 subwords=32000 every=1500
else
  sizes=(--encoder-embed-dim 128 --encoder-ffn-embed-dim 512 --encoder-attention-heads 4 --encoder-layers 4
         --decoder-embed-dim 128 --decoder-ffn-embed-dim 512 --decoder-attention-heads 4 --decoder-layers 4)
  warmup=400 tokens=4000 subwords=8000 every=$((updates / 20))
fi

mkdir -p "$folder/text" && cd "$folder"
fetch() { # NAME as...: the first that exists, plain or .gz
  local to=$1 from; shift
  for from; do
    if [[ -e $text/$from ]]; then cp "$text/$from" "text/$to"; return; fi
    if [[ -e $text/$from.gz ]]; then gzip -dc "$text/$from.gz" > "text/$to"; return; fi
  done
  return 1
}
trees=yes
for language in en de; do
  fetch "train.$language" "train.$language"
  fetch "dev.$language" "dev.$language" "val.$language"
  fetch "test.$language" "test.$language" "test_2016_flickr.$language"
done
fetch train.en.trees train.en.trees && fetch dev.en.trees dev.en.trees val.en.trees &&
  fetch test.en.trees test.en.trees test_2016_flickr.en.trees || trees=

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
    *) echo "run.sh: no row '$1'" >&2; return 1 ;;
  esac
}

# Runs a command and appends "seconds of the clock, seconds of the processor" to NAME.time.
timed() { # NAME COMMAND...
  local name=$1 TIMEFORMAT='%R %U'
  shift
  { time "$@" 2>&3 3>&-; } 3>&2 2>> "$name.time"
}

for row in ${ROWS:-base mean max attn ta parse}; do
  [[ $row != parse || $trees ]] || { echo "run.sh: no trees in $text, +Parse is left out" >&2; continue; }
  [[ -e $row/test.hyp ]] && continue
  mkdir -p "$row"
  timed "$row/train" phraseq train data-bin --arch "$(preset "$row")" "${sizes[@]}" \
    --criterion label_smoothed_cross_entropy --label-smoothing 0.1 --smoothing-kernel neutron \
    --optimizer adam --adam-betas 0.9,0.98 --adam-eps 1e-9 --lr-scheduler noam --warmup-updates $warmup \
    --max-tokens $tokens --max-update "$updates" --save-interval-updates "$every" --keep-interval-updates 5 \
    --no-epoch-checkpoints --save-dir "$row/checkpoints" --seed 1 "$@" 2> >(tee -a "$row/train.log" >&2)
  phraseq average --inputs "$row/checkpoints" --num-update-checkpoints 5 --output "$row/average.safetensors"
  with_trees=()
  [[ $row == parse ]] && with_trees=(--trees text/test.en.trees)
  timed "$row/generate" phraseq generate --path "$row/average.safetensors" $decode "${with_trees[@]}" \
    < text/test.en > "$row/test.new"
  mv "$row/test.new" "$row/test.hyp"
done

rows=()
for row in base mean max attn ta parse; do [[ -e $row/test.hyp ]] && rows+=("$row"); done
phraseq score text/test.de -i "${rows[@]/%//test.hyp}" --paired-bs --format text | tee score.txt
phraseq compare "${rows[@]/%//test.hyp}" --ref text/test.de --src text/test.en --bucket-edges 15,30,45 -m bleu > lengths.txt

# The table: parameters and times beside the base's. Times are the processor's, so that they can be compared
# although the machine did other work.
for row in "${rows[@]}"; do
  parameters=$(sed -n 's/.*: \([0-9]*\) parameters.*/\1/p' "$row/train.log" | head -n 1)
  train=$(awk '{ sum += $2 } END { print sum }' "$row/train.time")
  generate=$(tail -n 1 "$row/generate.time" | cut -d ' ' -f 2)
  echo "$row $parameters $train $generate"
done | awk 'NR == 1 { train = $3; generate = $4; print "row parameters train ratio generate ratio" }
  { printf "%s %d %.0f %.2f %.1f %.2f\n", $1, $2, $3, $3 / train, $4, $4 / generate }' | tee times.txt
