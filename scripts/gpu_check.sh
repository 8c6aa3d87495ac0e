#!/usr/bin/env bash
# Checks that everything works on a GPU, and prints one line for each check: "ok", "FAILED" or "skipped: reason".
#
#   scripts/gpu_check.sh [--device cuda|cpu] [--build FOLDER] [--no-build] [--quickstart] [--logs FOLDER] [--only PATTERN]
#                        [--jobs N] [--minutes N] [--resume] [--packages FOLDER] [--pack FILE] [--unpack FILE]
#
# Builds into FOLDER (default: build-gpu) with the LibTorch that PHRASEQ_TORCH_ROOT names, or else that of python3's
# torch, or else one that CMake finds (2.11 or newer with CUDA; neither a network nor a CUDA toolkit is needed). Then it
# runs the conformance suite and the golden values of all architectures and criterions on the device, and trains,
# resumes, translates, scores, validates and averages small models with it. Exits with 1 if a check failed.
#
#   --device cpu      runs the same checks on the CPU
#   --quickstart      also runs examples/quickstart/run.sh (minutes)
#   --only PATTERN    runs the checks whose names match a shell pattern ("train*"); checks of translation need
#                     "train fp32" and "train bf16"
#   --jobs N          runs N checks of models at a time (default: a quarter of the processors)
#   --minutes N       stops after N minutes with exit code 3; --resume continues without the checks that passed before
#   --packages FOLDER takes libraries that are not installed from Debian packages (*.deb) in FOLDER
#   --pack FILE       builds, and writes the programs and their libraries except LibTorch to FILE (.tar.xz)
#   --unpack FILE     runs the checks with such a FILE, which was built on another machine for the same LibTorch
set -uo pipefail
export LC_ALL=C.UTF-8  # decimal points in numbers, whatever the language
shopt -s extglob  # for --only

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
device=cuda build=$root/build-gpu logs='' do_build=1 quickstart=0 only='*' jobs=$((($(nproc) + 3) / 4)) minutes=0 resume=0
packages='' pack='' unpack=''
usage() { sed -n '2,/^set /{/^# \{0,1\}/s///p;}' "${BASH_SOURCE[0]}"; exit 2; }
while (($# > 0)); do
  case $1 in
    --no-build) do_build=0; shift; continue ;;
    --quickstart) quickstart=1; shift; continue ;;
    --resume) resume=1; shift; continue ;;
  esac
  (($# > 1)) || usage
  case $1 in
    --device) device=$2 ;;
    --build) build=$(realpath -m "$2") ;;
    --logs) logs=$(realpath -m "$2") ;;
    --only) only=$2 ;;
    --jobs) jobs=$2 ;;
    --minutes) minutes=$2 ;;
    --packages) packages=$(realpath "$2") ;;
    --pack) pack=$(realpath -m "$2") ;;
    --unpack) unpack=$(realpath "$2") ;;
    *) usage ;;
  esac
  shift 2
done
[[ $device == cuda || $device == cpu ]] || { echo "gpu_check: --device is cuda or cpu, not $device" >&2; exit 2; }

logs=${logs:-$build/gpu_check}
work=$logs/work
((resume)) || rm -rf "$work" "$logs/passed"
mkdir -p "$work"
touch "$logs/passed"
: > "$logs/failed"

ok() { printf 'ok       %s\n' "$1"; printf '%s\n' "$1" >> "$logs/passed"; }
skipped() { printf 'skipped  %s: %s\n' "$1" "$2"; }
failed() {  # failed NAME LOG
  printf 'FAILED   %s (%s)\n%s\n' "$1" "$2" "$(tail -n 5 "$2" | sed 's/^/         | /')"
  printf '%s\n' "$1" >> "$logs/failed"
}
seconds_left() { echo $((minutes > 0 ? minutes * 60 - SECONDS : 1000000)); }
stop_when_over() {
  (($(seconds_left) > 0)) && return
  wait
  printf '%s minutes are over; --resume continues from here\n' "$minutes"
  exit 3
}

# check NAME COMMAND...: writes the command's output to a log. Its status 77 means that nothing was tested, 75 that it
# was stopped.
check() {
  local name=$1 log status=0
  shift
  # shellcheck disable=SC2254
  case $name in build | 'commands start' | corpus | $only) ;; *) return 0 ;; esac
  if ((resume)) && [[ $name != 'commands start' ]] && grep -qxF "$name" "$logs/passed"; then
    return 0
  fi
  stop_when_over
  log=$logs/$(tr -c 'a-z0-9\n' '_' <<< "${name,,}").log
  "$@" > "$log" 2>&1 < /dev/null || status=$?
  case $status in
    0) ok "$name" ;;
    75) ;;
    77) skipped "$name" "$(tail -n 1 "$log")" ;;
    *) failed "$name" "$log" ;;
  esac
  return $status
}
# Runs `check` in the background, at most --jobs at a time; `wait` waits for all of them.
check_beside() {
  while (($(jobs -rp | wc -l) >= jobs)); do wait -n; done
  stop_when_over
  check "$@" &
}

