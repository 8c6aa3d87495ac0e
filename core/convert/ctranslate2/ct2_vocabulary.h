#pragma once

#include <filesystem>
#include <string>

#include "core/base/api.h"
#include "core/convert/foreign_vocabulary.h"

namespace phraseq {

/// Reads `shared_vocabulary.json`, or that of a side ("source" or "target"). <s> and padding
/// (`<blank>` or `<pad>`) may be missing. Throws IoError if there is no such file, and FormatError
/// if </s> or <unk> is missing.
PHRASEQ_API ForeignVocabulary read_ct2_vocabulary(const std::filesystem::path& folder,
                                                  const std::string& side);

}  // namespace phraseq
