#include "core/translate/repeated_hypotheses.h"

#include <functional>

#include <fmt/format.h>

#include "core/base/random.h"
#include "core/base/wording/message_text.h"

namespace phraseq {
namespace {

constexpr size_t kMinSentences = 20;
constexpr size_t kMaxSentences = 100'000;  // enough to decide, with limited memory

}  // namespace

void RepeatedHypotheses::note(const std::vector<int64_t>& source, const std::string& hypothesis) {
  uint64_t hash = source.size();
  for (const int64_t id : source) hash = mix_seeds(hash, static_cast<uint64_t>(id));
  if (sources_.size() == kMaxSentences || !sources_.insert(hash).second)
    return;
  const int64_t count = ++counts_[std::hash<std::string>{}(hypothesis)];
  if (count <= most_)
    return;
  most_ = count;
  most_common_ = hypothesis;
}

std::string RepeatedHypotheses::finding() const {
  const auto sentences = static_cast<int64_t>(sources_.size());
  if (sources_.size() < kMinSentences || 2 * most_ <= sentences)
    return {};
  return fmt::format("{} of {} different sentences have the same translation, '{}'",
                     most_,
                     sentences,
                     excerpt(most_common_));
}

}  // namespace phraseq
