#!/usr/bin/env bash
# Makes an English-German corpus (about 25,500 training pairs) from LibreOffice's help in two Debian
# packages: 5 MB are downloaded, nothing is installed. The texts are under the MPL-2.0.
#
#   derive_lohelp.sh FOLDER      writes FOLDER/{train,dev,test}.{en,de}
set -euo pipefail

[[ $# == 1 ]] || { echo "usage: derive_lohelp.sh FOLDER" >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
readonly packages=(libreoffice-help-en-us libreoffice-help-de)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"  # apt downloads as a user of its own
cd "$work"

download() { apt-get download "${packages[@]}" >apt.log 2>&1; }
if ! download; then  # no package lists, or old ones
  as_root=()
  ((EUID == 0)) || as_root=(sudo)
  "${as_root[@]}" apt-get update >apt.log 2>&1 && download ||
    { cat apt.log >&2; echo "derive_lohelp: error: could not download ${packages[*]}" >&2; exit 1; }
fi
for package in libreoffice-help-*.deb; do
  dpkg-deb --fsys-tarfile "$package" | tar -x ./usr/share/libreoffice/help
done

export LC_ALL=C
for language in en-US de; do
  (cd "usr/share/libreoffice/help/$language" && find text -name '*.html' | sort |
    xargs awk -f "$here/lohelp_paragraphs.awk") > "$language.tsv"
done
awk -v folder="$work" -v source=en -v target=de -f "$here/lohelp_pairs.awk" de.tsv en-US.tsv
mv {train,dev,test}.{en,de} "$folder"
wc -l "$folder"/{train,dev,test}.en | sed '$d' | awk '{print "lohelp: " $1 " pairs in " $2}'
