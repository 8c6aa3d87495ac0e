#pragma once

#include <vector>

#include "core/base/api.h"
#include "core/corpus/preprocess_options.h"
#include "core/corpus/split_check.h"

namespace phraseq {

/// The splits that the options name, with the files of each: PREFIX.LANG, or PREFIX.LANG.gz if only
/// that exists, and likewise PREFIX.SRC.trees with --trees and PREFIX.SUFFIX with --align-suffix,
/// which only the training split must have. The training split comes first, if there is one. Throws
/// IoError for a missing file and, without --check-only, which reads a text once, UsageError for a
/// pipe.
PHRASEQ_API std::vector<SplitText> find_splits(const PreprocessOptions& options);

/// Checks every split, logs what was found, and returns the reports in the same order. Throws
/// DataError if the training text contains no words and, with --check-only, if any line is bad;
/// warns of any other text that contains no words.
std::vector<SplitReport> check_splits(const PreprocessOptions& options,
                                      const std::vector<SplitText>& splits);

}  // namespace phraseq
