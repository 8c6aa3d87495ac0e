#pragma once

#include <vector>

#include "core/analysis/head_names.h"
#include "core/base/api.h"
#include "core/translate/translation_model.h"

namespace phraseq::analysis {

/// The modules of a model whose heads can be switched off. Throws DataError if there is none.
PHRASEQ_API std::vector<HeadsOfModule> attention_heads(const TranslationModel& translation_model,
                                                       nn::Precision precision);

/// Switches heads off: their output counts as zero, while the bias of the output projection stays
/// (Michel et al. 2019, equation 2 with ξ = 0 for these heads):
///
///   attention(x, q) = Σ_h ξ_h · W_h^o · head_h(x, q) + b^o
///
/// The columns of the output projection that read the heads become zero, in a copy of the
/// parameters. Throws UsageError for a head that the model does not have.
PHRASEQ_API void switch_off_heads(TranslationModel& translation_model,
                                  const std::vector<HeadName>& heads,
                                  nn::Precision precision);

}  // namespace phraseq::analysis
