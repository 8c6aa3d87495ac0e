# link_trees.awk SENTENCES OUTPUT: clean trees from link-parser's output (-constituents=3 -echo=1).
#
# SENTENCES are "NUMBER<TAB>sentence"; OUTPUT repeats each sentence and gives its tree below it. Printed
# is "NUMBER<TAB>tree" for each sentence whose words are all in the tree. The parser changes words:
# it lowercases some, appends subscripts (dog.n), marks guesses (tae{?}.a) and unlinked words ({the}),
# and writes { } for every bracket of the text. So each leaf is looked up in the sentence, and written as
# it stands there.

# For comparing, a byte for a byte: no upper case, one kind of brackets, letters beyond ASCII all alike.
function plain(text) {
  text = tolower(text)
  gsub(/[(\[]/, "{", text)
  gsub(/[])]/, "}", text)
  gsub(/[\200-\377]/, "\377", text)
  return text
}

function continues_with(word) {
  return word != "" && substr(sentence_plain, position, length(word)) == plain(word)
}

# The leaf's word as the sentence has it, "" when it is not there.
function spelled(word,    text) {
  gsub(/[{][!?~&]+[}]/, "", word)
  if (word ~ /^[{].+[}]$/) word = substr(word, 2, length(word) - 2)
  if (!continues_with(word)) sub(/[.](#.*|misc-[a-z]+|[a-z][a-z]?(-[a-z]+)*)$/, "", word)
  if (!continues_with(word)) return ""
  text = substr(sentence, position, length(word))
  position += length(word)
  gsub(/[(]/, " -LRB- ", text)
  gsub(/[)]/, " -RRB- ", text)
  sub(/^ /, "", text)
  sub(/ $/, "", text)
  return text
}

# The tree with the sentence's own words, "" when they differ.
function clean(tree,    result, word) {
  sentence_plain = plain(sentence)
  position = 1
  while (tree != "") {
    if (match(tree, /^\([^ ()]*|^[ )]/)) {
      result = result substr(tree, 1, RLENGTH)
    } else {
      match(tree, /^[^ ()]+/)
      word = spelled(substr(tree, 1, RLENGTH))
      if (word == "") return ""
      result = result word
    }
    tree = substr(tree, RLENGTH + 1)
  }
  return position > length(sentence) ? result : ""
}

NR == FNR {
  place = index($0, "\t")
  number[NR] = substr($0, 1, place - 1)
  line[NR] = substr($0, place + 1)
  next
}
$0 == line[current + 1] { ++current; waiting = 1; next }
/^\(/ && waiting {
  waiting = 0
  sentence = line[current]
  gsub(/ /, "", sentence)
  tree = clean($0)
  if (tree != "") print number[current] "\t" tree
}
