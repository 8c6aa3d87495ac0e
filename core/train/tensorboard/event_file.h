#pragma once

#include <cstdint>
#include <string>

#include "core/base/api.h"
#include "core/io/descriptor.h"
#include "core/train/tensorboard/event_record.h"

namespace phraseq::tensorboard {

/// A new `events.out.tfevents.SECONDS.HOST.PID.NUMBER` in a folder, which TensorBoard reads while
/// it grows. A record that cannot be written completely is removed again, so the file stays
/// readable.
class PHRASEQ_API EventFile {
 public:
  /// Creates folder and file. With `purge_step` >= 0, readers ignore the entries of other files in
  /// the folder from that step on. If it throws IoError, it leaves no file behind.
  explicit EventFile(const std::string& folder, int64_t purge_step = -1);

  /// Throws IoError; the file is then unchanged.
  void add(int64_t step, const Scalars& scalars);

  const std::string& path() const { return path_; }

 private:
  void append(const std::string& event);

  std::string path_;
  Descriptor descriptor_;
  int64_t size_ = 0;
};

}  // namespace phraseq::tensorboard
