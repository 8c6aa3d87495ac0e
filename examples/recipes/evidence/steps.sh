# The steps of protocol.md, in the folder of one corpus. Finished results are kept, so each step can be stopped and
# repeated.
#
#   text/ data-bin/ data-words*/       the corpus
#   SYSTEM/CONFIGURATION/SEED/         a training: train.log, metrics.jsonl, average.safetensors, dev.bleu, TEST.hyp
#   SYSTEM/trials.tsv, SYSTEM/chosen   the trials, and the configuration that was chosen
#   runs.tsv, leaks.tsv, scores/       the sources of the tables, in addition to the logs

prepare() {
  local part language
  mkdir -p text scores
  if [[ ! -e text/complete ]]; then
    for part in train dev test; do
      for language in "$source" "$target"; do gather $part "$language" | limited $part > "text/$part.$language"; done
    done
    gather_trees
    touch text/complete
  fi
  check_test test "text/test.$source" "text/test.$target"
}

prepare_subwords() {
  [[ -e data-bin/manifest.json ]] ||
    phraseq preprocess --source-lang "$source" --target-lang "$target" --joined-dictionary --subwords "$pieces" \
      --trainpref text/train --validpref text/dev --testpref text/test \
      $([[ ! -e text/train.$source.trees ]] || echo --trees) --destdir data-bin
}

# Writes a text as words, unless that exists. An incomplete file is never mistaken for a whole one.
to_words() { # TEXT FILE
  [[ ! -e $2 ]] || return 0
  "$recipes/tang2016/words.pl" < "$1" > "$2.new"
  mv "$2.new" "$2"
}

# Lowercased words, and phrase tables from the training text: with all phrases, with the 1,000 most frequent, and
# without rules.
prepare_words() { # DATA_FOLDER
  local part language rules=(--pn-rules zh-en)
  [[ ! -e $1/manifest.json ]] || return 0
  mkdir -p words
  for part in train dev test; do
    for language in "$source" "$target"; do
      to_words "text/$part.$language" "words/$part.$language"
    done
  done
  [[ -s words/table ]] || phraseq phrase-table build --source "words/train.$source" --target "words/train.$target" \
    --pn-rules zh-en --min-count 3 --min-prob 0.9 --max-len 7 --output words/table
  local table=words/table
  case $1 in
    *-1000) table=words/table-1000; most_frequent 1000 words/table > $table ;;
    *-norules) rules=() ;;
  esac
  phraseq preprocess --source-lang "$source" --target-lang "$target" --tokenizer word \
    --nwordssrc "$vocabulary" --nwordstgt "$vocabulary" --phrase-table $table "${rules[@]}" \
    --trainpref words/train --validpref words/dev --testpref words/test --destdir "$1"
}

# The lines of a phrase table with the largest counts, which are its last column.
most_frequent() { # COUNT TABLE
  awk -F ' [|][|][|] ' '/^#/ { next } { print $NF "\t" NR "\t" $0 }' "$2" | sort -t "$(printf '\t')" -k 1,1nr -k 2,2n |
    awk -v count="$1" 'NR <= count' | cut -f 3- # head would break the pipe of a large table
}

# Records in leaks.tsv how much of a test set is in the training text.
check_test() { # TEST SRC REF
  if [[ -e leaks.tsv ]] && grep -q "^$1	" leaks.tsv; then return; fi
  : > "scores/$1.leaks"
  check_leaks "$1" "$2" "$3" "scores/$1.leaks" >> leaks.tsv
  awk -F '\t' -v name="$1" '$1 == name && $5 > 0 {
    printf "evidence.sh: %d of %d pairs of the test set \"%s\" are in the training text\n", $5, $2, name }' leaks.tsv >&2
}

# Replaces one factor of a configuration; x2 multiplies its value, rounded to an integer for tokens and warm-up.
with_factor() { # CONFIGURATION FACTOR=VALUE
  awk -v change="$2" '{
    split(change, to, "=")
    for (i = 1; i <= NF; ++i) {
      split($i, at, "=")
      if (at[1] != to[1]) continue
      seen = 1
      value = to[2]
      if (value ~ /^x/) value = at[2] * substr(value, 2)
      $i = at[1] "=" value
    }
    print seen ? $0 : $0 " " change
  }' <<< "$1"
}

