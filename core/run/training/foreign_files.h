#pragma once

#include <string>

#include "core/base/api.h"

namespace phraseq {

/// Throws UsageError if `folder`, which may be missing, has a file of another program that a
/// training would replace or append to: run.json, metrics.jsonl or, if `draws_curves`,
/// learning_curves.svg.
PHRASEQ_API void reject_foreign_files(const std::string& folder, bool draws_curves);

}  // namespace phraseq
