# Two files of lohelp_paragraphs.awk, target language first → FOLDER/{train,dev,test}.{SOURCE,TARGET}.
#   awk -v folder=F -v source=en -v target=de -f lohelp_pairs.awk target.tsv source.tsv
#
# Whole pages go to one part: of every 40 pages number 7 is dev and number 27 is test. A source text
# is used once, so no dev or test text occurs in train.

BEGIN {
  FS = "\t"
  shortest = target == "zh" ? 0.2 : 0.4  # bytes of the target, a byte of the source
  longest = target == "de" ? 2.5 : 3
}

NR == FNR { translation[$1, $2] = $3; next }

$1 != page { page = $1; ++pages }
(($1, $2) in translation) && !($3 in seen) && is_pair($3, translation[$1, $2]) {
  seen[$3] = 1
  part = pages % 40 == 7 ? "dev" : pages % 40 == 27 ? "test" : "train"
  print $3 > (folder "/" part "." source)
  print translation[$1, $2] > (folder "/" part "." target)
}

# Running text of 3 to 80 words (strings without whitespace), really translated, neither side much
# longer than the other.
function is_pair(text, other,   words) {
  words = split(text, unused, " ")
  return text != other && words >= 3 && words <= 80 &&
         length(other) >= shortest * length(text) && length(other) <= longest * length(text) &&
         (source != "en" || text ~ /[A-Za-z][a-z]+[ ,]+[A-Za-z]/) &&
         is_translated(text, source) && is_translated(other, target)
}

# Paragraphs that nobody has translated are still English: they have no letter beyond ASCII (what begins
# with byte 342 is punctuation).
function is_translated(text, language) {
  return (language != "vi" && language != "zh") || text ~ /[\303-\341\343-\377]/
}
