#include "core/distributed/reduction/bucket_plan.h"

#include <algorithm>

namespace phraseq {
namespace {

bool is_matrix(const nn::FlatParameters::Entry& entry) { return entry.parameter.dim() >= 2; }

/// The numbers of the entries in the order of travel.
std::vector<size_t> order_of_travel(const std::vector<nn::FlatParameters::Entry>& entries) {
  std::vector<size_t> order;
  for (size_t i = entries.size(); i-- > 0;) order.push_back(i);
  std::stable_partition(
      order.begin(), order.end(), [&](size_t i) { return is_matrix(entries[i]); });
  return order;
}

}  // namespace

BucketPlan plan_buckets(const nn::FlatParameters& parameters, int64_t most_elements) {
  const auto& entries = parameters.entries();
  const int64_t all = parameters.values().numel();
  BucketPlan plan;
  plan.bucket_of.resize(entries.size());
  int64_t last_begin = -1;  // of the entry before, in the order of travel
  for (const size_t i : order_of_travel(entries)) {
    const int64_t begin = entries[i].offset;
    const int64_t end = i + 1 < entries.size() ? entries[i + 1].offset : all;
    const bool follows = end == last_begin;
    if (!follows || plan.buckets.back().elements + end - begin > most_elements)
      plan.buckets.push_back({begin, 0, 0});
    GradientBucket& bucket = plan.buckets.back();
    bucket.begin = last_begin = begin;
    bucket.elements += end - begin;
    bucket.parameters += entries[i].parameter.requires_grad() ? 1 : 0;
    plan.bucket_of[i] = plan.buckets.size() - 1;
  }
  return plan;
}

}  // namespace phraseq
