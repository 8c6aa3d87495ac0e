#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace phraseq {

/// The bytes of a pickle, read from the beginning. `where` begins every error and must outlive the
/// object.
class PickleInput {
 public:
  /// Throws FormatError for more than kMaxPickleBytes.
  PickleInput(std::string_view bytes, const std::string& where);

  const std::string& where() const { return where_; }
  size_t position() const { return position_; }

  /// Throws FormatError: damaged data at the opcode that was read last.
  [[noreturn]] void fail(std::string_view problem) const;

  char take_opcode();
  std::string_view take(uint64_t count);
  /// A little-endian number of `bytes` bytes.
  uint64_t take_number(size_t bytes);
  /// Eight bytes, the most significant first.
  double take_double();
  /// The text before the next line break, which is consumed, too.
  std::string_view take_line();

 private:
  std::string_view bytes_;
  const std::string& where_;
  size_t position_ = 0;
  size_t opcode_at_ = 0;
};

}  // namespace phraseq
