#!/usr/bin/env bash
# Writes the generated pages of the documentation, docs/options, from the descriptions in the commands
# and plugins of a build. The test OptionPages fails if the pages are out of date.
#
#   scripts/update_docs.sh [BUILD_FOLDER]        default: build
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
program=$(realpath -m "${1:-$root/build}")/bin/phraseq-plugins
[[ -x $program ]] || { echo "update_docs: error: $program does not exist; build first" >&2; exit 1; }

pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
env -u PHRASEQ_PLUGIN_PATH "$program" options --output "$pages"
rm -f "$root"/docs/options/*.md # including pages of what no longer exists
cp "$pages"/*.md "$root/docs/options/"
