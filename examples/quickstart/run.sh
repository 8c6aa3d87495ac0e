#!/usr/bin/env bash
# From nothing to a scored translation: sets up, builds, makes an English-German corpus, trains a small
# Transformer, translates the corpus's test set, scores it, and draws the learning curves and the attention
# of one sentence.
#
#   examples/quickstart/run.sh [FOLDER]       default: quickstart-run
#
# FOLDER gets the corpus, the data folder, the checkpoints, the translation and the pictures. A second run omits
# finished steps. The length of the training is a number of updates, not a time, so that the result does not
# depend on the speed of the machine. QUICKSTART_UPDATES changes the number.
set -euo pipefail

case ${1:-} in -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; exit ;; esac
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$(realpath -m "${1:-quickstart-run}")
updates=${QUICKSTART_UPDATES:-5000}
# An update consists of the batches of two processes, on every machine.
settings=(--arch transformer_tiny --dropout 0.2 --lr 0.004 --lr-scheduler cosine --nproc-per-node 2 --threads 1)
mkdir -p "$folder"

times=()
step() {  # step NAME EXPECTATION COMMAND...: prints the name of the step, and records its duration
  local name=$1 expectation=$2 start=$SECONDS
  shift 2
  printf '\n== %s (%s)\n' "$name" "$expectation"
  "$@"
  times+=("$(printf '%-10s %4d s' "$name" $((SECONDS - start)))")
}

# Adds the remaining time to the counter in Ninja's lines, "[17/200] ...", once 5 % is done (the first files of a
# library are slow); leaves other lines as they are.
remaining_time() {
  local line start=$SECONDS done all left estimate shown=-1
  while IFS= read -r line; do
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\ (.*) ]]; then
      done=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]} estimate=
      ((done > 0 && 100 * done / all != shown)) || continue  # [0/N] is a step of CMake before the count begins
      shown=$((100 * done / all))
      if ((shown >= 5)); then
        left=$(((SECONDS - start) * (all - done) / done))
        printf -v estimate ', about %d:%02d left' $((left / 60)) $((left % 60))
      fi
      printf '[%d/%d%s] %s\n' "$done" "$all" "$estimate" "${BASH_REMATCH[3]}"
    else
      printf '%s\n' "$line"
    fi
  done
}

# Builds the commands and plugins of this script, or everything if everything was built before. A build folder that
# tests/run.sh configured keeps its settings.
build() {
  local target=quickstart
  [[ ! -e $root/build/bin/phraseq-plugins ]] || target=all
  cd "$root"
  [[ -e build/build.ninja ]] || cmake --preset release --log-level=WARNING
  cmake --build build --target "$target" | remaining_time
  cd "$folder"
}

corpus() {
  [[ -s corpus/test.de ]] || "$root/examples/quickstart/derive_lohelp.sh" corpus
  [[ -s data-bin/manifest.json ]] ||
    phraseq preprocess --source-lang en --target-lang de --joined-dictionary --subwords 8000 \
      --trainpref corpus/train --validpref corpus/dev --testpref corpus/test --destdir data-bin
}

train() {
  phraseq train data-bin "${settings[@]}" --max-update "$updates" --eval-bleu --best-checkpoint-metric bleu \
    --no-epoch-checkpoints --save-dir checkpoints
}

generate() {
  phraseq generate --path checkpoints/checkpoint_best --beam 5 < corpus/test.en > test.hyp
}

pictures() {
  phraseq plot checkpoints --output curves.svg
  phraseq analyze attention --path checkpoints/checkpoint_best \
    --source "$(sed -n 8p corpus/test.en)" --target "$(sed -n 8p test.hyp)" --output attention.html
}

step set-up 'a minute or two for packages and LibTorch' "$root/scripts/setup.sh" "$root/build"
step build 'six to ten minutes on two cores' build
PATH=$root/build/bin:$PATH
cd "$folder"
step corpus 'half a minute' corpus
step train "$updates updates, 10 to 25 minutes on two cores" train
step generate 'half a minute' generate
step pictures 'seconds' pictures

printf '\n== score of %s/test.hyp\n' "$folder"
phraseq score corpus/test.de --format text < test.hyp

printf '\n== samples\n'
paste corpus/test.en test.hyp corpus/test.de |
  awk -F '\t' 'NR % 175 == 8 { print "in:  " $1 "\nout: " $2 "\nref: " $3 "\n" }'

printf '\n== time\n'
printf '%s\n' "${times[@]}"

cat <<END

== pictures
$folder/curves.svg        learning curves
$folder/attention.html    attention between the words of one sentence and its translation

== next
Translate sentences of your own:
  $root/build/bin/phraseq interactive --path $folder/checkpoints/checkpoint_best
Train for twice as many updates:
  $root/build/bin/phraseq train $folder/data-bin ${settings[*]} --max-update $((2 * updates)) --save-dir $folder/checkpoints-$((2 * updates))
Score with three metrics and their confidence intervals:
  $root/build/bin/phraseq score $folder/corpus/test.de -i $folder/test.hyp -m bleu chrf ter --confidence
END
