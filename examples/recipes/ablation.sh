# What the recipes that compare models share: rows, each a model in a folder of its own, trained under one
# budget, translated with, and set beside the first. Source it from the folder that holds text/; phraseq
# must be on the PATH.

# Copies the first of the files that FOLDER holds, plain or .gz, to text/NAME; fails when there is none.
take_text() { # FOLDER NAME FILE...
  local folder=$1 to=text/$2 from
  shift 2
  for from; do
    if [[ -e $folder/$from ]]; then cp "$folder/$from" "$to"; return; fi
    if [[ -e $folder/$from.gz ]]; then gzip -dc "$folder/$from.gz" > "$to"; return; fi
  done
  return 1
}

# Runs a command; NAME.time gets a line "seconds of the clock, seconds of the processor".
timed() { # NAME COMMAND...
  local name=$1 TIMEFORMAT='%R %U'
  shift
  { time "$@" 2>&3 3>&-; } 3>&2 2>> "$name.time"
}

# Trains ROW/checkpoints, from where it stopped, and averages its newest checkpoints as $average says.
average=(--num-update-checkpoints 5)
train_row() { # ROW DATA OPTION...
  local row=$1 data=$2
  shift 2
  mkdir -p "$row"
  timed "$row/train" phraseq train "$data" --save-dir "$row/checkpoints" --seed 1 "$@" 2> >(tee -a "$row/train.log" >&2)
  phraseq average --inputs "$row/checkpoints" "${average[@]}" --output "$row/average.safetensors"
}

# Translates a text with a row's average: ROW/PART.hyp.
translate_row() { # ROW PART SOURCE OPTION...
  local row=$1 part=$2 source=$3
  shift 3
  timed "$row/$part" phraseq generate --path "$row/average.safetensors" "$@" < "$source" > "$row/$part.new"
  mv "$row/$part.new" "$row/$part.hyp"
}

# The rows, of those given, that have translated a part.
rows_with() { # FOLDER PART ROW...
  local folder=$1 part=$2 row
  shift 2
  for row; do [[ ! -e $folder/$row/$part.hyp ]] || echo "$folder/$row"; done
}

# BLEU of a folder's rows, with paired bootstrap resampling against the first: FOLDER/score-PART.txt.
score_rows() { # FOLDER PART REFERENCE TOKENIZER ROW...
  local folder=$1 part=$2 reference=$3 tokenizer=$4 rows
  shift 4
  mapfile -t rows < <(rows_with "$folder" "$part" "$@")
  phraseq score "$reference" -i "${rows[@]/%//$part.hyp}" -tok "$tokenizer" --paired-bs --format text |
    tee "$folder/score-$part.txt"
}

# Parameters and times of a folder's rows beside the first's: FOLDER/times.txt. Times are the processor's, so
# that they can be compared although the machine did other work.
time_rows() { # FOLDER PART ROW...
  local folder=$1 part=$2 row rows
  mapfile -t rows < <(rows_with "$@")
  for row in "${rows[@]}"; do
    echo "${row#"$folder/"} $(sed -n 's/.*: \([0-9]*\) parameters.*/\1/p' "$row/train.log" | head -n 1)" \
      "$(awk '{ sum += $2 } END { print sum }' "$row/train.time") $(tail -n 1 "$row/$part.time" | cut -d ' ' -f 2)"
  done | awk 'NR == 1 { train = $3; generate = $4; print "row parameters train ratio generate ratio" }
    { printf "%s %d %.0f %.2f %.1f %.2f\n", $1, $2, $3, $3 / train, $4, $4 / generate }' | tee "$folder/times.txt"
}
