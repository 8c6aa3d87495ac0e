#!/usr/bin/env bash
# Races phraseq against its peers in one run on this machine: training against PyTorch's eager
# Transformer, and generation against CTranslate2, fairseq and Marian, if they can be installed.
#
#   tests/bench/run.sh [OPTION...]       --presets tiny base --rounds 3 --json FILE …; --help lists all
#
# Python is only used for measuring: the peers are Python packages in virtual environments inside build/.
# With PHRASEQ_DATA, real sentence lengths and fairseq's model from that folder are used. If libjemalloc2
# is installed, the peers also race with a tuned allocator.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
for argument in "$@"; do
  case $argument in -h | --help) exec python3 tests/bench/race.py --help ;; esac
done
scripts/setup.sh build
cmake --preset release --log-level=WARNING
cmake --build --preset release

python=build/venv/bin/python
[[ -x $python ]] || { echo "bench: error: the peer is the PyTorch in build/venv; PHRASEQ_TORCH_ROOT has none" >&2; exit 1; }
peers=$root/build/bench-venv
install_peer() { # NAME PACKAGE...: into a virtual environment of its own
  [[ -e $peers/$1/ready ]] && return
  python3 -m venv "$peers/$1"
  "$peers/$1/bin/pip" install --quiet "${@:2}" && touch "$peers/$1/ready" || echo "bench: $1 could not be installed; its race is left out"
}
# fairseq's compiled extensions are not needed; it uses the torch of build/venv.
install_fairseq() {
  [[ -e $peers/fairseq/ready ]] && return
  install_peer fairseq "omegaconf==2.0.6" "hydra-core==1.0.7" "numpy<2" regex "sacrebleu==2.3.1" cffi bitarray tqdm cython setuptools wheel
  [[ -e $peers/fairseq/ready ]] || return 0
  local packages
  packages=$("$peers/fairseq/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  "$root/$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))' > "$packages/torch.pth"
  "$peers/fairseq/bin/pip" download --quiet --no-deps --no-binary :all: --no-build-isolation --dest "$peers" fairseq==0.12.2 &&
    tar -xzf "$peers/fairseq-0.12.2.tar.gz" -C "$packages" --strip-components=1 fairseq-0.12.2/fairseq || {
    rm "$peers/fairseq/ready"
    echo "bench: fairseq could not be installed; its race is left out"
  }
}
install_peer ctranslate2 ctranslate2 numpy
install_peer marian pymarian numpy
install_fairseq
python_of() { [[ -e $peers/$1/ready ]] && echo "--$1-python $peers/$1/bin/python" || true; }
exec "$python" tests/bench/race.py --phraseq build/bin/phraseq $(python_of ctranslate2) $(python_of fairseq) $(python_of marian) \
  ${PHRASEQ_DATA:+--data "$PHRASEQ_DATA/fairseq"} "$@"
