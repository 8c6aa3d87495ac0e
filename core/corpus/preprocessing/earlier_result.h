#pragma once

#include <string>

#include "core/corpus/preprocess_options.h"
#include "core/io/folders/staging_folder.h"

namespace phraseq {

/// Throws UsageError if `destination` has data that the run must not replace: that of another
/// language pair, which the new manifest would not list, or an earlier result for the same
/// languages, or a manifest of something else, without --overwrite.
void reject_earlier_result(const PreprocessOptions& options, const std::string& destination);

/// Throws UsageError if a file of `staging` would replace one of `destination` without --overwrite,
/// unless that is what a stopped run left.
void reject_replacement(const PreprocessOptions& options,
                        const StagingFolder& staging,
                        const std::string& destination);

/// Removes the shard of an earlier run, so that a run that fails leaves none, which could be taken
/// for its result. Throws UsageError if `folder` is another one.
void remove_earlier_shard(const std::string& folder);

}  // namespace phraseq
