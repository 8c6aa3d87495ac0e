#include "core/data/joined/joined_corpus.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace phraseq {

JoinedCorpus::JoinedCorpus(std::vector<std::unique_ptr<Corpus>> parts, int64_t first_repeats)
    : parts_(std::move(parts)) {
  int64_t end = 0;
  for (const auto& part : parts_) {
    end += part->size() * (ends_.empty() ? first_repeats : 1);
    ends_.push_back(end);
  }
}

JoinedCorpus::JoinedCorpus(std::vector<std::unique_ptr<Corpus>> parts,
                           std::vector<std::string> names)
    : JoinedCorpus(std::move(parts), /*first_repeats=*/1) {
  names_ = std::move(names);
}

std::vector<CorpusPart> JoinedCorpus::parts() const {
  std::vector<CorpusPart> named;
  for (size_t i = 0; i < names_.size(); ++i)
    named.push_back({names_[i], i == 0 ? 0 : ends_[i - 1], ends_[i]});
  return named;
}

IndirectCorpus::Place JoinedCorpus::find(int64_t index) const {
  const auto part =
      static_cast<size_t>(std::upper_bound(ends_.begin(), ends_.end(), index) - ends_.begin());
  const Corpus& corpus = *parts_.at(part);
  const int64_t begin = part == 0 ? 0 : ends_[part - 1];
  return {corpus, (index - begin) % corpus.size()};
}

void JoinedCorpus::start_epoch(int64_t epoch) {
  for (const auto& part : parts_) part->start_epoch(epoch);
}

std::string JoinedCorpus::fingerprint() const {
  std::string text = fmt::format("{} sentences of {} parts", size(), parts_.size());
  for (const auto& part : parts_) text += " + " + part->fingerprint();
  return text;
}

}  // namespace phraseq
