// A libFuzzer target, not part of the build: whatever the bytes of a dictionary, it is rejected
// with DataError or it comes back the same from its own text.
//
//     clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -I.
//     tests/fuzz/dictionary_fuzz.cpp
//         core/text/{dictionary,unicode}.cpp core/io/*.cpp core/base/*.cpp -lfmt -lspdlog -lz
//         -licuuc -o dictionary_fuzz

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/error.h"
#include "core/text/dictionary.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto dictionary = phraseq::Dictionary::parse(text, "fuzz");
    const auto again = phraseq::Dictionary::parse(dictionary.to_text(), "again");
    if (!(again == dictionary) || again.fingerprint() != dictionary.fingerprint())
      __builtin_trap();
  } catch (const phraseq::DataError&) {
  }
  return 0;
}
