#pragma once

#include <string>

#include "core/corpus/preprocess_options.h"

namespace phraseq {

/// Throws UsageError if `destination` has data that the run must not replace: that of another
/// language pair, which the new manifest would not list, or an earlier result for the same
/// languages, without --overwrite.
void reject_earlier_result(const PreprocessOptions& options, const std::string& destination);

}  // namespace phraseq
