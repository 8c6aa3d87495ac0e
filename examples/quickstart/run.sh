#!/usr/bin/env bash
# From nothing to a scored translation: sets up, builds, makes an English-German corpus, trains a small
# Transformer for ten minutes, translates the corpus's test set and scores it.
#
#   examples/quickstart/run.sh [FOLDER]       default: quickstart-run
#
# FOLDER gets the corpus, the data folder, the checkpoints and the translation. Run again, each step
# that is done is omitted, and training continues for another ten minutes from where it stopped.
# QUICKSTART_MINUTES changes the ten.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$(realpath -m "${1:-quickstart-run}")
minutes=${QUICKSTART_MINUTES:-10}
mkdir -p "$folder"

times=()
step() {  # step NAME COMMAND...: says what begins, and keeps how long it took
  local name=$1 start=$SECONDS
  shift
  printf '\n== %s\n' "$name"
  "$@"
  times+=("$(printf '%-10s %4d s' "$name" $((SECONDS - start)))")
}

# Builds the commands and plugins of this script; everything, where everything was built before. A build folder
# that tests/run.sh configured keeps its settings.
build() {
  local target=quickstart
  [[ ! -e $root/build/bin/phraseq-plugins ]] || target=all
  cd "$root"
  [[ -e build/build.ninja ]] || cmake --preset release --log-level=WARNING
  cmake --build build --target "$target"
  cd "$folder"
}

corpus() {
  [[ -s corpus/test.de ]] || "$root/examples/quickstart/derive_lohelp.sh" corpus
  [[ -s data-bin/manifest.json ]] ||
    phraseq preprocess --source-lang en --target-lang de --joined-dictionary --subwords 8000 \
      --trainpref corpus/train --validpref corpus/dev --testpref corpus/test --destdir data-bin
}

# Processors with bf16 products train about twice as fast in it; on others it would be slower.
precision() { grep -qE 'avx512_bf16|amx_bf16' /proc/cpuinfo && echo bf16 || echo fp32; }

train() {
  phraseq train data-bin --arch transformer_tiny --share-all-embeddings --dropout 0.1 \
    --criterion label_smoothed_cross_entropy --label-smoothing 0.1 \
    --optimizer adam --adam-betas 0.9,0.98 --lr 0.004 --lr-scheduler inverse_sqrt --warmup-updates 400 \
    --clip-norm 1.0 --max-tokens 4000 --precision "$(precision)" \
    --stop-time-hours "$(awk -v minutes="$minutes" 'BEGIN { print minutes / 60 }')" \
    --no-epoch-checkpoints --save-dir checkpoints
}

generate() {
  phraseq generate --path checkpoints/checkpoint_best --beam 5 < corpus/test.en > test.hyp
}

step set-up "$root/scripts/setup.sh" "$root/build"
step build build
PATH=$root/build/bin:$PATH
cd "$folder"
step corpus corpus
step train train
step generate generate

printf '\n== score of %s/test.hyp\n' "$folder"
phraseq score corpus/test.de --format text < test.hyp

printf '\n== samples\n'
paste corpus/test.en test.hyp corpus/test.de |
  awk -F '\t' 'NR % 175 == 7 { print "in:  " $1 "\nout: " $2 "\nref: " $3 "\n" }'

printf '\n== time\n'
printf '%s\n' "${times[@]}"

cat <<END

== next
Translate a sentence of your own:
  echo 'Click OK to save the document.' | $root/build/bin/phraseq generate --path $folder/checkpoints/checkpoint_best
END
