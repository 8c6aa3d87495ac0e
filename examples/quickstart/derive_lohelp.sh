#!/usr/bin/env bash
# Makes a parallel corpus from LibreOffice's help in two Debian packages: it downloads 5 to 7 MB and installs
# nothing. The texts are under the MPL-2.0. English-German has about 25,500 training pairs,
# Vietnamese-Chinese 13,000.
#
#   derive_lohelp.sh FOLDER [SOURCE TARGET]      writes FOLDER/{train,dev,test}.{SOURCE,TARGET}
#
# SOURCE and TARGET (default: en de) are two of en de fr vi zh.
set -euo pipefail

case ${1:-} in -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; exit ;; esac
[[ $# == 1 || $# == 3 ]] || { echo "usage: derive_lohelp.sh FOLDER [SOURCE TARGET]" >&2; exit 2; }
readonly source=${2:-en} target=${3:-de}
help_name() {  # the language as in the names of the packages' folders
  case $1 in
    en) echo en-US ;;
    zh) echo zh-CN ;;
    de | fr | vi) echo "$1" ;;
    *) echo "derive_lohelp: error: no language '$1'; known: en de fr vi zh" >&2; exit 2 ;;
  esac
}
source_name=$(help_name "$source")
target_name=$(help_name "$target")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
readonly packages=("libreoffice-help-${source_name,,}" "libreoffice-help-${target_name,,}")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"  # apt downloads as another user
cd "$work"

download() { apt-get download "${packages[@]}" >apt.log 2>&1; }
if ! download; then  # the package lists are missing or old
  as_root=()
  ((EUID == 0)) || as_root=(sudo)
  "${as_root[@]}" apt-get update >apt.log 2>&1 && download ||
    { cat apt.log >&2; echo "derive_lohelp: error: could not download ${packages[*]}" >&2; exit 1; }
fi
for package in libreoffice-help-*.deb; do
  dpkg-deb --fsys-tarfile "$package" | tar -x ./usr/share/libreoffice/help
done

export LC_ALL=C
for language in "$source_name" "$target_name"; do
  (cd "usr/share/libreoffice/help/$language" && find text -name '*.html' | sort |
    xargs awk -f "$here/lohelp_paragraphs.awk") > "$language.tsv"
done
awk -v folder="$work" -v source="$source" -v target="$target" -f "$here/lohelp_pairs.awk" \
  "$target_name.tsv" "$source_name.tsv"
for language in "$source" "$target"; do mv {train,dev,test}."$language" "$folder"; done
wc -l "$folder"/{train,dev,test}."$source" | sed '$d' | awk '{print "lohelp: " $1 " pairs in " $2}'
