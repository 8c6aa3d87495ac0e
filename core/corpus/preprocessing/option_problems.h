#pragma once

#include <string>
#include <vector>

#include "core/corpus/preprocess_options.h"

namespace phraseq {

/// Options of `preprocess` that are missing, contradict each other, or have no effect, one sentence
/// each.
std::vector<std::string> preprocessing_problems(const PreprocessOptions& options);

}  // namespace phraseq