place_of() { # SYSTEM CONFIGURATION SEED
  echo "$1/${2// /+}/$3"
}

parameters_of() { # PLACE
  sed -n '/.*: \([0-9]*\) parameters.*/{s//\1/p;q}' "$1/train.log"
}

# The feed-forward width with which the baseline has as many parameters as a system: each unit of both stacks costs
# two rows of weights and a bias.
widened_ffn() { # SYSTEM
  local more=0 of_base of_system base
  base=$(baseline_of "$1")
  if [[ -e $1/chosen && -e $base/chosen ]]; then
    of_base=$(parameters_of "$(place_of "$base" "$(cat "$base/chosen")" "$first_seed")")
    of_system=$(parameters_of "$(place_of "$1" "$(cat "$1/chosen")" "$first_seed")")
    more=$(((of_system - of_base + layers * (2 * width + 1)) / (2 * layers * (2 * width + 1))))
  fi
  echo $((ffn + (more > 0 ? more : 0)))
}

# Trains a seed and averages its last checkpoints, as many as --patience.
train_seed() { # SYSTEM CONFIGURATION SEED
  local place
  place=$(place_of "$@")
  [[ ! -e $place/average.safetensors ]] || return 0
  mkdir -p "$place"
  if [[ $1 == fairseq ]]; then train_with_fairseq "$place" "$2" "$3"; else train_with_phraseq "$place" "$@"; fi
  average_newest "$place/checkpoints" update "$patience" "$place/new.safetensors"
  cp "$place/checkpoints/metrics.jsonl" "$place/metrics.jsonl"
  mv "$place/new.safetensors" "$place/average.safetensors"
  rm -r "$place/checkpoints"
}

# The options that have the same names in both programs.
shared_options() {
  echo "--optimizer adam --adam-eps 1e-9 --clip-norm 1 --lr-scheduler inverse_sqrt" \
    "--max-update $most --patience $patience --validate-interval 1000000 --validate-interval-updates $every" \
    "--save-interval 1000000 --save-interval-updates $every --keep-interval-updates $patience --no-epoch-checkpoints" \
    "--best-checkpoint-metric bleu"
}

train_with_phraseq() { # PLACE SYSTEM CONFIGURATION SEED
  # shellcheck disable=SC2046
  logged "$1/train.log" timed "$1/train" phraseq train "$(data_of "$2")" --save-dir "$1/checkpoints" \
    --seed "$4" $(model_of "$2") $(criterion_of "$2") $(options_of "$3") $(shared_options) \
    --adam-betas 0.9,0.98 --precision auto --eval-bleu --eval-bleu-args '{"beam": 1}' --no-plot "${more[@]}"
}

# Trains the baseline's model with fairseq, in the same configuration and on the same data folder, and imports its
# checkpoints.
train_with_fairseq() { # PLACE CONFIGURATION SEED
  local checkpoint norm=()
  [[ $2 == *norm=post* ]] || norm=(--encoder-normalize-before --decoder-normalize-before)
  # shellcheck disable=SC2046
  logged "$1/train.log" timed "$1/train" "$fairseq_train" data-bin --save-dir "$1/fairseq" --seed "$3" \
    --arch transformer $(sizes "$ffn" "$layers") --share-all-embeddings "${norm[@]}" \
    --criterion label_smoothed_cross_entropy $(options_of "${2/norm=*/}") $(shared_options) \
    --adam-betas '(0.9, 0.98)' --maximize-best-checkpoint-metric --eval-bleu \
    --eval-bleu-args '{"beam": 1}' --eval-bleu-detok space --eval-bleu-remove-bpe sentencepiece --log-format json
  mkdir -p "$1/checkpoints"
  fairseq_metrics < "$1/train.log" > "$1/checkpoints/metrics.jsonl"
  for checkpoint in "$1"/fairseq/checkpoint_*_*.pt; do
    phraseq import "$checkpoint" "$1/checkpoints/$(basename "$checkpoint" .pt).safetensors" --data data-bin
  done
  # fairseq's own number also counts unused copies of the encoder's parameters.
  phraseq inspect "$(ls "$1"/checkpoints/*.safetensors | head -n 1)" |
    sed -n '/^parameters *\([0-9,]*\) .*/{s//imported: \1 parameters/;s/,//g;p}' >> "$1/train.log"
  rm -r "$1/fairseq"
}