skip_here() { echo "$1"; return 77; }

# GoogleTest passes if the filter matches no test; here, that is a failure.
gtest() {  # gtest PROGRAM FILTER
  local output
  [[ -x $build/bin/$1 ]] || skip_here "$1 is not built" || return
  output=$("$build/bin/$1" --gtest_filter="$2" 2>&1)
  local status=$?
  printf '%s\n' "$output"
  ((status == 0)) || return 1
  grep -q '\[  PASSED  \] [1-9]' <<< "$output" || { grep -q 'SKIPPED' <<< "$output" && skip_here 'see the log'; }
}

finish() {
  local failures
  failures=$(wc -l < "$logs/failed")
  if ((failures > 0)); then
    printf '%d checks FAILED; the logs are in %s\n' "$failures" "$logs"
    exit 1
  fi
  rm -rf "$work"
  printf 'all checks passed on %s; the logs are in %s\n' "$device" "$logs"
  exit 0
}

# ---- machine and build

if [[ $device == cuda && -z $pack ]]; then
  if ! nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2> /dev/null; then
    echo 'gpu_check: there is no NVIDIA GPU here (nvidia-smi failed); --device cpu runs the checks on the CPU' >&2
    exit 1
  fi
fi

if [[ -z ${PHRASEQ_TORCH_ROOT-} ]]; then
  PHRASEQ_TORCH_ROOT=$(python3 -c 'import importlib.util as u; print(u.find_spec("torch").submodule_search_locations[0])' 2> /dev/null)
fi
[[ -z $PHRASEQ_TORCH_ROOT ]] || export PHRASEQ_TORCH_ROOT

# Folders of libraries for the loader; later calls and tests/bench/gpu.sh read them from the build folder.
use_libraries() {
  printf 'export LD_LIBRARY_PATH=%q${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\n' "$1" > "$build/environment.sh"
}

# Extracts Debian packages into a folder in which compiler, linker and CMake look.
if [[ -n $packages ]]; then
  installed=$build/packages/usr
  for file in "$packages"/*.deb; do dpkg-deb --extract "$file" "$build/packages" || exit 2; done
  libraries=$installed/lib/$(c++ -print-multiarch)
  export CMAKE_PREFIX_PATH=$installed CPATH=$installed/include LIBRARY_PATH=$libraries
  use_libraries "$libraries"
fi
load_environment() {
  # shellcheck disable=SC1091
  [[ ! -e $build/environment.sh ]] || source "$build/environment.sh"
}

# Everything that the build needs and that is missing, one thing per line.
missing() {
  local tool library
  for tool in c++ cmake ninja; do command -v "$tool" > /dev/null || echo "the program $tool"; done
  command -v c++ > /dev/null || return
  local cmake=3.25
  command -v cmake > /dev/null && cmake=$(cmake --version | sed -n '1s/[^0-9]*//p')
  [[ $(printf '%s\n' 3.25 "$cmake" | sort -V | head -n 1) == 3.25 ]] || echo "CMake 3.25 (this is $cmake)"
  while read -r header package; do
    printf '#if !__has_include(<%s>)\nthe Debian package %s (%s)\n#endif\n' "$header" "$package" "$header"
  done << 'END' | c++ -x c++ -std=c++20 -E -P -
