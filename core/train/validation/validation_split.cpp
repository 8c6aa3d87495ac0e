#include "core/train/validation/validation_split.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/translate/sentence_source.h"

namespace phraseq {
namespace {

BatchingOptions batching_of(const ValidatorOptions& options, const Architecture& model) {
  BatchingOptions batching;
  batching.max_tokens = options.max_tokens;
  batching.max_sentences = options.max_sentences;
  batching.max_source_positions = model.max_source_positions();
  batching.max_target_positions = model.max_target_positions();
  batching.shuffle = false;
  return batching;
}

}  // namespace

ValidationSplit::ValidationSplit(const TranslationModel& translation_model,
                                 const ValidatorOptions& options)
    : corpus_(translation_model.open(options.subset, /*training=*/false)),
      plans_(plan_parts(*corpus_, batching_of(options, *translation_model.model), /*epoch=*/1)) {
  if (plans_.plan.skipped.total() > 0) {
    log_warning(
        fmt::format("sentences that are skipped in validation: {}", plans_.plan.skipped.text()));
  }
  if (plans_.plan.batches.empty()) {
    throw DataError(corpus_->size() == 0
                        ? fmt::format("the split '{}' is empty", options.subset)
                        : fmt::format("the split '{}' contains no sentence that fits the model",
                                      options.subset),
                    "Validate on another split with --valid-subset, or train without one with "
                    "--disable-validation.");
  }
  require_references(*corpus_, options.subset);
}

std::vector<size_t> ValidationSplit::own_batches() const {
  std::vector<size_t> own;
  for (auto i = static_cast<size_t>(processes_->rank()); i < plans_.plan.batches.size();
       i += static_cast<size_t>(processes_->size()))
    own.push_back(i);
  return own;
}

std::vector<Example> ValidationSplit::examples_of(size_t batch, int64_t limit) const {
  const auto lock = lock_text();
  std::vector<Example> examples;
  for (const int64_t index : plans_.plan.batches[batch]) {
    if (index < limit)
      examples.push_back(corpus_->get(index));
  }
  return examples;
}

}  // namespace phraseq
