#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"
#include "core/text/text_map.h"

namespace phraseq {

/// The four special symbols, with fairseq's ids.
inline constexpr int64_t kBos = 0;
inline constexpr int64_t kPad = 1;
inline constexpr int64_t kEos = 2;
inline constexpr int64_t kUnk = 3;

/// True for <s>, <pad> and </s>, which are not words of a text; false for <unk>, which replaces
/// one.
inline bool is_control_symbol(int64_t id) { return id == kBos || id == kPad || id == kEos; }

/// fairseq's dictionary: `<s> <pad> </s> <unk>` as ids 0 to 3, then one symbol per line of
/// `dict.txt` ("token count"), in the file's order. See docs/formats/dictionary.md.
class PHRASEQ_API Dictionary {
 public:
  Dictionary();

  /// Throws DataError (file:line) for a line without a count, a count that is not a number, or a
  /// symbol that is repeated without `#fairseq:overwrite`.
  static Dictionary load(const std::string& path);
  /// Parses a file's text; `name` is used in error messages.
  static Dictionary parse(std::string_view text, const std::string& name);
  std::string to_text() const;  ///< the content of the file, without special symbols
  void save(const std::string& path) const;

  int64_t size() const { return static_cast<int64_t>(symbols_.size()); }
  const std::string& symbol(int64_t id) const;
  int64_t count(int64_t id) const;
  /// The id of a symbol; kUnk if it is unknown.
  int64_t id(std::string_view symbol) const;
  bool contains(std::string_view symbol) const;

  /// Counts a symbol (adding it if it is new); `finalize` then drops symbols with a count below
  /// `threshold`, keeps the `max_symbols` most frequent (including specials; -1 = all), sorts by
  /// count, ties by code point, and pads with `madeupword0000` … to a multiple of `padding_factor`:
  /// fairseq's order exactly.
  void add(std::string_view symbol, int64_t occurrences = 1);
  void finalize(int64_t threshold, int64_t max_symbols, int64_t padding_factor);

  /// Ids of space-separated tokens, with kEos appended on request.
  std::vector<int64_t> encode(std::string_view tokens, bool append_eos = true) const;
  /// Joins tokens with spaces, without control symbols; an unknown word is written <unk>.
  std::string decode(std::span<const int64_t> ids) const;

  /// CRC-32C of `to_text()`: equal for two dictionaries with the same symbols in the same order.
  uint32_t fingerprint() const;

  friend bool operator==(const Dictionary& a, const Dictionary& b) {
    return a.symbols_ == b.symbols_;
  }

 private:
  std::vector<std::string> symbols_;
  std::vector<int64_t> counts_;
  TextMap<int64_t> ids_;
};

}  // namespace phraseq
