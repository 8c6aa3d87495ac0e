#include "core/train/skip_announcement.h"

#include <utility>

#include <fmt/format.h>

#include "core/base/log.h"

namespace phraseq {

void SkipAnnouncement::announce(const BatchIterator& batches) {
  if (batches.epoch() == epoch_)
    return;
  const bool is_first = epoch_ == 0;
  epoch_ = batches.epoch();
  std::string text = batches.skipped().text();
  if (batches.skipped().total() > 0 && text != skipped_) {
    const std::string when = is_first ? "" : fmt::format(", epoch {}", epoch_);
    log_warning(fmt::format("skipped in training{}: {}", when, text));
  }
  skipped_ = std::move(text);
}

}  // namespace phraseq
