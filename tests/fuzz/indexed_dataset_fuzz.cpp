// A libFuzzer target, not part of the build: whatever the bytes of an index (all but the last 64 of
// the input) and of its ids (the rest), they are rejected with FormatError or every sentence can be
// read.
//
//     clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -I.
//         tests/fuzz/indexed_dataset_fuzz.cpp core/corpus/indexed_dataset.cpp core/io/*.cpp
//         core/base/*.cpp -lfmt -lspdlog -lz -o indexed_dataset_fuzz

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include "core/base/error.h"
#include "core/corpus/indexed_dataset.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string prefix =
      std::filesystem::temp_directory_path() / ("phraseq-fuzz-" + std::to_string(::getpid()));
  const size_t ids = std::min<size_t>(size, 64);
  const auto* text = reinterpret_cast<const char*>(data);
  std::ofstream(prefix + ".idx", std::ios::binary)
      .write(text, static_cast<std::streamsize>(size - ids));
  std::ofstream(prefix + ".bin", std::ios::binary)
      .write(text + size - ids, static_cast<std::streamsize>(ids));
  try {
    const auto corpus = phraseq::IndexedDataset::open(prefix);
    int64_t tokens = 0;
    for (int64_t i = 0; i < corpus.size(); ++i)
      tokens += static_cast<int64_t>(corpus.get(i).size());
    if (tokens != corpus.tokens())
      __builtin_trap();
    corpus.check_ids(1'000);
  } catch (const phraseq::FormatError&) {
  } catch (const phraseq::DataError&) {  // an id beyond the vocabulary
  }
  return 0;
}
