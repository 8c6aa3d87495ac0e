#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "core/base/api.h"
#include "core/io/descriptor.h"

namespace phraseq {

/// The bytes of a file, decompressed if it is gzipped. Several gzip members in a row are one text,
/// as for gzip; anything else after a member is an error, so that nothing is left out silently.
class PHRASEQ_API GzipInput {
 public:
  /// Opens a file. Throws IoError.
  explicit GzipInput(const std::string& path);
  /// Reads what is open already; `path` is for messages.
  GzipInput(Descriptor descriptor, std::string path);
  ~GzipInput();
  GzipInput(GzipInput&&) noexcept;

  /// Reads at most `size` bytes; returns their number, 0 at the end. Throws IoError if the file
  /// cannot be read, and FormatError if the compressed data is damaged.
  size_t read(char* to, size_t size);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace phraseq
