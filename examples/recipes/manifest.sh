# Records how a table was made in FOLDER/manifest.json.

json_string() { # TEXT
  local text=${1//\\/\\\\}
  text=${text//\"/\\\"}
  text=${text//$'\n'/\\n}
  text=${text//$'\t'/\\t}
  printf '"%s"' "$text"
}

# Lines as a list of strings.
json_list() {
  local line separator=''
  printf '['
  while IFS= read -r line; do
    printf '%s\n    ' "$separator"
    json_string "$line"
    separator=,
  done
  printf ']'
}

commit_of_tree() {
  git -C "$root" rev-parse HEAD 2> /dev/null || echo unknown
}

changed_files() {
  { git -C "$root" status --porcelain 2> /dev/null || true; } | sed 's/^...//'
}

# The seeds that were given to the recipe, or else those in its commands.
seeds_of_run() { # FOLDER
  if [[ ${seeds[*]:-} ]]; then printf '%s\n' "${seeds[@]}"; return; fi
  { grep -hoE -- '--seed [0-9]+' "$1"/commands.txt "$here/$recipe/run.sh" "$here/ablation.sh" 2> /dev/null || true; } |
    sed 's/--seed //' | sort -un
}

# The texts that were used for training and scoring, as "HASH  FILE".
hashes_of_texts() { # FOLDER
  (cd "$1" && { find text -type f 2> /dev/null || true; } | sort | xargs -r sha256sum)
}

machine() {
  sed -n '/^model name[^:]*: /{s///p;q}' /proc/cpuinfo # head would break the pipe with many cores
  echo "$(nproc) cores"
  awk '/^MemTotal:/ {printf "%.0f GB of memory\n", $2 / 1e6}' /proc/meminfo
  uname -sr | sed -E 's/^([^ ]+ [0-9]+\.[0-9]+).*/\1/' # "Linux 6.1", without the name of the kernel's build
}

# The commands of the recipe, one per line, which ablation.sh adds to commands.txt.
commands_of_run() { # FOLDER
  cat "$1/commands.txt" 2> /dev/null || true
}

write_manifest() { # FOLDER STATE
  {
    printf '{\n  "recipe": '; json_string "$recipe"
    printf ',\n  "state": '; json_string "$2"
    printf ',\n  "date": '; json_string "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
    printf ',\n  "command": '; json_string "$(printf '%q ' "${command[@]}")"
    printf ',\n  "commit": '; json_string "$(commit_of_tree)"
    printf ',\n  "changed_files": '; changed_files | json_list
    printf ',\n  "version": '; json_string "$(phraseq --version)"
    printf ',\n  "seeds": '; seeds_of_run "$1" | json_list
    printf ',\n  "machine": '; machine | json_list
    printf ',\n  "sha256": '; hashes_of_texts "$1" | json_list
    printf ',\n  "commands": '; commands_of_run "$1" | json_list
    printf '\n}\n'
  } > "$1/manifest.json.new"
  mv "$1/manifest.json.new" "$1/manifest.json"
}
