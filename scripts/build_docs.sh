#!/usr/bin/env bash
# Builds the documentation as a searchable site with MkDocs (Debian package mkdocs, or pip install mkdocs):
#
#   scripts/build_docs.sh [FOLDER]        default: build/site
#
# Open FOLDER/index.html, or serve it: python3 -m http.server --directory FOLDER. Pages and sections are those of
# docs/README.md. A broken link is an error.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
site=$(realpath -m "${1:-$root/build/site}")
command -v mkdocs > /dev/null || {
  echo "build_docs: error: mkdocs is not installed; install it: apt-get install mkdocs, or pip install mkdocs" >&2
  exit 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$root"
# The pages, in folders for which their links are right, and the files to which they link.
git ls-files -co --exclude-standard -- '*.md' docs examples cli/templates scripts tests/bench/results LICENSE |
  while IFS= read -r file; do
    [[ -f $file ]] || continue
    install -D -m 644 "$file" "$work/pages/$file"
  done

# The theme does not wrap the text of cells, which hides long ones.
echo '.wy-table-responsive table td, .wy-table-responsive table th { white-space: normal; }' > "$work/pages/tables.css"

{
  cat << EOF
site_name: phraseq
docs_dir: $work/pages
site_dir: $site
theme: readthedocs
use_directory_urls: false
plugins: [search]
extra_css: [tables.css]
markdown_extensions: [tables, fenced_code, toc]
nav:
  - Overview: README.md
EOF
  # "## Section" and "[Page](target.md)" of docs/README.md; a page is listed once.
  awk '
    /^## / { section = substr($0, 4); gsub(/\047/, "\047\047", section); next }
    section != "" {
      line = $0
      while (match(line, /\[[^]]*\]\([^)#]*\.md\)/)) {
        link = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        title = target = link
        sub(/^\[/, "", title); sub(/\]\(.*/, "", title); gsub(/`/, "", title); gsub(/\047/, "\047\047", title)
        sub(/.*\(/, "", target); sub(/\)$/, "", target)
        target = "docs/" target
        while (match(target, /[^\/]+\/\.\.\//)) target = substr(target, 1, RSTART - 1) substr(target, RSTART + RLENGTH)
        if (seen[target]++) continue
        if (shown != section) { printf "  - \047%s\047:\n", section; shown = section }
        printf "    - \047%s\047: %s\n", title, target
      }
    }' docs/README.md
} > "$work/mkdocs.yml"

mkdocs build --strict --quiet --config-file "$work/mkdocs.yml"
echo "build_docs: $site/index.html"