# The validations in fairseq's log, as records of metrics.jsonl.
fairseq_metrics() {
  perl -ne '
    next unless /\| valid \| \{/;
    my ($updates, $bleu) = (/"valid_num_updates": "(\d+)"/, /"valid_bleu": "([\d.]+)"/);
    print qq({"event": "valid", "updates": $updates, "score": $bleu, "score_name": "BLEU"}\n) if defined $bleu'
}

# The version of a text file that a system uses: the file itself or, for a system without subwords, a copy of its
# words in words/.
file_of() { # SYSTEM FILE
  local words_of
  if [[ $(data_of "$1") == data-bin ]]; then echo "$2"; return; fi
  words_of=words/$(cksum <<< "$2" | cut -d ' ' -f 1).$(basename "$2")
  to_words "$2" "$words_of"
  echo "$words_of"
}

# Translates a text with the average of one seed into PLACE/PART.hyp.
translate_seed() { # SYSTEM PLACE PART SOURCE
  local trees=()
  [[ ! -e $2/$3.hyp && -e $2/average.safetensors ]] || return 0
  if [[ $1 == parse ]]; then
    if [[ -e text/$3.$source.trees ]]; then trees=(--trees "text/$3.$source.trees"); else trees=(--model-overrides pr-seg=ngram); fi
  fi
  timed "$2/$3" phraseq generate --path "$2/average.safetensors" --beam 5 "${trees[@]}" < "$(file_of "$1" "$4")" > "$2/$3.new"
  mv "$2/$3.new" "$2/$3.hyp"
}

score_options() { # SYSTEM: words are scored as they are
  if [[ $(data_of "$1") == data-words* ]]; then echo "-tok none --force"; else echo "-tok $tokenizer"; fi
}

# Trains a seed, translates dev, and writes its score to PLACE/dev.bleu.
dev_bleu() { # SYSTEM CONFIGURATION SEED
  local place
  place=$(place_of "$@")
  if [[ ! -e $place/dev.bleu ]]; then
    train_seed "$@" >&2
    translate_seed "$1" "$place" dev "text/dev.$source"
    # shellcheck disable=SC2046
    phraseq score "$(file_of "$1" "text/dev.$target")" -i "$place/dev.hyp" -m bleu -b -w 2 $(score_options "$1") > "$place/dev.new"
    mv "$place/dev.new" "$place/dev.bleu"
  fi
  cat "$place/dev.bleu"
}

larger() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > b) }'; }

# Whether a system still needs a search, or a longer one: with more trials, or from another configuration of the
# baseline.
needs_tuning() { # SYSTEM
  local base
  base=$(baseline_of "$1")
  [[ -e $1/chosen ]] || return 0
  (($(wc -l < "$1/trials.tsv") > trials)) || return 0
  [[ $1 != "$base" && $(head -n 1 "$1/trials.tsv" | cut -f 2) != "$(cat "$base/chosen")" ]]
}

# Finished trials are not trained again: their scores are written where dev_bleu looks for them.
recall_trials() { # SYSTEM
  local score config place
  [[ -e $1/trials.tsv ]] || return 0
  while IFS=$'\t' read -r score config; do
    place=$(place_of "$1" "$config" "$first_seed")
    mkdir -p "$place"
    [[ -e $place/dev.bleu ]] || echo "$score" > "$place/dev.bleu"
  done < "$1/trials.tsv"
}

