# LibreOffice help pages (HTML) → one line a paragraph or heading: page, id, text; tab-separated.
# The id is the same in every language, which is what makes the pages a parallel corpus.
# Run with LC_ALL=C: the text is UTF-8, but bytes are all that is looked at.

BEGIN { RS = "</(p|h[1-6])>"; OFS = "\t" }

!match($0, /<(p|h[1-6]) id="(par|hd)_id[^"]*"[^>]*>/) { next }
/class="(WRITER|CALC|IMPRESS|DRAW|CHART|MATH)"/ { next }  # several wordings, one a program

{
  id = substr($0, RSTART, RLENGTH)
  sub(/^.* id="/, "", id)
  sub(/".*/, "", id)
  text = plain_text(substr($0, RSTART + RLENGTH))
  if (text != "") print FILENAME, id, text
}

# Tags away, entities resolved (the ampersand last), whitespace to single spaces.
function plain_text(html) {
  gsub(/class="(MAC|WIN)">(<[^>]*>)*[^<]*/, ">", html)  # a key has two names; one stays
  gsub(/<[^>]*>/, "", html)
  gsub(/&nbsp;/, " ", html)
  gsub(/&lt;/, "<", html)
  gsub(/&gt;/, ">", html)
  gsub(/&quot;/, "\"", html)
  gsub(/&#39;|&apos;/, "\047", html)
  gsub(/&amp;/, "\\&", html)
  gsub(/\302\240/, " ", html)  # no-break space
  gsub(/[ \t\r\n]+/, " ", html)
  sub(/^ /, "", html)
  sub(/ $/, "", html)
  return html
}
