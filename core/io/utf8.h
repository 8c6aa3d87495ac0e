#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/api.h"

namespace phraseq {

/// What can be wrong with a piece of text, in the classes of the Unicode standard, table 3-7.
enum class TextDefect {
  kInvalidByte,        ///< 0xF5 to 0xFF: never occurs in UTF-8
  kStrayContinuation,  ///< 0x80 to 0xBF without a beginning
  kTruncated,          ///< a sequence that ends too early
  kOverlong,           ///< more bytes than the character needs
  kSurrogate,          ///< U+D800 to U+DFFF: halves of UTF-16 pairs
  kTooLarge,           ///< above U+10FFFF
  kControl,            ///< below U+0020 except tab and carriage return, or U+007F
};
/// "overlong encoding", "control byte" …
PHRASEQ_API std::string_view to_string(TextDefect defect);

/// A defect and the bytes it concerns.
struct TextFault {
  TextDefect defect;
  size_t offset;  ///< bytes from the start
  size_t length;  ///< bytes that belong to it: the maximal subpart that a decoder would replace
};

/// U+FEFF, with which some programs begin a text.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// `text` without one at its beginning.
inline std::string_view without_byte_order_mark(std::string_view text) {
  return text.substr(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
}

/// Whether control bytes (kControl) count as faults.
enum class ControlBytes { kAllow, kReject };

/// The first fault at or after `from`, or nothing if the text is valid.
PHRASEQ_API std::optional<TextFault> find_text_fault(std::string_view text,
                                                     ControlBytes control,
                                                     size_t from = 0);

/// U+FFFD in place of each invalid sequence, a space in place of each control byte.
PHRASEQ_API std::string repair_text(std::string_view text, ControlBytes control);

/// "0xC3 0x28": bytes as a message shows them.
PHRASEQ_API std::string escape_bytes(std::string_view bytes);

/// "invalid UTF-8: overlong encoding (0xC0 0xAF)" or "control byte (0x01)": a fault of `text` as a
/// message shows it.
PHRASEQ_API std::string fault_text(std::string_view text, const TextFault& fault);

/// The character at `position`, which is moved past it; U+FFFD for an invalid sequence.
PHRASEQ_API char32_t next_character(std::string_view text, size_t& position);

}  // namespace phraseq
