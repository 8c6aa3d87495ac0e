#pragma once

#include <string>
#include <vector>

#include "core/corpus/preprocess_options.h"

namespace phraseq {

/// What is missing among the options of `preprocess`, what contradicts another, and what has no
/// effect: a sentence each.
std::vector<std::string> preprocessing_problems(const PreprocessOptions& options);

}  // namespace phraseq