# Tries one factor after another, and keeps a change if dev BLEU rises. Writes the configuration to SYSTEM/chosen.
tune() { # SYSTEM
  local system=$1 base config best candidate score change count=0 grid
  base=$(baseline_of "$system")
  if [[ $system == "$base" ]]; then
    config=$(start_of_group "$(group_of "$system")") grid=$(grid_of_baseline "$(group_of "$system")")
  else
    [[ -e $base/chosen ]] || fail "$system needs the configuration of $base: name $base in --systems, too"
    config=$(cat "$base/chosen") grid=$(grid_of "$system")
  fi
  mkdir -p "$system"
  recall_trials "$system"
  best=$(dev_bleu "$system" "$config" "$first_seed")
  printf '%s\t%s\n' "$best" "$config" > "$system/trials.new"
  for change in $grid; do
    ((count < trials)) || break
    candidate=$(with_factor "$config" "$change")
    [[ $candidate != "$config" ]] || continue
    ((++count))
    score=$(dev_bleu "$system" "$candidate" "$first_seed")
    printf '%s\t%s\n' "$score" "$candidate" >> "$system/trials.new"
    if larger "$score" "$best"; then best=$score config=$candidate; fi
  done
  mv "$system/trials.new" "$system/trials.tsv"
  [[ ! -e $system/chosen || $(cat "$system/chosen") == "$config" ]] || forget_scores "$system"
  echo "$config" > "$system/chosen"
}

# Scores are stored by system and seed, so those of an earlier configuration would be mistaken for new ones.
forget_scores() { # SYSTEM
  rm -f scores/*.contrastive/"$1".*.json scores/constituents/"$1".*
}

# The reason why a system cannot be trained with this corpus; empty if it can.
obstacle_of() { # SYSTEM
  case $1 in
    parse) [[ -e text/train.$source.trees ]] || echo "the corpus has no parse trees" ;;
    fairseq) [[ -e $1/chosen ]] || command -v "$fairseq_train" > /dev/null || echo "there is no $fairseq_train on the PATH" ;;
  esac
  if [[ $(group_of "$1") == memory && ! $words ]]; then echo "the phrase memory reads Chinese-English only"; fi
  local of
  of=$(widened_to "$1")
  if [[ $of && ! -e $of/chosen ]]; then echo "$of, whose size it takes, has not been trained"; fi
}

train_system() { # SYSTEM
  local obstacle seed config
  obstacle=$(obstacle_of "$1")
  if [[ $obstacle ]]; then echo "evidence.sh: $1 is left out: $obstacle" >&2; return; fi
  case $(data_of "$1") in
    data-bin) prepare_subwords ;;
    *) prepare_words "$(data_of "$1")" ;;
  esac
  if needs_tuning "$1"; then tune "$1"; fi
  config=$(cat "$1/chosen")
  for seed in "${seeds[@]}"; do dev_bleu "$1" "$config" "$seed" > /dev/null; done
}

trained_systems() {
  local system
  for system in "${systems[@]}"; do [[ ! -e $system/chosen ]] || echo "$system"; done
}

# The folders of a system's seeds that have translated a part.
places_with() { # SYSTEM PART
  local place
  for place in "$1/$(tr ' ' + < "$1/chosen")"/*; do [[ ! -e $place/$2 ]] || echo "$place"; done
}

# Translates a test set once with every trained seed, and scores it in scores/TEST.GROUP.json.
score_test() { # TEST SRC REF
  local system place group list arguments=()
  check_test "$1" "$2" "$3"
  for system in $(trained_systems); do
    for place in $(places_with "$system" dev.bleu); do translate_seed "$system" "$place" "$1" "$2"; done
  done
  for group in "${groups[@]}"; do
    arguments=() list=''
    for system in $(systems_of_group "$group"); do
      [[ -e $system/chosen ]] || continue
      list=$(places_with "$system" "$1.hyp" | sed "s,\$,/$1.hyp," | paste -sd ,)
      [[ -z $list ]] || arguments+=("$system=$list")
    done
    # shellcheck disable=SC2046
    [[ ${#arguments[@]} == 0 ]] || compare_group "$group" "$1" "$2" "$3" "${arguments[@]}"
  done
  note_runs
}

# A single system is compared with copies of its own translations, to get its figures as well.
compare_group() { # GROUP TEST SRC REF NAME=FILES...
  local group=$1 test=$2 src=$3 ref=$4 first
  shift 4
  first=${1%%=*}
  [[ $# -gt 1 ]] || set -- "$1" "same=$(copies_of "${1#*=}")"
  # shellcheck disable=SC2046
  phraseq compare "$@" --ref "$(file_of "$first" "$ref")" --src "$(file_of "$first" "$src")" -m bleu chrf ter \
    $(score_options "$first") --bucket-edges "$edges" --bucket-unit "$unit" \
    --train-text "$(file_of "$first" "text/train.$target")" -f json -o "scores/$test.$group.json"
}

copies_of() { # FILE,FILE...
  local file files
  IFS=, read -ra files <<< "$1"
  for file in "${files[@]}"; do
    cp "$file" "$file.copy"
    echo "$file.copy"
  done | paste -sd ,
}

# runs.tsv has what the tables need besides scores, for every seed of the chosen configurations.
note_runs() {
  local system place config
  for system in $(trained_systems); do
    config=$(cat "$system/chosen")
    for place in $(places_with "$system" test.hyp); do
      printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$system" "${place##*/}" "$config" "$(cat "$place/dev.bleu")" \
        "$(parameters_of "$place")" "$(updates_of "$place")" "$(training_seconds "$place")" \
        "$(processor_seconds "$place/test.time")" "$(wc -w < "$place/test.hyp")"
    done
  done > runs.new
  mv runs.new runs.tsv
}

