#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/api.h"

namespace phraseq {

/// A ZIP archive of entries that are stored without compression and with a fixed date, so the same
/// entries give the same bytes (PKWARE's APPNOTE.TXT 6.3.10, without the 64-bit extensions).
class PHRASEQ_API ZipWriter {
 public:
  /// Throws UsageError if the archive would have 4 GiB or more.
  void add(std::string_view name, std::string_view bytes);
  /// The archive with all entries.
  std::string finish() const;

 private:
  std::string entries_;
  std::string directory_;
  uint16_t count_ = 0;
};

}  // namespace phraseq
