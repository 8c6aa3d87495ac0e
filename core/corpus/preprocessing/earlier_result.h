#pragma once

#include <string>

#include "core/corpus/preprocess_options.h"

namespace phraseq {

/// Throws UsageError if `destination` has data that the run must not replace: that of another
/// language pair, which the new manifest would not list, or an earlier result for the same
/// languages, or a manifest of something else, without --overwrite.
void reject_earlier_result(const PreprocessOptions& options, const std::string& destination);

/// Throws UsageError if a file of `staged` would replace one of `destination` without --overwrite,
/// unless that is what a stopped run left.
void reject_replacement(const PreprocessOptions& options,
                        const std::string& staged,
                        const std::string& destination);

}  // namespace phraseq
