# The corpora of protocol.md. `define_corpus NAME` sets
#   source, target    its languages
#   from              the folders that are joined, each with train, dev and test (tang2016/run.sh)
#   pairs             how many of the first training pairs are used; empty: all
#   every             updates between validations
#   words             yes: the corpus is also prepared as words, for the models with a phrase memory
#   vocabulary        the number of words that these models know; fewer with few pairs, so that some are unknown
#   tokenizer         the tokenizer of BLEU
#   unit, edges       those of the length buckets

known_corpora=(multi30k-en-de multi30k-de-en multi30k-5k-en-de help-en-de help-zh-vi help-5k-zh-en zh-en en-vi)

# A corpus of your own is NAME=SRC-TGT:FOLDER[,FOLDER...].
define_corpus() { # NAME
  local own='^([A-Za-z0-9_.-]+)=([a-z]+)-([a-z]+):(.+)$'
  name=$1 words='' pairs='' from=()
  case $1 in
    multi30k-en-de) source=en target=de from=("$data/multi30k") ;;
    multi30k-de-en) source=de target=en from=("$data/multi30k") ;;
    multi30k-5k-en-de) source=en target=de pairs=5000 from=("$data/multi30k") ;;
    help-en-de) source=en target=de from=("$data/lohelp/en-de" "$data/l10n/en-de") ;;
    help-zh-vi) source=zh target=vi from=("$data/lohelp/vi-zh" "$data/l10n/vi-zh") ;;
    help-5k-zh-en) source=zh target=en words=yes pairs=5000 from=("$data/lohelp/en-zh") ;;
    zh-en) source=zh target=en words=yes from=("$data/3am" "$data/tatoeba-en-zh" "$data/lohelp/en-zh") ;;
    en-vi) source=en target=vi from=("$data/en-vi") ;;
    *)
      [[ $1 =~ $own ]] || fail "there is no corpus '$1'; known: ${known_corpora[*]}; or NAME=SRC-TGT:FOLDER[,FOLDER...]"
      name=${BASH_REMATCH[1]} source=${BASH_REMATCH[2]} target=${BASH_REMATCH[3]}
      IFS=, read -ra from <<< "${BASH_REMATCH[4]}"
      [[ $source-$target != zh-en ]] || words=yes ;;
  esac
  every=${interval:-$([[ $pairs ]] && echo 150 || echo 500)}
  [[ -z $pairs || $size != tiny ]] || vocabulary=2000
  tokenizer=13a unit=words edges=15,30,45
  [[ $target != zh ]] || tokenizer=zh
  [[ $source != zh ]] || unit=characters
  local i
  for i in "${!from[@]}"; do
    [[ -d ${from[i]} ]] || fail "corpus '$name': ${from[i]} is not a folder; --data names the folder of the corpora"
    from[i]=$(cd "${from[i]}" && pwd)
  done
}

# The files of one part of a folder, without .gz. train: all that begin with train.
files_of_part() { # FOLDER PART LANGUAGE
  local file
  case $2 in
    train) set -- "$1"/train.{"$3",*".$3"}{,.gz} ;;
    dev) set -- "$1"/{dev,val,*-dev}".$3"{,.gz} ;;
    test) set -- "$1"/{test,test_2016_flickr}".$3"{,.gz} ;;
  esac
  for file; do [[ ! -e $file ]] || echo "$file"; done | sort -u
}

# One part of all folders. If a folder has no test set, every other line of its dev is its test set.
gather() { # PART LANGUAGE
  local folder part file files
  for folder in "${from[@]}"; do
    part=$1
    if [[ $1 != train && -z $(files_of_part "$folder" test "$2") ]]; then part=dev; fi
    mapfile -t files < <(files_of_part "$folder" "$part" "$2")
    [[ ${#files[@]} -gt 0 ]] || fail "$folder has no $part text in $2"
    for file in "${files[@]}"; do
      if [[ $file == *.gz ]]; then gzip -dc "$file"; else cat "$file"; fi
    done | if [[ $part == "$1" && ($1 != dev || -n $(files_of_part "$folder" test "$2")) ]]; then cat; else
      awk -v rest="$([[ $1 == test ]] && echo 0 || echo 1)" 'NR % 2 == rest'
    fi
  done
}

# The whole standard input, or as many of its lines as the part may have.
limited() { # PART
  if [[ $1 == train && $pairs ]]; then sed -n "1,${pairs}p"; else cat; fi
}

# Parse trees of the source: TREES/PART.SRC.trees next to a single folder's text, or those of Multi30k.
gather_trees() {
  local part parsed=$data/trees/link-grammar/multi30k
  if [[ ${#from[@]} == 1 && -e ${from[0]}/train.$source.trees ]]; then
    for part in train dev test; do cp "${from[0]}/$part.$source.trees" "text/$part.$source.trees"; done
  elif [[ $name == multi30k-*en-de && -e $parsed-train.nullcount-tree.tsv.gz ]]; then
    gzip -dc "$parsed-train.nullcount-tree.tsv.gz" | cut -f 2 | limited train > "text/train.$source.trees"
    gzip -dc "$parsed-val.nullcount-tree.tsv.gz" | cut -f 2 > "text/dev.$source.trees"
    gzip -dc "$parsed-test_2016_flickr.nullcount-tree.tsv.gz" | cut -f 2 > "text/test.$source.trees"
  fi
}

# Prints how many pairs of a test set share the source, the target or both with a training pair, ignoring case and
# everything except letters and digits. Writes the numbers of the lines that share something to LINES.
check_leaks() { # TEST SRC REF LINES
  awk -v name="$1" -v lines="$4" '
    function plain(text) { text = tolower(text); gsub(/[[:space:][:punct:]]/, "", text); return text }
    FNR == 1 { ++file }
    file == 1 { left[FNR] = plain($0); if (left[FNR] != "") sources[left[FNR]]; next }
    file == 2 { right = plain($0); if (right != "") targets[right]; pairs[left[FNR] "\t" right]; next }
    file == 3 { test[FNR] = plain($0); next }
    { right = plain($0); ++count
      source = test[FNR] in sources; target = right in targets
      if (source) ++both["source"]; if (target) ++both["target"]
      if ((test[FNR] "\t" right) in pairs) ++both["pair"]
      if (source || target) print FNR > lines }
    END { printf "%s\t%d\t%d\t%d\t%d\n", name, count, both["source"], both["target"], both["pair"] }
  ' "text/train.$source" "text/train.$target" "$2" "$3"
}
