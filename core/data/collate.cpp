#include "core/data/collate.h"

#include <algorithm>

#include <ATen/ops/tensor.h>

#include "core/base/error.h"
#include "core/data/alignments/alignment_links.h"
#include "core/data/multilingual/tag_extras.h"
#include "core/text/dictionary.h"

namespace phraseq {
namespace {

std::vector<int64_t> with_start(int64_t start,
                                std::vector<int64_t>::const_iterator begin,
                                std::vector<int64_t>::const_iterator end) {
  std::vector<int64_t> ids{start};
  ids.insert(ids.end(), begin, end);
  return ids;
}

bool have_targets(const std::vector<Example>& examples) {
  const auto without = std::count_if(examples.begin(), examples.end(), [](const Example& example) {
    return example.target.empty();
  });
  if (without != 0 && without != static_cast<int64_t>(examples.size()))
    throw UsageError("a batch holds sentences with and without a target");
  return without == 0 && !examples.empty();
}

/// The first input token of the decoder for each sentence.
std::vector<int64_t> start_tokens(const std::vector<Example>& examples, int64_t start) {
  std::vector<int64_t> tokens;
  for (const Example& example : examples) {
    const auto own = example.extras.find(kStartExtra);
    tokens.push_back(own == example.extras.end() ? start : own->second.at(0));
  }
  return tokens;
}

bool have_start_tokens(const std::vector<Example>& examples) {
  return std::any_of(examples.begin(), examples.end(), [](const Example& example) {
    return example.extras.contains(kStartExtra);
  });
}

void add_targets(Batch& batch,
                 const std::vector<Example>& examples,
                 const std::vector<int64_t>& starts) {
  std::vector<std::vector<int64_t>> fed;
  std::vector<std::vector<int64_t>> generated;
  for (size_t i = 0; i < examples.size(); ++i) {
    const auto& target = examples[i].target;
    fed.push_back(with_start(starts[i], target.begin(), target.end() - 1));
    generated.push_back(target);
  }
  batch.target_in = PackedTokens::pack(fed);
  batch.target_out = PackedTokens::pack(generated).ids;  // [target tokens], packed as target_in
}

}  // namespace

Batch collate_pairs(const std::vector<Example>& examples, const SequenceConventions& conventions) {
  Batch batch;
  std::vector<std::vector<int64_t>> sources;
  for (const Example& example : examples) {
    batch.sentence_ids.push_back(example.id);
    sources.push_back(conventions.source_of(example));
  }
  batch.source = PackedTokens::pack(sources);
  const auto starts = start_tokens(examples, conventions.start_token());
  if (have_start_tokens(examples))
    batch.extras[kStartExtra] = at::tensor(starts, at::kLong);  // [sentences]
  if (have_targets(examples))
    add_targets(batch, examples, starts);
  add_alignment_links(examples, conventions, batch);
  if (conventions.extend)
    conventions.extend(examples, batch);
  return batch;
}

}  // namespace phraseq
