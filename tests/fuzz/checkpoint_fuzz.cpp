// A libFuzzer target, not part of the build: whatever the bytes, opening is rejected with
// FormatError or gives tensors that can be read to their last byte. Seeds: tests/golden/checkpoint.
// With clang,
//
//     clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -I. -IBUILD/generated
//     tests/fuzz/checkpoint_fuzz.cpp
//         core/checkpoint/*.cpp core/io/*.cpp core/base/*.cpp -lfmt -lspdlog -lz -o checkpoint_fuzz
//     ./checkpoint_fuzz -rss_limit_mb=512 CORPUS tests/golden/checkpoint

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include "core/base/error.h"
#include "core/checkpoint/checkpoint_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string path =
      std::filesystem::temp_directory_path() / ("phraseq-fuzz-" + std::to_string(::getpid()));
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    const auto file = phraseq::CheckpointFile::open(path);
    uint64_t sum = 0;
    for (const auto& tensor : file.tensors()) {
      for (const std::byte byte : tensor.bytes) sum += std::to_integer<uint64_t>(byte);
      if (tensor.elements() < 0)
        __builtin_trap();
    }
    static volatile uint64_t kept;
    kept = sum;
  } catch (const phraseq::FormatError&) {
  }
  return 0;
}
