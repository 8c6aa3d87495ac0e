#!/usr/bin/env bash
# Installs what is needed to build phraseq, except what is already installed:
#   1. Debian packages (Debian 12 or 13), through apt; only this step may need root or sudo;
#   2. LibTorch, from the PyTorch wheel, in a virtual environment inside the build folder.
#
#   scripts/setup.sh [BUILD_FOLDER]        default: build
#
# PHRASEQ_TORCH_ROOT=FOLDER names an existing LibTorch (an unpacked zip, or the torch/ folder of a
# wheel); then step 2 is omitted. Whether the wheel is a CPU or a CUDA build depends on the package
# index that pip is configured with.
set -euo pipefail

readonly torch_version=2.13.0
readonly packages=(
  g++ cmake ninja-build ccache git
  libboost-dev libboost-filesystem-dev libboost-program-options-dev libboost-system-dev
  libfmt-dev libspdlog-dev nlohmann-json3-dev
  libsentencepiece-dev libicu-dev zlib1g-dev
  libgtest-dev libgmock-dev libbenchmark-dev
  python3-venv
)

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(realpath -m "${1:-$root/build}")

say() { printf 'setup: %s\n' "$*"; }
fail() {
  printf 'setup: error: %s\n' "$1" >&2
  shift
  for line in "$@"; do printf '  %s\n' "$line" >&2; done
  exit 1
}

# Runs a command and shows its output only if it fails.
quietly() {
  local log
  log=$(mktemp)
  if ! "$@" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    fail "this command failed; its output is above: $*"
  fi
  rm -f "$log"
}

missing_packages() {
  local package
  for package in "${packages[@]}"; do
    dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed ||
      printf '%s\n' "$package"
  done
}

install_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "this is not a Debian system; the equivalents of these packages are expected: ${packages[*]}"
    return
  fi
  local missing as_root=()
  mapfile -t missing < <(missing_packages)
  if ((${#missing[@]} == 0)); then
    say "all ${#packages[@]} Debian packages are installed"
    return
  fi
  if ((EUID != 0)); then
    command -v sudo >/dev/null || fail "Debian packages are missing and this user cannot install them." \
      "As root: apt-get update && apt-get install --no-install-recommends ${missing[*]}"
    as_root=(sudo)
  fi
  say "installing ${#missing[@]} Debian packages: ${missing[*]}"
  quietly "${as_root[@]}" apt-get update
  quietly "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install --yes --no-install-recommends "${missing[@]}"
}

# The version of the wheel in the virtual environment, or "" without one. Does not start Python.
installed_torch() {
  local files=("$build"/venv/lib/python3*/site-packages/torch/version.py)
  if [[ -e ${files[0]} ]]; then
    sed -n "s/^__version__ = '\([0-9.]*\).*/\1/p" "${files[0]}"
  fi
}

install_torch() {
  if [[ -n ${PHRASEQ_TORCH_ROOT:-} ]]; then
    [[ -d $PHRASEQ_TORCH_ROOT/lib && -d $PHRASEQ_TORCH_ROOT/include ]] ||
      fail "PHRASEQ_TORCH_ROOT=$PHRASEQ_TORCH_ROOT contains no LibTorch: lib/ and include/ are expected in it."
    say "LibTorch of PHRASEQ_TORCH_ROOT, $PHRASEQ_TORCH_ROOT"
    return
  fi
  if [[ $(installed_torch) == "$torch_version" ]]; then
    say "LibTorch $torch_version is in $build/venv"
    return
  fi
  say "installing LibTorch $torch_version (the PyTorch wheel) into $build/venv"
  python3 -m venv "$build/venv"
  quietly "$build/venv/bin/pip" install --quiet "torch==$torch_version"
}

install_packages
install_torch
