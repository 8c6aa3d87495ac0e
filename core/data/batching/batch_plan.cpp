#include "core/data/batching/batch_plan.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/random.h"

namespace phraseq {
namespace {

constexpr size_t kFirstNumbersShown = 3;

/// Lengths as the plan needs them: int32, so that ten million pairs are 80 MB.
struct Lengths {
  std::vector<int32_t> source, target;

  explicit Lengths(const Corpus& corpus) {
    const auto size = static_cast<size_t>(corpus.size());
    source.resize(size);
    target.resize(size);
    for (size_t i = 0; i < size; ++i) {
      source[i] = static_cast<int32_t>(corpus.source_length(static_cast<int64_t>(i)));
      target[i] = static_cast<int32_t>(corpus.target_length(static_cast<int64_t>(i)));
    }
  }
};

/// Why sentences are omitted, in the order in which they are asked. A target of length 0 is one
/// that does not exist (translating), which is not a reason. The target comes before the source, as
/// a language model, whose source is its target, has only the option of the target.
class Skipping {
 public:
  Skipping(const BatchingOptions& options, const EmptyLengths& empty)
      : options_(options), empty_(empty) {
    reasons_.push_back({"source is empty", 0, {}});
    reasons_.push_back({"target is empty", 0, {}});
    reasons_.push_back({too_long("target", options.max_target_positions), 0, {}});
    reasons_.push_back({too_long("source", options.max_source_positions), 0, {}});
  }

  bool skips(int64_t index, int64_t source_length, int64_t target_length) {
    const bool applies[] = {source_length <= empty_.source,
                            target_length > 0 && target_length <= empty_.target,
                            over(target_length, options_.max_target_positions),
                            over(source_length, options_.max_source_positions)};
    const auto* const found = std::find(std::begin(applies), std::end(applies), true);
    if (found == std::end(applies))
      return false;
    note(reasons_[static_cast<size_t>(found - std::begin(applies))], index);
    return true;
  }

  SkipReport report() && {
    std::erase_if(reasons_, [](const auto& reason) { return reason.count == 0; });
    return {std::move(reasons_)};
  }

 private:
  static std::string too_long(const char* side, int64_t limit) {
    return fmt::format("{} has more than {} tokens (--max-{}-positions)", side, limit, side);
  }
  static bool over(int64_t length, int64_t limit) { return limit > 0 && length > limit; }
  static void note(SkipReport::Reason& reason, int64_t index) {
    ++reason.count;
    if (reason.first.size() < kFirstNumbersShown)
      reason.first.push_back(index + 1);
  }

  const BatchingOptions& options_;
  EmptyLengths empty_;
  std::vector<SkipReport::Reason> reasons_;
};

/// Stable counting sort: lengths are small numbers, so that it is linear in the corpus.
void sort_by_length(std::vector<int64_t>& order, const std::vector<int32_t>& lengths) {
  int32_t longest = 0;
  for (const int64_t index : order)
    longest = std::max(longest, lengths[static_cast<size_t>(index)]);
  std::vector<int64_t> begins(static_cast<size_t>(longest) + 2, 0);
  for (const int64_t index : order)
    ++begins[static_cast<size_t>(lengths[static_cast<size_t>(index)]) + 1];
  for (size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
  std::vector<int64_t> sorted(order.size());
  for (const int64_t index : order) {
    const auto length = static_cast<size_t>(lengths[static_cast<size_t>(index)]);
    sorted[static_cast<size_t>(begins[length]++)] = index;
  }
  order = std::move(sorted);
}

template <class T>
void shuffle(std::vector<T>& items, Random& random) {
  for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.below(i)]);
}

/// Cuts the order where the next sentence would exceed a limit. A sentence that exceeds it by
/// itself becomes a batch of its own: nothing is dropped.
std::vector<std::vector<int64_t>> cut(const std::vector<int64_t>& order,
                                      const Lengths& lengths,
                                      const BatchingOptions& options) {
  std::vector<std::vector<int64_t>> batches;
  int64_t source_tokens = 0;
  int64_t target_tokens = 0;
  for (const int64_t index : order) {
    const int64_t source = lengths.source[static_cast<size_t>(index)];
    const int64_t target = lengths.target[static_cast<size_t>(index)];
    const int64_t tokens = std::max(source_tokens + source, target_tokens + target);
    const bool full = batches.empty() || (options.max_tokens > 0 && tokens > options.max_tokens) ||
                      (options.max_sentences > 0 &&
                       static_cast<int64_t>(batches.back().size()) >= options.max_sentences);
    if (full) {
      batches.emplace_back();
      source_tokens = target_tokens = 0;
    }
    batches.back().push_back(index);
    source_tokens += source;
    target_tokens += target;
  }
  return batches;
}

}  // namespace

int64_t SkipReport::total() const {
  int64_t sum = 0;
  for (const Reason& reason : reasons) sum += reason.count;
  return sum;
}

std::string SkipReport::text() const {
  std::string text;
  for (const Reason& reason : reasons) {
    const bool more = reason.count > static_cast<int64_t>(reason.first.size());
    text += fmt::format("{}{}: {} (sentence {}{})",
                        text.empty() ? "" : "; ",
                        reason.what,
                        reason.count,
                        fmt::join(reason.first, ", "),
                        more ? " …" : "");
  }
  return text;
}

BatchPlan plan_batches(const Corpus& corpus, const BatchingOptions& options, int64_t epoch) {
  const Lengths lengths(corpus);
  Random random(mix_seeds(options.seed, static_cast<uint64_t>(epoch)));
  Skipping skipping(options, corpus.empty_lengths());
  std::vector<int64_t> order;
  order.reserve(lengths.source.size());
  for (int64_t i = 0; i < corpus.size(); ++i) {
    const auto at = static_cast<size_t>(i);
    if (!skipping.skips(i, lengths.source[at], lengths.target[at]))
      order.push_back(i);
  }
  if (options.shuffle)
    shuffle(order, random);
  sort_by_length(order, lengths.source);
  sort_by_length(order, lengths.target);  // the first key; the source is the second
  BatchPlan plan{cut(order, lengths, options), std::move(skipping).report()};
  if (options.shuffle)
    shuffle(plan.batches, random);
  return plan;
}

}  // namespace phraseq
