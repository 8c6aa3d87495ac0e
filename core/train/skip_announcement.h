#pragma once

#include <cstdint>
#include <string>

#include "core/base/api.h"
#include "core/data/batching/batch_iterator.h"

namespace phraseq {

/// Warns of the sentences that an epoch skips, unless they are those of the epoch before: each
/// epoch may have its own data (A:B:C).
class PHRASEQ_API SkipAnnouncement {
 public:
  /// Call when an epoch has begun; further calls in the same epoch do nothing.
  void announce(const BatchIterator& batches);

 private:
  int64_t epoch_ = 0;  ///< the last one announced
  std::string skipped_;
};

}  // namespace phraseq
