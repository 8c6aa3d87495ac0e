#!/usr/bin/env bash
# Parses English text with link-grammar. Writes one bracketed tree per line, as read by phraseq preprocess
# --trees, or an empty line if there is no tree of all words.
#
#   examples/recipes/xu2020/parse.sh TEXT TREES [JOBS]        TEXT plain or .gz; JOBS: all cores
#
# Needs link-parser: apt-get install -y --no-install-recommends link-grammar    (Debian, 5.12.0)
# It parses about 200 sentences per second on a core.
set -euo pipefail

case ${1:-} in -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; exit ;; esac
[[ $# == 2 || $# == 3 ]] || { echo "usage: parse.sh TEXT TREES [JOBS]" >&2; exit 2; }
command -v link-parser >/dev/null ||
  { echo "parse: error: link-parser is missing: apt-get install --no-install-recommends link-grammar" >&2; exit 1; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
trees=$2
jobs=${3:-$(nproc)}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [[ $1 == *.gz ]]; then gzip -dc "$1"; else cat "$1"; fi > "$work/text"

# The sentences for the parser, as "NUMBER<TAB>sentence". The parser treats an empty line, "!" and "%" as
# commands, and accepts at most 254 tokens.
LC_ALL=C awk '{ gsub(/\302\240|[ \t\r]+/, " "); gsub(/ +/, " "); sub(/^ /, ""); sub(/ $/, "") }
  NF && NF <= 200 && !/^[!%]/ { print NR "\t" $0 }' "$work/text" > "$work/sentences"
split -n "l/$jobs" "$work/sentences" "$work/part."

parse() {
  cut -f2- "$1" |
    LC_ALL=C.UTF-8 link-parser en -constituents=3 -graphics=0 -null=1 -limit=100 -timeout=10 -verbosity=0 -echo=1 \
      2>"$1.log" > "$1.raw" || { cat "$1.log" >&2; return 1; }
  LC_ALL=C awk -f "$here/link_trees.awk" "$1" "$1.raw" > "$1.trees"
}

running=()
for part in "$work"/part.??; do parse "$part" & running+=($!); done
for process in "${running[@]}"; do wait "$process"; done

# Puts "NUMBER<TAB>tree" of the sentences that have one back among all lines.
cat "$work"/part.??.trees |
  LC_ALL=C awk -F '\t' 'NR == FNR { tree[$1] = $2; next } { print tree[FNR] }' - "$work/text" > "$trees.new"
mv "$trees.new" "$trees"
awk '{ parsed += NF > 0 } END { print "parse: " parsed " trees for " NR " sentences" }' "$trees" >&2
