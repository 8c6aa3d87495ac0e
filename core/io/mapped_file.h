#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/base/api.h"

namespace phraseq {

/// A whole file as read-only memory. The file must not shrink while it is mapped: we replace files
/// by rename, never in place. Throws IoError.
class PHRASEQ_API MappedFile {
 public:
  explicit MappedFile(std::string path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  size_t size() const { return size_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
};

/// A whole file, copied. Throws IoError.
PHRASEQ_API std::string read_file(const std::string& path);

}  // namespace phraseq