processor_seconds() { # FILE
  awk '{ sum += $2 } END { print sum + 0 }' "$1"
}

# The processor seconds of all processes of a resumed run, without updates that were repeated after a kill, from
# metrics.jsonl. Logs of early runs lack the processor's time; then the time measured from outside is used.
training_seconds() { # PLACE
  local seconds
  seconds=$(awk '
    function number(key) {
      if (!match($0, "\"" key "\": *[0-9.e+-]+")) return 0
      return substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3) + 0
    }
    /"event": *"start"/ { records = before = 0; next }
    /"event": *"resume"/ {
      while (records > 0 && updates[records] > number("updates")) --records
      before = records > 0 ? total[records] : 0
      next
    }
    { updates[++records] = number("updates"); total[records] = before + number("processor") }
    END { print (records > 0 ? total[records] : 0) }' "$1/metrics.jsonl")
  if [[ $seconds == 0 ]]; then processor_seconds "$1/train.time"; else echo "$seconds"; fi
}

updates_of() { # PLACE
  sed -n 's/.*"event": *"valid".*"updates": *\([0-9]*\).*/\1/p' "$1/metrics.jsonl" | tail -n 1
}

# Writes what FUNCTION prints for every trained seed of the systems to scores/FOLDER/SYSTEM.SEED.json. It is called with
# the system, its model, and the file that is written.
report_seeds() { # FOLDER FUNCTION SYSTEM...
  local folder=$1 function=$2 system place to
  shift 2
  mkdir -p "scores/$folder"
  for system; do
    [[ -e $system/chosen ]] || continue
    for place in $(places_with "$system" average.safetensors); do
      to=scores/$folder/$system.${place##*/}.json
      [[ -e $to ]] && continue
      "$function" "$system" "$place/average.safetensors" "$to" > "$to.new"
      mv "$to.new" "$to"
    done
  done
}

# Contrastive evaluation, in scores/NAME.contrastive/SYSTEM.SEED.json.
score_contrastive() { # NAME FILE
  local system chosen_systems=() contrastive_file=$2
  for system in $(trained_systems); do
    [[ $(data_of "$system") != data-bin ]] || chosen_systems+=("$system")
  done
  report_seeds "$1.contrastive" rescore_contrastive "${chosen_systems[@]}"
}

rescore_contrastive() { # SYSTEM MODEL, with the pairs of $contrastive_file
  local overrides=()
  [[ $1 != parse ]] || overrides=(--model-overrides pr-seg=ngram)
  phraseq rescore --path "$2" --contrastive "$contrastive_file" --distance-edges 1,2,3,4,7,11 --json "${overrides[@]}"
}

phrasal_systems=({homogeneous,heterogeneous,interleaved}_{convkv,queryk}{,_tri})

# Compares the n-grams that attention uses with the constituents in the trees of the test set, and draws them.
score_constituents() {
  [[ -e text/test.$source.trees ]] || return 0
  report_seeds constituents analyze_constituents {mean,max,attn,ta}{,_xu,_centered} parse "${phrasal_systems[@]}"
}

analyze_constituents() { # SYSTEM MODEL REPORT
  phraseq analyze constituents --path "$2" --source "text/test.$source" --target "text/test.$target" \
    --trees "text/test.$source.trees" --json --plot "${3%.json}.svg"
}

# The increase of the loss of the test set without each attention head.
score_heads() {
  report_seeds heads analyze_heads base "${phrasal_systems[@]}"
}

analyze_heads() { # SYSTEM MODEL
  phraseq analyze heads --path "$2" --source "text/test.$source" --target "text/test.$target" --json
}

# Draws the first seeds of each paper's systems and of their baselines.
draw_curves() {
  local system paper
  local -A of_paper=()
  rm -f curves-*.svg cost-*.svg
  for system in $(trained_systems); do
    paper=$(paper_of "$system")
    [[ $paper ]] || continue
    [[ " ${of_paper[$paper]:-} " == *" $(baseline_of "$system") "* ]] || of_paper[$paper]+=" $(baseline_of "$system")"
    of_paper[$paper]+=" $system"
  done
  for paper in "${!of_paper[@]}"; do draw_paper "$paper" ${of_paper[$paper]}; done
  ((${#of_paper[@]})) || draw_paper baseline $(trained_systems)
}

# Draws dev BLEU by updates and by processor hours.
draw_paper() { # PAPER SYSTEM...
  local paper=$1 system runs=() labels=()
  for system in "${@:2}"; do
    [[ -e $system/chosen ]] || continue
    runs+=("$(place_of "$system" "$(cat "$system/chosen")" "$first_seed")/metrics.jsonl") labels+=("$system")
  done
  phraseq plot "${runs[@]}" --labels "${labels[@]}" --metrics score --title "Dev BLEU" --output "curves-$paper.svg"
  phraseq plot "${runs[@]}" --labels "${labels[@]}" --metrics score --x processor-hours --title "Dev BLEU and cost" \
    --output "cost-$paper.svg"
}

# Copies the files to be committed to RESULTS/CORPUS. None of them names folders of this machine.
collect() { # RESULTS
  local to=$1/$name system place seed
  rm -rf "${to:?}/scores"
  mkdir -p "$to"
  cp -r runs.tsv leaks.tsv scores manifest.json "$to"
  rm -f "$to"/{curves,cost}-*.svg
  cp {curves,cost}-*.svg "$to"
  rm -f "$to"/scores/*.leaks
  for system in $(trained_systems); do
    rm -rf "${to:?}/$system"
    mkdir -p "$to/$system"
    cp "$system"/{trials.tsv,chosen} "$to/$system"
    for place in $(places_with "$system" test.hyp); do
      seed=$to/$system/${place##*/}
      mkdir -p "$seed"
      cp "$place"/{train.log,train.time,test.time,dev.bleu,metrics.jsonl} "$seed"
      gzip -9n < "$place/test.hyp" > "$seed/test.hyp.gz"
    done
  done
  find "$to" -name '*.json' -exec perl -pi -e '
    BEGIN { %name_of = splice(@ARGV, 0, 6); delete $name_of{""}; @folders = sort { length $b <=> length $a } keys %name_of }
    for my $folder (@folders) { s/\Q$folder\E/$name_of{$folder}/g }
  ' "$data" DATA "$folder" FOLDER "$results" RESULTS {} +
}

# Copies committed results that this folder lacks, so that seeds and systems can be added on another machine. The
# models are not among it: other test sets are translated with those trained here only.
restore() { # RESULTS
  local from=$1/$name system seed place
  for system in "${systems[@]}"; do
    [[ -e $from/$system/chosen && ! -e $system/chosen ]] || continue
    mkdir -p "$system"
    cp "$from/$system"/{trials.tsv,chosen} "$system"
    for seed in "$from/$system"/*/; do
      place=$(place_of "$system" "$(cat "$system/chosen")" "$(basename "$seed")")
      mkdir -p "$place"
      cp "$seed"/*[!z] "$place"
      gzip -dc "$seed/test.hyp.gz" > "$place/test.hyp"
    done
    cp -r "$from/scores" .
  done
}
