#!/usr/bin/env bash
# Chinese to English with an external phrase memory, as in Tang et al. 2016: RNNsearch with coverage, phraseNet's
# gate and its softmax, under one budget, with a phrase table mined from the training text and rules for
# dates, numbers and names. README.md has the results.
#
#   examples/recipes/tang2016/run.sh [FOLDER] [CORPUS...]
#
# FOLDER (tang2016-run) gets all files that are made; a second run continues where the first stopped. CORPUS:
# folders with train, dev (or val) and test in .zh and .en, plain or .gz, which are joined. If one has no test set,
# every other line of its dev is used. Without any, a corpus is made from LibreOffice's help in two Debian packages.
#
# From the environment:
#   SIZE=published   620/1000, vocabularies of 16,000 words, Adadelta, 32 sentences per update
#   SIZE=tiny        128/192, vocabularies of 6,000, Adam: minutes on two cores; the default
#   UPDATES          for tiny, 2000 by default
#   ROWS             "rnnsearch gate softmax"
#   OPTIONS          for phraseq train: "--precision bf16 --threads 1"
# phraseq must be on the PATH, or built in build/.
set -euo pipefail

case ${1:-} in -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; exit ;; esac
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
source "$root/examples/recipes/ablation.sh"
PATH=$root/build/bin:$PATH
folder=${1:-tang2016-run}
shift $(($# < 1 ? 0 : 1))
corpora=()
for corpus in "$@"; do corpora+=("$(cd "$corpus" && pwd)"); done
read -ra rows <<< "${ROWS:-rnnsearch gate softmax}"
read -ra options <<< "${OPTIONS:-}"
check_rows "rnnsearch gate softmax" "${rows[@]}"
updates=${UPDATES:-2000}
case ${SIZE:-tiny} in
  published) words=16000 rnnsearch=rnnsearch_base phrasenet=phrasenet
    budget=(--optimizer adadelta --adadelta-rho 0.95 --adadelta-eps 1e-6 --lr 1 --lr-scheduler constant --clip-norm 1
            --max-sentences 32 --patience 10)
    average=(epoch 1) ;;
  tiny) words=6000 rnnsearch=rnnsearch_tiny phrasenet=phrasenet_tiny
    budget=(--optimizer adam --adam-betas 0.9,0.98 --lr 2e-3 --lr-scheduler inverse_sqrt --warmup-updates 200
            --clip-norm 1 --max-tokens 2000 --dropout 0.2 --max-update "$updates"
            --save-interval-updates "$(save_interval "$updates" 20)" --keep-interval-updates 5 --no-epoch-checkpoints) ;;
  *) echo "run.sh: error: SIZE is published or tiny" >&2; exit 2 ;;
esac

mkdir -p "$folder/text"
cd "$folder"

part_of() { # CORPUS PART LANGUAGE: its text; fails when there is none
  local name=$1/$2.$3
  if [[ -e $name ]]; then cat "$name"; elif [[ -e $name.gz ]]; then gzip -dc "$name.gz"; else return 1; fi
}

missing() { echo "run.sh: error: $1 has no $2, plain or .gz" >&2; exit 2; }

dev_of() { part_of "$1" dev "$2" || part_of "$1" val "$2" || missing "$1" "dev.$2 or val.$2"; }

gather() { # PART LANGUAGE
  local corpus
  for corpus in "${corpora[@]}"; do
    if [[ $1 == train ]] || part_of "$corpus" test "$2" > /dev/null; then
      if [[ $1 == dev ]]; then dev_of "$corpus" "$2"; else part_of "$corpus" "$1" "$2" || missing "$corpus" "$1.$2"; fi
    else
      dev_of "$corpus" "$2" | awk -v part="$1" 'part == "test" ? NR % 2 == 0 : NR % 2 == 1'
    fi
  done
}

if [[ ! -s text/test.en ]]; then
  if [[ ${#corpora[@]} == 0 ]]; then
    [[ -s lohelp/test.zh ]] || "$root/examples/quickstart/derive_lohelp.sh" lohelp en zh
    corpora=("$PWD/lohelp")
  fi
  for part in train dev test; do
    for language in zh en; do gather $part $language | "$root/examples/recipes/tang2016/words.pl" > "text/$part.$language.new"; done
  done
  for part in train dev test; do
    for language in zh en; do mv "text/$part.$language.new" "text/$part.$language"; done
  done
fi

[[ -s table ]] || phraseq phrase-table build --source text/train.zh --target text/train.en --pn-rules zh-en \
  --min-count 3 --min-prob 0.9 --max-len 7 --output table
for part in train test; do
  [[ ! -s $part.matches ]] || continue
  phraseq phrase-table match table --pn-rules zh-en --input text/$part.zh --reference text/$part.en --json > $part.new
  mv $part.new $part.matches
done

# All rows have the same ids; phrases are stored next to them.
[[ -e data-bin/manifest.json ]] ||
  phraseq preprocess --source-lang zh --target-lang en --tokenizer word --nwordssrc $words --nwordstgt $words \
    --phrase-table table --pn-rules zh-en \
    --trainpref text/train --validpref text/dev --testpref text/test --destdir data-bin

for row in "${rows[@]}"; do
  [[ -e $row/test.hyp ]] && continue
  if [[ $row == rnnsearch ]]; then
    model=(--arch "$rnnsearch" --criterion cross_entropy)
  else
    model=(--task translation_with_phrase_memory --arch "${phrasenet}_$row" --criterion phrase_mixture)
  fi
  train_row "$row" data-bin "${model[@]}" "${budget[@]}" "${options[@]}"
  translate_row "$row" test text/test.zh --beam 5 --format jsonl
  mv "$row/test.hyp" "$row/test.jsonl"
  perl -ne '/"text":"((?:[^"\\]|\\.)*)"/; my $text = $1; $text =~ s/\\(["\\])/$1/g; print "$text\n"' "$row/test.jsonl" > "$row/test.hyp"
done

# The line numbers of sentences with a phrase, and with one that only phrase mode can generate.
awk '!/"slots":\[\]/ { print NR }' test.matches > test.matched
"$root/examples/recipes/tang2016/unknown.pl" data-bin/dict.en.txt test.matches > test.unknown

score_rows . test text/test.en none "${rows[@]}"
for part in matched unknown; do
  only_those() { awk -v kept="test.$part" 'BEGIN { while ((getline line < kept) > 0) keep[line] } FNR in keep' "$1"; }
  only_those text/test.en > text/$part.en
  for row in "${rows[@]}"; do only_those "$row/test.hyp" > "$row/$part.hyp"; done
  score_rows . $part text/$part.en none "${rows[@]}"
done
time_rows . test "${rows[@]}"

count() { grep -o "$1" | wc -l; }
{
  echo "sentences of the test text with phrases: $(wc -l < test.matched) of $(wc -l < text/test.zh)"
  echo "sentences with one that has words outside the vocabulary: $(wc -l < test.unknown)"
  echo "phrases offered: $(count '"category"' < test.matches), of them in the reference: $(count '"span"' < test.matches)"
  for row in "${rows[@]}"; do
    echo "$row: generated as phrases: $(count '"category"' < "$row/test.jsonl"), <unk> in the output: $(count '<unk>' < "$row/test.hyp")"
  done
} | tee phrases.txt
