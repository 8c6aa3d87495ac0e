#!/usr/bin/env bash
# Reproduces the tables of a recipe's README.md, with published and new results side by side, and checks them.
#
#   reproduce.sh RECIPE [SETTING...] [CORPUS...] [-- OPTION...]
#       Runs the recipe as its README.md states and prints the table; FOLDER/table.md and FOLDER/manifest.json hold
#       the table and how it was made. A second run continues where it was stopped. OPTIONs go to phraseq train.
#
#       --folder FOLDER     folder for all files that are made (default: RECIPE-run)
#       --rows "ROW..."     only these rows
#       --updates N         another number of updates
#       --epochs N          at most N epochs
#
#   reproduce.sh --check RECIPE [ROW [COLUMN]]
#       Compares the cells of the README's tables with the committed logs and scores. Without ROW, all of them.
#
#   reproduce.sh --list     the recipes and their rows
#
#   reproduce.sh evidence ARGUMENT...
#       evidence.sh: systems trained to convergence with several seeds (protocol.md)
#
# CORPUS: the folders that RECIPE/run.sh reads. phraseq must be on the PATH, or built in build/.
set -euo pipefail
export LC_ALL=C.UTF-8 # decimal points in numbers in every language

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
PATH=$root/build/bin:$PATH
source "$here/tables.sh"
source "$here/manifest.sh"

fail() { echo "reproduce.sh: error: $1" >&2; exit 2; }

recipes() { (cd "$here" && for table in */table.conf; do dirname "$table"; done); }

# Reads the settings of the recipe's README.md from RECIPE/table.conf.
load() { # RECIPE
  [[ -e $here/$1/table.conf ]] || fail "there is no recipe '$1'; known: $(recipes | tr '\n' ' ')"
  recipe=$1
  source "$here/$1/table.conf"
}

list() {
  local name
  for name in $(recipes); do
    (load "$name"; echo "$name: ${rows[*]}")
  done
}

# Runs the recipe's script with the settings of its README.md and the given ones.
run_recipe() {
  local environment=("${settings[@]}") options=("${train_options[@]}")
  [[ -z $chosen ]] || environment+=("$rows_variable=$chosen")
  if [[ -n $updates ]]; then
    if [[ $updates_variable ]]; then environment+=("$updates_variable=$updates"); else options+=(--max-update "$updates"); fi
  fi
  [[ -z $epochs ]] || options+=(--max-epoch "$epochs")
  options+=("${more[@]}")
  if [[ $corpus_first == yes ]]; then
    command=(env "${environment[@]}" "$here/$recipe/run.sh" "${corpora[0]}" "$folder" "${options[@]}")
  else
    command=(env "${environment[@]}" "OPTIONS=${options[*]}" "$here/$recipe/run.sh" "$folder" "${corpora[@]}")
  fi
  write_manifest "$folder" running
  "${command[@]}" >&2
}

reproduce() {
  local set
  [[ ${#corpora[@]} -ge 1 || $corpus_first != yes ]] || fail "$recipe needs the folder of its corpus"
  mkdir -p "$folder"
  folder=$(cd "$folder" && pwd)
  run_recipe
  for set in $(sets_of_run "$folder"); do
    print_table "$folder/$set" "$set"
    echo
  done | tee "$folder/table.md"
  write_manifest "$folder" finished
}

case ${1:-} in
  evidence) shift; exec "$here/evidence.sh" "$@" ;;
  --list) list; exit ;;
  --check)
    [[ $# -ge 2 ]] || fail "--check needs a recipe; known: $(recipes | tr '\n' ' ')"
    load "$2"
    check_tables "$here/$2" "${3:-}" "${4:-}"
    exit ;;
  -h | --help | "") sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; exit ;;
esac

load "$1"
shift
folder=$recipe-run chosen='' updates='' epochs='' corpora=() more=()
while (($#)); do
  case $1 in
    --folder | --rows | --updates | --epochs) (($# > 1)) || fail "$1 needs a value" ;;&
    --folder) folder=$2; shift ;;
    --rows) chosen=$2; shift ;;
    --updates) updates=$2; shift ;;
    --epochs) epochs=$2; shift ;;
    --) shift; more=("$@"); break ;;
    -*) fail "there is no setting $1; options of phraseq train go after --" ;;
    *) [[ -d $1 ]] || fail "$1 is not a folder"; corpora+=("$(cd "$1" && pwd)") ;;
  esac
  shift
done
for row in $chosen; do
  [[ " ${rows[*]} " == *" $row "* ]] || fail "$recipe has no row '$row'; known: ${rows[*]}"
done
for number in $updates $epochs; do
  [[ $number =~ ^[1-9][0-9]*$ ]] || fail "'$number' is not a number of updates or epochs"
done
reproduce
