#include "core/text/sentencepiece/sentencepiece_words.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace phraseq {
namespace {

constexpr std::string_view kBlank = "\u2581";

/// A field of a protobuf message: a number, or bytes.
struct Field {
  uint64_t key = 0;  ///< which field
  uint64_t number = 0;
  std::string_view bytes;
};

/// Reads the fields of a message that is known to be well-formed.
class Fields {
 public:
  explicit Fields(std::string_view message) : rest_(message) {}

  bool next(Field& field) {
    if (rest_.empty())
      return false;
    const uint64_t tag = take_number();
    field = {tag >> 3, 0, {}};
    switch (tag & 7) {
      case 0:
        field.number = take_number();
        break;
      case 1:
        field.bytes = take_bytes(8);
        break;
      case 2:
        field.bytes = take_bytes(take_number());
        break;
      default:
        field.bytes = take_bytes(4);
    }
    return true;
  }

 private:
  uint64_t take_number() {
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      number |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80)
        break;
    }
    return number;
  }
  std::string_view take_bytes(uint64_t size) {
    const std::string_view bytes = rest_.substr(0, size);
    rest_.remove_prefix(bytes.size());
    return bytes;
  }

  std::string_view rest_;
};

/// Checks that no piece goes beyond the end of a word, that the blank is a piece, and that no piece
/// is unused: SentencePiece splits an unused piece at its latest merge, which may have been in
/// another word.
class PieceCheck {
 public:
  void add(std::string_view piece_message) {
    std::string_view text;
    uint64_t type = kNormal;
    Fields fields(piece_message);
    for (Field field; fields.next(field);) {
      if (field.key == 1)
        text = field.bytes;
      if (field.key == 3)
        type = field.number;
    }
    has_blank_ = has_blank_ || (text == kBlank && type == kNormal);
    all_fit_ = all_fit_ && type != kUnused && text.find(' ') == std::string_view::npos &&
               text.find(kBlank, 1) == std::string_view::npos;
  }
  bool passed() const { return all_fit_ && has_blank_; }

 private:
  static constexpr uint64_t kNormal = 1;
  static constexpr uint64_t kUnused = 5;

  bool all_fit_ = true;
  bool has_blank_ = false;
};

/// Whether a TrainerSpec describes a BPE model in which blanks begin words.
bool is_bpe(std::string_view trainer) {
  bool bpe = false, blank_first = true;
  Fields fields(trainer);
  for (Field field; fields.next(field);) {
    if (field.key == 3)
      bpe = field.number == 2;
    if (field.key == 24)  // treat_whitespace_as_suffix
      blank_first = field.number == 0;
  }
  return bpe && blank_first;
}

/// Whether a NormalizerSpec is one that SentencePiece provides (user-defined rules have other
/// names), with the usual treatment of blanks.
bool is_provided(std::string_view normalizer) {
  constexpr std::array<std::string_view, 5> kNames = {
      "nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"};
  bool known = false, usual_blanks = true;
  Fields fields(normalizer);
  for (Field field; fields.next(field);) {
    if (field.key == 1)
      known = std::find(kNames.begin(), kNames.end(), field.bytes) != kNames.end();
    if (field.key >= 3 && field.key <= 5)  // add_dummy_prefix, remove_extra_, escape_whitespaces
      usual_blanks = usual_blanks && field.number != 0;
  }
  return known && usual_blanks;
}

bool is_printable(char c) { return c > ' ' && c < '\x7F'; }

}  // namespace

bool has_separate_words(std::string_view model) {
  PieceCheck pieces;
  bool bpe = false, provided = false;
  Fields fields(model);
  for (Field field; fields.next(field);) {
    if (field.key == 1)
      pieces.add(field.bytes);
    if (field.key == 2)
      bpe = is_bpe(field.bytes);
    if (field.key == 3)
      provided = is_provided(field.bytes);
  }
  return pieces.passed() && bpe && provided;
}

std::vector<std::string_view> separate_words(std::string_view line) {
  std::vector<std::string_view> words;
  size_t begin = 0;
  for (size_t i = 1; i + 1 < line.size(); ++i) {
    if (line[i] != ' ' || !is_printable(line[i - 1]) || !is_printable(line[i + 1]))
      continue;
    words.push_back(line.substr(begin, i - begin));
    begin = i + 1;
  }
  words.push_back(line.substr(begin));
  return words;
}

}  // namespace phraseq
