#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/data/example.h"
#include "core/nn/context.h"
#include "core/search/hypothesis.h"
#include "core/translate/translation_model.h"

namespace phraseq {

/// Interface of an architecture that aligns finished translations with their sources in a separate
/// pass.
class PHRASEQ_API AlignsTranslations {
 public:
  virtual ~AlignsTranslations();
  /// Returns the attention weights of each target token of a batch over its source, [target tokens,
  /// longest source].
  virtual at::Tensor align(const Batch& batch, nn::Context& context) = 0;
};

/// Whether one of the models is such an architecture.
PHRASEQ_API bool any_aligns_translations(const std::vector<TranslationModel>& models);

/// Replaces Hypothesis::attention, which was recorded during the search, by the mean over the
/// models that align finished translations. `found[i]` are the hypotheses of examples[i].
PHRASEQ_API void align_finished(const std::vector<TranslationModel>& models,
                                const std::vector<Example>& examples,
                                nn::Precision precision,
                                std::vector<std::vector<Hypothesis>>& found);

}  // namespace phraseq
