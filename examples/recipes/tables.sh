# Makes the tables of the recipes from the files of a run: scores, times and logs. RECIPE/table.conf defines
#   rows               the names of the rows
#   label ROW          the name of a row in the table
#   parts              the texts that are scored: score-PART.txt
#   published_columns  names of the columns with published figures
#   published SET ROW  their values, separated by |

# BLEU and p of a row, "36.3|0.351"; empty if it was not scored.
score_of() { # FILE ROW
  awk -v row="$2" '
    index($0, "│") {
      parts = split($0, cell, "│")
      if (match(cell[2], /[^ \/]+\/[a-z0-9_]+\.hyp/)) {
        name = substr(cell[2], RSTART, RLENGTH)
        sub(/\/.*/, "", name)
        split(cell[3], value, " ")
        if (name == row) score = value[1]
      }
      if (match(cell[3], /\(p = [0-9.]+\)/) && name == row)
        p = sprintf("%.3f", substr(cell[3], RSTART + 5, RLENGTH - 6))
    }
    /^BLEU\|/ { split($0, halves, " = "); split(halves[2], value, " "); score = value[1] }
    END { if (score != "") print score "|" p }' "$1"
}

# nll of the validation set after the last update.
nll_of() { # LOG
  sed -n "s/.*valid on 'valid'.* nll_loss \([0-9.]*\) .*/\1/p" "$1" | tail -n 1
}

log_of() { # FOLDER ROW
  local file
  for file in "$1/$2.log" "$1/$2/train.log" "$1/train.log"; do
    if [[ -e $file ]]; then echo "$file"; return; fi
  done
}

# Parameters in millions, and times of training and decoding relative to the first row.
times_of() { # FILE ROW
  awk -v row="$2" '$1 == row { printf "%.2fM|%.2f|%.2f\n", $2 / 1e6, $4, $6 }' "$1"
}

header() {
  local part text="| |"
  for part in $parts; do text+=" BLEU, $part | p |"; done
  text+=" nll | parameters | training | decoding |"
  local IFS='|'
  for part in $published_columns; do text+=" $part |"; done
  echo "$text"
  # shellcheck disable=SC2001
  sed 's/[^|]\{1,\}/---/g' <<< "$text"
}

# Whether the file of scores may be that of this row; with a single system, it does not name the row.
is_scored() { # FOLDER ROW PART
  ! grep -q '^BLEU|' "$1/score-$3.txt" || [[ -e $1/$2/$3.hyp || ${#rows[@]} == 1 ]]
}

# The cells of a row; empty if it was not scored.
table_row() { # FOLDER SET ROW
  local part log cells='' score times='||' scored=''
  for part in $parts; do
    score='|'
    if [[ -e $1/score-$part.txt ]] && is_scored "$1" "$3" "$part"; then
      score=$(score_of "$1/score-$part.txt" "$3")
      [[ -z $score ]] || scored=yes
    fi
    cells+="${score:-|}|"
  done
  [[ $scored ]] || return 0
  log=$(log_of "$1" "$3")
  [[ ! -e $1/times.txt ]] || times=$(times_of "$1/times.txt" "$3")
  cells+="$([[ -z $log ]] || nll_of "$log")|${times:-||}|$(published "$2" "$3")"
  echo "| $(label "$3") | ${cells//|/ | } |" | tr -s ' '
}

# The table of one set of results, in Markdown.
print_table() { # FOLDER SET
  local row
  header
  for row in "${rows[@]}"; do table_row "$1" "$2" "$row"; done
}

# The folders with scores below the folder of a run, relative to it.
sets_of_run() { # FOLDER
  (cd "$1" && find . -maxdepth 2 -name 'score-*.txt' -printf '%h\n' | sort -u | sed 's,^\./,,')
}

# The table in a page between "<!-- table SET -->" and the next line that is not a row.
committed_table() { # PAGE SET
  awk -v begin="<!-- table $2 -->" '$0 == begin { inside = 1; next } inside && /^\|/ { print; seen = 1; next } seen { exit }' "$1"
}

# Compares the cells of two tables, or those of a row and a column; prints each, and fails if one differs.
compare_tables() { # SET ROW COLUMN: made table in file 3, committed one in file 4
  awk -F ' *[|] *' -v set="$1" -v row="$2" -v column="$3" '
    FNR == 1 { ++file; columns = NF }
    FNR == 1 && file == 1 { for (i = 2; i < NF; ++i) name[i] = $i }
    FNR == 2 { next }
    { gsub(/\*\*/, "") }
    file == 1 { for (i = 2; i < NF; ++i) made[FNR, i] = $i; lines = FNR; next }
    {
      seen = FNR
      for (i = 2; i < columns || i in name; ++i) {
        if (FNR > 2 && row != "" && $2 != row || column != "" && name[i] != column) continue
        same = $i == made[FNR, i]
        if (!same) ++different
        if (FNR > 2 && i > 2 && (!same || row != "")) {
          printf "%s, %s, %s: README.md %s, results %s: %s\n", set, $2, name[i], $i, made[FNR, i], same ? "equal" : "DIFFERENT"
        } else if (!same) printf "%s, line %d of the table: README.md \"%s\", results \"%s\": DIFFERENT\n", set, FNR, $i, made[FNR, i]
        if (FNR > 2 && i > 2) ++checked
      }
    }
    END {
      if (seen != lines) { printf "%s: README.md has %d lines, results %d: DIFFERENT\n", set, seen, lines; ++different }
      printf "%s: %d cell%s, %d different\n", set, checked, checked == 1 ? "" : "s", different
      exit different > 0 || checked == 0
    }' "$4" "$5"
}

# Compares the tables of RECIPE/README.md with those made from RECIPE/results.
check_tables() { # RECIPE_FOLDER ROW COLUMN
  local set status=0 temporary
  temporary=$(mktemp -d)
  for set in $(sets_of_run "$1/results"); do
    print_table "$1/results/$set" "$set" > "$temporary/made"
    committed_table "$1/README.md" "$set" > "$temporary/committed"
    [[ -s $temporary/committed ]] || { echo "$set: README.md has no table of it" >&2; status=1; continue; }
    compare_tables "$set" "$2" "$3" "$temporary/made" "$temporary/committed" || status=1
  done
  rm -r "$temporary"
  return $status
}
