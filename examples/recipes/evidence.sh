#!/usr/bin/env bash
# Trains systems to convergence with several seeds, and makes the tables of docs/evidence.md; protocol.md has the rules.
#
#   evidence.sh CORPUS... [SETTING...] [-- OPTION...]
#       Prepares the corpora, finds the configurations on dev, trains every system with every seed until patience ends
#       it, translates the test set and scores it. A second run continues where it was stopped. OPTIONs go to
#       phraseq train.
#
#       --data DIR              folder of the corpora (default: $PHRASEQ_DATA)
#       --folder DIR            folder for all files that are made (default: evidence-run)
#       --systems "SYSTEM..."   only these systems
#       --seeds "SEED..."       default: 1 2 3
#       --size tiny|base        default: tiny
#       --trials N              at most N trials of a system after the first (default: 8)
#       --patience N            validations without a higher BLEU, and number of averaged checkpoints (default: 10)
#       --interval N            updates between validations (default: 500; 150 with 5,000 pairs)
#       --updates N             at most N updates of a training run (default: 200000)
#       --test NAME SRC REF     scores another test set with the trained systems, without training
#       --contrastive NAME TSV  evaluates a contrastive set with the trained systems, without training
#       --subwords N            size of the subword vocabulary (default: 10000; 32000 for base)
#       --results DIR           also copies the logs to commit there; seeds that DIR already has are not trained again
#
#   evidence.sh --report [RESULTS [PAGE]]   writes the tables of the committed logs into docs/evidence.md
#   evidence.sh --check [RESULTS [PAGE]]    compares them
#   evidence.sh --list                      corpora and systems
#
# CORPUS: a name in --list, or NAME=SRC-TGT:FOLDER[,FOLDER...]. phraseq must be on the PATH, or built in build/. The
# system "fairseq" needs fairseq-train, or another command in FAIRSEQ_TRAIN.
set -euo pipefail

recipes=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
here=$recipes
root=$(cd "$recipes/../.." && pwd)
PATH=$root/build/bin:$PATH
fail() { echo "evidence.sh: error: $1" >&2; exit 2; }
source "$recipes/ablation.sh"
source "$recipes/manifest.sh"
for part in corpora systems steps; do source "$recipes/evidence/$part.sh"; done

report() { # MODE [RESULTS [PAGE]]
  local label labels
  labels=$(for system in "${systems[@]}"; do printf '%s\t%s\t%s\n' "$system" "$(group_of "$system")" "$(label_of "$system")"; done)
  perl "$recipes/evidence/report.pl" "$1" "${2:-$recipes/evidence/results}" "${3:-$root/docs/evidence.md}" <<< "$labels"
}

list() {
  local group
  echo "corpora: ${known_corpora[*]}"
  for group in "${groups[@]}"; do echo "$group: $(systems_of_group "$group")"; done
}

run_corpus() { # CORPUS
  local system set
  define_corpus "$1"
  mkdir -p "$folder/$name"
  cd "$folder/$name"
  if [[ $results ]]; then restore "$results"; fi
  if [[ $only ]]; then
    [[ -n $(trained_systems) ]] || fail "nothing has been trained in $folder/$name"
  else
    write_manifest . running
    prepare
    for system in "${chosen[@]}"; do train_system "$system"; done
    [[ -n $(trained_systems) ]] || fail "$name: none of the systems can be trained with this corpus"
    score_test test "text/test.$source" "text/test.$target"
    for set in "$data"/sva/*.tsv.gz; do
      if [[ $source-$target == en-de && -e $set ]]; then score_contrastive "$(basename "$set" .tsv.gz)" "$set"; fi
    done
    score_constituents
    score_heads
    draw_curves
  fi
  if [[ ${test_set[*]} ]]; then score_test "${test_set[@]}"; fi
  if [[ ${contrastive_set[*]} ]]; then score_contrastive "${contrastive_set[@]}"; fi
  write_manifest . finished
  if [[ $results ]]; then collect "$results"; fi
}

case ${1:-} in
  --report | --check) mode=${1#--}; shift; report "$mode" "$@"; exit ;;
  --list) list; exit ;;
  -h | --help | "") sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; exit ;;
esac

command=("evidence.sh" "$@")
recipe=evidence data=${PHRASEQ_DATA:+$(realpath -m "$PHRASEQ_DATA")} folder=evidence-run chosen=("${systems[@]}") seeds=(1 2 3) size=tiny
fairseq_train=${FAIRSEQ_TRAIN:-fairseq-train}
trials=8 patience=10 interval='' most=200000 subwords='' results='' only='' corpora=() test_set=() contrastive_set=() more=()
while (($#)); do
  case $1 in
    --test) (($# > 3)) || fail "$1 needs NAME SRC REF" ;;
    --contrastive) (($# > 2)) || fail "$1 needs NAME TSV" ;;
    --?*) (($# > 1)) || fail "$1 needs a value" ;;
  esac
  case $1 in
    --data) data=$(cd "$2" && pwd); shift ;;
    --folder) folder=$2; shift ;;
    --systems) read -ra chosen <<< "$2"; shift ;;
    --seeds) read -ra seeds <<< "$2"; shift ;;
    --size) size=$2; shift ;;
    --trials) trials=$2; shift ;;
    --patience) patience=$2; shift ;;
    --interval) interval=$2; shift ;;
    --updates) most=$2; shift ;;
    --subwords) subwords=$2; shift ;;
    --results) mkdir -p "$2"; results=$(cd "$2" && pwd); shift ;;
    --test) test_set=("$2" "$(realpath "$3")" "$(realpath "$4")") only=yes; shift 3 ;;
    --contrastive) contrastive_set=("$2" "$(realpath "$3")") only=yes; shift 2 ;;
    --) shift; more=("$@"); break ;;
    -*) fail "there is no setting $1; options of phraseq train go after --" ;;
    *) corpora+=("$1") ;;
  esac
  shift
done
[[ ${#corpora[@]} -gt 0 ]] || fail "name a corpus; known: ${known_corpora[*]}"
for system in "${chosen[@]}"; do
  [[ " ${systems[*]} " == *" $system "* ]] || fail "there is no system '$system'; known: ${systems[*]}"
done
for number in "$patience" "${interval:-1}" "$most" "${subwords:-1}" "${seeds[@]}"; do
  [[ $number =~ ^[1-9][0-9]*$ ]] || fail "'$number' is not a number"
done
[[ $trials =~ ^[0-9]+$ ]] || fail "'$trials' is not a number of trials"
first_seed=${seeds[0]}
use_size "$size"
pieces=${subwords:-$pieces}
for corpus in "${corpora[@]}"; do (define_corpus "$corpus"); done
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
# A control takes the size of a system that is trained before it; baselines come first.
ordered=()
for system in "${chosen[@]}"; do [[ $system == wide_* ]] || ordered+=("$system"); done
for system in "${chosen[@]}"; do [[ $system != wide_* ]] || ordered+=("$system"); done
chosen=("${ordered[@]}")
for corpus in "${corpora[@]}"; do (run_corpus "$corpus"); done
