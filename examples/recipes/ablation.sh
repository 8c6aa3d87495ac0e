# Code that the recipes share: each row is a model in a folder of its own; all are trained under one budget,
# translate, and are compared with the first. Source it from the folder with text/; phraseq must be on the PATH.
export LC_ALL=C.UTF-8 # awk and time read and write decimal points in every language
shopt -s inherit_errexit # $(...) also stops at a failing command, so that a failed training is not used

# Stops a recipe before any training if one of the chosen rows is unknown.
check_rows() { # "KNOWN..." CHOSEN...
  local known=$1 row
  shift
  [[ $# -ge 1 ]] || { echo "run.sh: error: no row was chosen; known: $known" >&2; exit 2; }
  for row; do
    [[ " $known " == *" $row "* ]] || { echo "run.sh: error: there is no row '$row'; known: $known" >&2; exit 2; }
  done
}

# The number of updates between checkpoints, for COUNT checkpoints in a run of UPDATES.
save_interval() { # UPDATES COUNT
  echo $(($1 > $2 ? $1 / $2 : 1))
}

# Averages the newest COUNT checkpoints of a kind (epoch or update). A short run has fewer of them: it
# averages those, or takes its last checkpoint.
average_newest() { # FOLDER KIND COUNT OUTPUT
  local folder=$1 kind=$2 count=$3 output=$4 pattern='checkpoint[0-9]+' found
  [[ $kind == epoch ]] || pattern='checkpoint_[0-9]+_[0-9]+'
  found=$(find "$folder/" -maxdepth 1 -type f | grep -Ec "/$pattern\.safetensors\$" || true)
  if ((found < count)); then echo "run.sh: $found $kind checkpoints in $folder, not $count" >&2; fi
  if ((found > 0)); then
    phraseq average --inputs "$folder" "--num-$kind-checkpoints" $((found < count ? found : count)) --output "$output"
  else
    phraseq average --inputs "$folder/checkpoint_last" --output "$output"
  fi
}

# Copies the first of the files that exists in FOLDER, plain or .gz, to text/NAME; fails if none exists.
take_text() { # FOLDER NAME FILE...
  local folder=$1 to=text/$2 from
  shift 2
  for from; do
    if [[ -e $folder/$from ]]; then cp "$folder/$from" "$to"; return; fi
    if [[ -e $folder/$from.gz ]]; then gzip -dc "$folder/$from.gz" > "$to"; return; fi
  done
  return 1
}

# The same, with an error that names the missing files.
need_text() { # FOLDER NAME FILE...
  take_text "$@" || { echo "run.sh: error: $1 has no ${*:3}, plain or .gz" >&2; exit 2; }
}

# Every call of phraseq is recorded in commands.txt.
phraseq() {
  { printf '%q ' phraseq "$@"; echo; } >> commands.txt
  command phraseq "$@"
}

# Runs a command; adds a line with seconds of the clock and of the processor to NAME.time.
timed() { # NAME COMMAND...
  local name=$1 TIMEFORMAT='%R %U'
  shift
  { time "$@" 2>&3 3>&-; } 3>&2 2>> "$name.time"
}

# Runs a command, shows all that it prints, and appends it to a log, which is complete when this returns.
logged() { # LOG COMMAND...
  local log=$1
  shift
  "$@" 2>&1 | tee --append --ignore-interrupts "$log" >&2
}

# Trains ROW/checkpoints, or continues the training, and averages its newest checkpoints according to $average.
average=(update 5)
train_row() { # ROW DATA OPTION...
  local row=$1 data=$2
  shift 2
  mkdir -p "$row"
  logged "$row/train.log" timed "$row/train" phraseq train "$data" --save-dir "$row/checkpoints" --seed 1 \
    --clip-norm 0.0 --precision fp32 "$@"
  average_newest "$row/checkpoints" "${average[@]}" "$row/average.safetensors"
}

# Translates a text with the average of a row into ROW/PART.hyp.
translate_row() { # ROW PART SOURCE OPTION...
  local row=$1 part=$2 source=$3
  shift 3
  timed "$row/$part" phraseq generate --path "$row/average.safetensors" "$@" < "$source" > "$row/$part.new"
  mv "$row/$part.new" "$row/$part.hyp"
}

# The given rows that have translated a part.
rows_with() { # FOLDER PART ROW...
  local folder=$1 part=$2 row
  shift 2
  for row; do [[ ! -e $folder/$row/$part.hyp ]] || echo "$folder/$row"; done
}

# Writes BLEU of the rows in a folder to FOLDER/score-PART.txt; two rows or more are compared with the first by paired
# bootstrap resampling. Does nothing if no row has translated the part, or if it has no sentences.
score_rows() { # FOLDER PART REFERENCE TOKENIZER ROW...
  local folder=$1 part=$2 reference=$3 tokenizer=$4 rows paired=()
  shift 4
  mapfile -t rows < <(rows_with "$folder" "$part" "$@")
  if [[ ${#rows[@]} == 0 || ! -s $reference ]]; then echo "run.sh: nothing to score of $part" >&2; return; fi
  if [[ ${#rows[@]} -gt 1 ]]; then paired=(--paired-bs); fi
  phraseq score "$reference" -i "${rows[@]/%//$part.hyp}" -tok "$tokenizer" "${paired[@]}" --format text |
    tee "$folder/score-$part.txt"
}

# Writes parameters and times of a folder's rows, absolute and relative to the first, to FOLDER/times.txt. Times are
# those of the processor, so that they can be compared even if the machine did other work.
time_rows() { # FOLDER PART ROW...
  local folder=$1 part=$2 row rows
  mapfile -t rows < <(rows_with "$@")
  for row in "${rows[@]}"; do
    echo "${row#"$folder/"} $(sed -n '/.*: \([0-9]*\) parameters.*/{s//\1/p;q}' "$row/train.log")" \
      "$(awk '{ sum += $2 } END { print sum }' "$row/train.time") $(tail -n 1 "$row/$part.time" | cut -d ' ' -f 2)"
  done | awk 'NR == 1 { train = $3; generate = $4; print "row parameters train ratio generate ratio" }
    { printf "%s %d %.0f %.2f %.1f %.2f\n", $1, $2, $3, train ? $3 / train : 0, $4, generate ? $4 / generate : 0 }' |
    tee "$folder/times.txt"
}