boost/dll.hpp libboost-dev
fmt/core.h libfmt-dev
spdlog/spdlog.h libspdlog-dev
nlohmann/json.hpp nlohmann-json3-dev
sentencepiece_processor.h libsentencepiece-dev
unicode/uchar.h libicu-dev
zlib.h zlib1g-dev
gtest/gtest.h libgtest-dev
gmock/gmock.h libgmock-dev
END
  for library in filesystem program-options system; do
    [[ $(c++ -print-file-name="libboost_${library/-/_}.so") == */* ]] || echo "the Debian package libboost-$library-dev"
  done
  if [[ ! -e $build/CMakeCache.txt && $device == cuda ]] && [[ ! -e ${PHRASEQ_TORCH_ROOT-}/lib/libtorch_cuda.so ]]; then
    echo "LibTorch with CUDA (${PHRASEQ_TORCH_ROOT:-python3 has no torch}); PHRASEQ_TORCH_ROOT names its folder"
  fi
}
tests=(test-nn test-criterions test-cuda)
for architecture in rnnsearch phrase_rep phrase_transformer phrasal_attention phrasenet ssru_transformer transformer_align \
  transformer_lm; do
  tests+=("test-$architecture")
done
build_all() {
  cd "$root"
  [[ -e $build/build.ninja ]] ||
    cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DPHRASEQ_UNITY_BUILD=ON --log-level=STATUS || return 1
  local status=0
  timeout "$(seconds_left)" cmake --build "$build" --target programs "${tests[@]}" || status=$?
  return $((status == 124 ? 75 : status))  # stopped; the rest is built in the next call
}
torch_has_cuda() {
  grep -E '^PHRASEQ_TORCH' "$build/CMakeCache.txt"
  "$build/bin/phraseq" doctor --help > /dev/null
  "$build/bin/phraseq" train --help > /dev/null
}

# Packs programs, plugins and their libraries except those of C++ and LibTorch, without debugging symbols.
write_pack() {
  local staged=$work/packed file
  mkdir -p "$staged/packed-libraries" "$(dirname "$pack")"
  (cd "$build" && cp -r --parents CMakeCache.txt bin/phraseq* "${tests[@]/#/bin/}" lib/*.so lib/phraseq "$staged") || return 1
  [[ ! -e $build/bin/bench-variants ]] || cp "$build/bin/bench-variants" "$staged/bin"
  strip --strip-unneeded "$staged"/bin/* "$staged"/lib/*.so "$staged"/lib/phraseq/*.so 2> /dev/null
  for file in $(ldd "$build"/lib/*.so "${tests[@]/#/$build/bin/}" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u); do
    case ${file##*/} in
      libphraseq* | libc.* | libm.* | libdl.* | librt.* | libpthread.* | libgcc_s.* | libstdc++.* | ld-linux*) ;;
      *) [[ $file == */torch/lib/* || $file == */nvidia/* ]] || cp -L "$file" "$staged/packed-libraries" ;;
    esac
  done
  printf '%s\n' "$root" > "$staged/source-folder"
  tar -C "$staged" -cJf "$pack" . && du -h "$pack"
}
# The tests read files below the folder in which they were compiled, so that path becomes a link.
take_pack() {
  [[ -n $PHRASEQ_TORCH_ROOT ]] || { echo 'gpu_check: python3 has no torch; set PHRASEQ_TORCH_ROOT' >&2; exit 2; }
  mkdir -p "$build"
  ((resume)) && [[ -e $build/environment.sh ]] || tar -C "$build" -xJf "$unpack" || exit 2
  local compiled_in
  compiled_in=$(< "$build/source-folder")
  [[ -e $compiled_in ]] || { mkdir -p "$(dirname "$compiled_in")" && ln -s "$root" "$compiled_in"; }
  use_libraries "$build/packed-libraries:$PHRASEQ_TORCH_ROOT/lib"
}

[[ -z $unpack ]] || take_pack
load_environment
if [[ -n $unpack ]]; then
  skipped build '--unpack'
elif ((do_build)); then
  lacking=$(missing)
  if [[ -n $lacking ]]; then
    printf 'gpu_check: error: this is missing:\n%s\n' "$(sed 's/^/  /' <<< "$lacking")" >&2
    echo '  On Debian, apt-get installs the packages; docs/guide/gpu.md says how to bring them to a machine without network.' >&2
    exit 2
  fi
  check build build_all || { stop_when_over; finish; }
else
  skipped build '--no-build'
fi
if [[ -n $pack ]]; then
  write_pack
  exit
fi
check 'commands start' torch_has_cuda || finish
PATH=$build/bin:$PATH
export PHRASEQ_TEST_DEVICE=$device
at_device=(--device "$device")

# ---- models

for architecture in transformer rnnsearch phrase_rep phrase_transformer phrasal_attention phrasenet \
  ssru_transformer transformer_align transformer_lm; do
  check_beside "conformance of $architecture" phraseq plugins check "$build/lib/phraseq/libphraseq-$architecture.so"
done
for criterion in cross_entropy label_smoothed_cross_entropy label_smoothed_cross_entropy_with_rdrop \
  label_smoothed_cross_entropy_with_alignment phrase_mixture; do
  check_beside "conformance of $criterion" phraseq plugins check "$build/lib/phraseq/libphraseq-$criterion.so"
done
check_beside 'golden values of transformer' gtest test-nn 'Golden*:*Transformer*'
for architecture in rnnsearch phrase_rep phrase_transformer phrasal_attention phrasenet transformer_lm; do
  check_beside "golden values of $architecture" gtest "test-$architecture" '*Golden*'
done
check_beside 'golden values of ssru_transformer' gtest test-ssru_transformer '*SsruTransformerModel*'
check_beside 'golden values of transformer_align' gtest test-transformer_align '*TransformerAlignChecks*'
check_beside 'golden values of criterions' gtest test-criterions '*'
PHRASEQ_CUDA_KERNELS=0 check_beside 'FlashAttention' gtest test-nn 'FlashAttentionOnAGpu.*'
check_beside 'CUDA kernels: arithmetic' gtest test-cuda 'CudaKernels.*'
check_beside 'CUDA kernels: NVRTC' gtest test-cuda 'CudaKernelSources.*'
check_beside 'CUDA kernels: on the GPU' gtest test-cuda 'CudaKernelsOnTheGpu.*'
check_beside 'CUDA kernels: in their places' gtest test-nn '*KernelsOfAGpu*'
wait

# ---- commands, on numbers as words of two languages

corpus() {
  cd "$work"
  awk 'BEGIN {
    split("one two three four five six seven eight nine zero", en); split("eins zwei drei vier fünf sechs sieben acht neun null", de)
    seed = 7
    for (line = 0; line < 250; ++line) {
      seed = (seed * 16807) % 2147483647; words = 1 + seed % 7; a = b = ""
      for (i = 0; i < words; ++i) { seed = (seed * 16807) % 2147483647; w = 1 + seed % 10; a = a " " en[w]; b = b " " de[w] }
      file = line < 200 ? "train" : line < 220 ? "dev" : "test"
      print substr(a, 2) > file ".en"; print substr(b, 2) > file ".de"
    }
  }'
  phraseq preprocess --source-lang en --target-lang de --trainpref train --validpref dev --testpref test --destdir data-bin
}
train() {  # train SAVE_DIR UPDATES MORE...
  local folder=$1 updates=$2
  shift 2
  cd "$work"
  phraseq train data-bin --arch transformer --dropout 0.1 --encoder-layers 2 --encoder-embed-dim 32 \
    --encoder-ffn-embed-dim 48 --decoder-layers 2 --decoder-embed-dim 32 --decoder-ffn-embed-dim 48 \
    --encoder-attention-heads 2 --decoder-attention-heads 2 --criterion label_smoothed_cross_entropy \
    --label-smoothing 0.1 --optimizer adam --lr 0.01 --lr-scheduler inverse_sqrt --warmup-updates 20 --clip-norm 1.0 \
    --max-tokens 400 --seed 7 --log-interval 1 --threads 1 --no-plot "${at_device[@]}" --save-dir "$folder" \
    --max-update "$updates" "$@"
}
last_loss() { losses "$1" | tail -n 1; }  # last_loss SAVE_DIR: of the last update
file_of() { printf '%s/%s/%s' "$work" "$1" "$(cut -d ' ' -f 1 "$work/$1/checkpoint_last")"; }
# The header, which includes the option --save-dir, begins with its length in 8 bytes.
tensors_of() { local file; file=$(file_of "$1"); tail -c +$((9 + $(od -An -tu8 -N8 "$file"))) "$file"; }
same_tensors() {
  [[ $(tensors_of "$1" | wc -c) -gt 1000 ]] && cmp <(tensors_of "$1") <(tensors_of "$2") && diff <(losses "$1") <(losses "$2")
}
below() { awk -v a="$1" -v b="$2" 'BEGIN { print a, "<", b; exit !(a < b) }'; }
near() {  # near A B RELATIVE
  awk -v a="$1" -v b="$2" -v r="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; if (b < 0) b = -b; print a, b; exit a == "" || b == "" || !(d <= r * b) }'
}

trains() {  # trains SAVE_DIR MORE...: the loss must fall
  local folder=$1
  shift
  rm -rf "${work:?}/$folder"
  train "$folder" 120 "$@" && below 0.1 "$(last_loss "$folder")" && below "$(last_loss "$folder")" 1.6
}
resumes() {  # resumes NAME MORE...: the results must have the same bits
  local name=$1
  shift
  rm -rf "$work/$name-whole" "$work/$name-parts"
  train "$name-whole" 40 "$@" && train "$name-parts" 17 "$@" && train "$name-parts" 40 "$@" &&
    same_tensors "$name-whole" "$name-parts"
}
losses() { grep '"event":"train"' "$work/$1/metrics.jsonl" | sed 's/.*"loss":\([0-9.e+-]*\).*/\1/'; }
# The CUDA kernels must give the same losses except for rounding. The CPU has no such kernels.
trains_with_kernels() {
  [[ $device == cuda ]] || skip_here 'only with --device cuda' || return
  rm -rf "$work/operators" "$work/kernels"
  PHRASEQ_CUDA_KERNELS=0 train operators 40 --bf16 && train kernels 40 --bf16 && near "$(last_loss kernels)" "$(last_loss operators)" 0.02
}
resumes_with_operators() {
  [[ $device == cuda ]] || skip_here 'only with --device cuda' || return
  PHRASEQ_CUDA_KERNELS=0 resumes operators-resume --deterministic --bf16
}
# Only one of them rounds the weights of attention to 16 bits.
trains_with_flash_attention() {
  [[ $device == cuda ]] || skip_here 'only with --device cuda' || return
  rm -rf "$work/flash" "$work/padded"
  PHRASEQ_CUDA_KERNELS=0 train flash 40 --bf16 && PHRASEQ_CUDA_KERNELS=0 PHRASEQ_FLASH_ATTENTION=0 train padded 40 --bf16 && near "$(last_loss flash)" "$(last_loss padded)" 0.02
}
recomputes() {
  rm -rf "$work/kept" "$work/again"
  train kept 20 --deterministic && train again 20 --deterministic --checkpoint-activations &&
    [[ $(losses kept | wc -l) == 20 ]] && diff <(losses kept) <(losses again)
}
translates() {  # translates PRECISION: the lines must be those of fp32 on the CPU except for near ties
  cd "$work"
  phraseq generate --path fp32/checkpoint_last --beam 4 "${at_device[@]}" --precision "$1" < test.en > "$1.hyp" &&
    phraseq generate --path fp32/checkpoint_last --beam 4 --cpu < test.en > cpu.hyp &&
    [[ $(wc -l < "$1.hyp") == 30 ]] && (($(diff cpu.hyp "$1.hyp" | grep -c '^<') <= 2))
}
rescores() {
  cd "$work"
  phraseq rescore --path fp32/checkpoint_last --source test.en --target test.de "${at_device[@]}" > device.scores &&
    phraseq rescore --path fp32/checkpoint_last --source test.en --target test.de --cpu > cpu.scores &&
    paste device.scores cpu.scores |
    awk '{ d = $1 - $2; if (d < 0) d = -d; if (!(d <= 1e-3)) bad = 1 } END { exit bad || NR != 30 }'
}
validation_loss() {
  phraseq validate data-bin --path fp32/checkpoint_last --format json "$@" | grep -oE '"loss": ?[0-9.e+-]+' | grep -oE '[0-9.e+-]+$'
}
validates() {
  cd "$work"
  near "$(validation_loss "${at_device[@]}")" "$(validation_loss --cpu)" 1e-3
}
averages() {
  cd "$work"
  phraseq average --inputs fp32/checkpoint_last bf16/checkpoint_last --output average.safetensors &&
    phraseq generate --path average.safetensors "${at_device[@]}" < test.en > average.hyp && [[ $(wc -l < average.hyp) == 30 ]]
}
runs_quickstart() {
  ((quickstart)) || skip_here '--quickstart runs it (minutes)' || return
  [[ $device == cuda ]] || skip_here 'only with --device cuda' || return
  QUICKSTART_UPDATES=200 "$root/examples/quickstart/run.sh" "$work/quickstart"
}

check corpus corpus || finish
check 'train fp32' trains fp32
check 'train bf16' trains bf16 --bf16
check 'train fp16' trains fp16 --fp16
check 'train tf32' trains tf32 --tf32
check 'train --precision auto' trains auto --precision auto
check 'resume fp32 --deterministic: same bits' resumes fp32-resume --deterministic
check 'resume fp16 --deterministic: same bits' resumes fp16-resume --deterministic --fp16 --fp16-scale-window 3
check 'resume bf16 --deterministic: same bits' resumes bf16-resume --deterministic --bf16
check 'train --checkpoint-activations: same losses' recomputes
check 'train with FlashAttention: losses of padded attention' trains_with_flash_attention
check 'train with the CUDA kernels: losses of the operators' trains_with_kernels
check 'resume with operators: same bits' resumes_with_operators
check 'generate fp32' translates fp32
check 'generate bf16' translates bf16
check 'generate fp16' translates fp16
check 'rescore' rescores
check 'validate' validates
check 'average' averages
check 'quickstart' runs_quickstart
finish
