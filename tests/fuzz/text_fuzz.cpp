// A libFuzzer target, not part of the build: whatever the bytes of a text, find_text_fault agrees
// with a slow reference decoder, repaired text is valid, and its words hold no whitespace.
//
//     clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -I. tests/fuzz/text_fuzz.cpp
//         core/io/utf8.cpp core/text/unicode.cpp core/base/*.cpp -lfmt -lspdlog -licuuc
//         -o text_fuzz

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/io/utf8.h"
#include "core/text/unicode.h"

namespace {

/// Decodes by the definition: length from the first byte, then value, shortest form, range.
bool is_good(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto first = static_cast<uint8_t>(text[i]);
    if (first < 0x80) {
      if ((first < 0x20 && first != '\t' && first != '\r') || first == 0x7f)
        return false;
      ++i;
      continue;
    }
    const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc0 || first >= 0xf8 || i + length > text.size())
      return false;
    uint32_t value = first & (0xff >> (length + 1));
    for (size_t k = 1; k < length; ++k) {
      const auto byte = static_cast<uint8_t>(text[i + k]);
      if ((byte & 0xc0) != 0x80)
        return false;
      value = (value << 6) | (byte & 0x3f);
    }
    const uint32_t least = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
    if (value < least || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
      return false;
    i += length;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using phraseq::ControlBytes;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto fault = phraseq::find_text_fault(text, ControlBytes::kReject);
  if (fault.has_value() == is_good(text))
    __builtin_trap();
  if (fault && (fault->length == 0 || fault->offset + fault->length > size ||
                !is_good(text.substr(0, fault->offset))))
    __builtin_trap();
  const std::string repaired = phraseq::repair_text(text, ControlBytes::kReject);
  if (!is_good(repaired))
    __builtin_trap();
  for (const std::string_view word : phraseq::split_whitespace(repaired)) {
    if (word.empty() || phraseq::split_whitespace(word).size() != 1)
      __builtin_trap();
  }
  return 0;
}
