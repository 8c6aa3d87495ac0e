#include "core/data/batching/part_plans.h"

#include <iterator>
#include <string>
#include <utility>

namespace phraseq {
namespace {

/// The sentences of one part, counted from 0.
class PartOfCorpus final : public Corpus {
 public:
  PartOfCorpus(const Corpus& corpus, const CorpusPart& part) : corpus_(corpus), part_(part) {}

  int64_t size() const override { return part_.end - part_.begin; }
  int64_t source_length(int64_t index) const override {
    return corpus_.source_length(part_.begin + index);
  }
  int64_t target_length(int64_t index) const override {
    return corpus_.target_length(part_.begin + index);
  }
  Example get(int64_t index) const override { return corpus_.get(part_.begin + index); }
  EmptyLengths empty_lengths() const override { return corpus_.empty_lengths(); }
  std::string fingerprint() const override { return corpus_.fingerprint(); }

 private:
  const Corpus& corpus_;
  const CorpusPart& part_;
};

void shift(std::vector<int64_t>& numbers, int64_t begin) {
  for (int64_t& number : numbers) number += begin;
}

/// Equal reasons are merged, with the sum of their counts.
void add_skipped(SkipReport& all, const SkipReport& more, int64_t begin) {
  for (SkipReport::Reason reason : more.reasons) {
    shift(reason.first, begin);
    auto known = all.reasons.begin();
    while (known != all.reasons.end() && known->what != reason.what) ++known;
    if (known == all.reasons.end())
      all.reasons.push_back(std::move(reason));
    else
      known->count += reason.count;
  }
}

}  // namespace

PartPlans plan_parts(const Corpus& corpus, const BatchingOptions& options, int64_t epoch) {
  PartPlans all;
  all.parts = corpus.parts();
  if (all.parts.empty())
    all.parts.push_back({"", 0, corpus.size()});
  for (size_t number = 0; number < all.parts.size(); ++number) {
    const CorpusPart& part = all.parts[number];
    BatchPlan plan = plan_batches(PartOfCorpus(corpus, part), options, epoch);
    for (auto& batch : plan.batches) shift(batch, part.begin);
    all.part_of_batch.insert(all.part_of_batch.end(), plan.batches.size(), number);
    std::move(plan.batches.begin(), plan.batches.end(), std::back_inserter(all.plan.batches));
    add_skipped(all.plan.skipped, plan.skipped, part.begin);
  }
  return all;
}

}  // namespace phraseq
