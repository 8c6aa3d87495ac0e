// Bytes as a line of text: find_text_fault must agree with a slow decoder written from the
// definition, repaired text must be valid, and its words must not contain whitespace.

#include "core/io/utf8.h"

#include "core/text/unicode.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

void require(bool holds) {
  if (!holds)
    throw std::logic_error("two ways to look at the text disagree");
}

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

PHRASEQ_FUZZ_TARGET(utf8) {
  using namespace phraseq;
  const std::string_view text = fuzz::text_of(data, size);
  const auto fault = find_text_fault(text, ControlBytes::kReject);
  require(fault.has_value() != is_good(text));
  if (fault) {
    require(fault->length > 0 && fault->offset + fault->length <= size);
    require(is_good(text.substr(0, fault->offset)));
  }
  const std::string repaired = repair_text(text, ControlBytes::kReject);
  require(is_good(repaired));
  for (const std::string_view word : split_whitespace(repaired))
    require(!word.empty() && split_whitespace(word).size() == 1);
  return 0;
}
