#include "core/data/alignments/alignment_links.h"

#include <algorithm>
#include <map>

#include <ATen/ops/tensor.h>

namespace phraseq {
namespace {

/// Rows and places of the links, as kAlignmentLinks has them.
std::vector<int64_t> links_of(const std::vector<Example>& examples,
                              int64_t added_to_source,
                              const PackedTokens& target) {
  std::vector<int64_t> links;
  for (size_t sentence = 0; sentence < examples.size(); ++sentence) {
    const auto found = examples[sentence].extras.find(kAlignmentExtra);
    if (found == examples[sentence].extras.end())
      continue;
    for (size_t i = 0; i + 1 < found->second.size(); i += 2) {
      links.push_back(target.offsets[sentence] + found->second[i + 1]);
      links.push_back(found->second[i] + added_to_source);
    }
  }
  return links;
}

std::vector<int64_t> counts_of(const std::vector<int64_t>& links) {
  std::map<int64_t, int64_t> links_of_row;
  for (size_t i = 0; i < links.size(); i += 2) ++links_of_row[links[i]];
  std::vector<int64_t> counts;
  for (size_t i = 0; i < links.size(); i += 2) counts.push_back(links_of_row[links[i]]);
  return counts;
}

}  // namespace

void add_alignment_links(const std::vector<Example>& examples,
                         const SequenceConventions& conventions,
                         Batch& batch) {
  const bool any = std::any_of(examples.begin(), examples.end(), [](const Example& example) {
    return example.extras.contains(kAlignmentExtra);
  });
  if (!any || !batch.has_target())
    return;
  const auto links = links_of(examples, conventions.source_has_bos ? 1 : 0, batch.target_in);
  batch.extras[kAlignmentLinks] = at::tensor(links, at::kLong).view({-1, 2});  // [links, 2]
  batch.extras[kAlignmentCounts] = at::tensor(counts_of(links), at::kLong);    // [links]
}

bool has_alignment_links(const Batch& batch) {
  const auto found = batch.extras.find(kAlignmentLinks);
  return found != batch.extras.end() && found->second.size(0) > 0;
}

}  // namespace phraseq
