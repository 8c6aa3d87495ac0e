#pragma once

#include <array>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"
#include "core/text/text_map.h"

namespace phraseq {

/// A cache of the symbols of words; symbols contain no blanks. Thread-safe.
class PHRASEQ_API WordCache {
 public:
  explicit WordCache(size_t most_words) : most_in_part_(most_words / kParts) {}

  /// Appends the symbols of a word from the cache. The first time, `encode(word, symbols)` must
  /// append them.
  template <class Encode>
  void append(std::string_view word, std::vector<std::string>& symbols, Encode encode) {
    if (append_known(word, symbols))
      return;
    const size_t before = symbols.size();
    encode(word, symbols);
    keep(word, std::span(symbols).subspan(before));
  }

 private:
  static constexpr size_t kParts = 16;  ///< so that threads rarely wait for each other

  struct Part {
    std::mutex mutex;
    /// Words with their symbols, separated by blanks: a vector would need twice the memory.
    TextMap<std::string> words;
  };

  bool append_known(std::string_view word, std::vector<std::string>& symbols);
  void keep(std::string_view word, std::span<const std::string> symbols);
  Part& part_of(std::string_view word) { return parts_[TextHash{}(word) / 64 % kParts]; }

  size_t most_in_part_;
  std::array<Part, kParts> parts_;
};

}  // namespace phraseq
