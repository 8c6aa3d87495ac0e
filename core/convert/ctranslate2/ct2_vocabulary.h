#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/text/dictionary.h"

namespace phraseq {

/// A vocabulary of CTranslate2 as one of ours.
struct PHRASEQ_API Ct2Vocabulary {
  Dictionary dictionary;
  std::vector<int64_t> rows;  ///< by our id: the row in the model; -1 = it has no such symbol
  int64_t known = 0;          ///< symbols of the model
};

/// Reads `shared_vocabulary.json`, or that of a side ("source" or "target"). <s> and padding
/// (`<blank>` or `<pad>`) may be missing. Throws IoError when there is no file, and FormatError
/// without </s> or <unk>.
PHRASEQ_API Ct2Vocabulary read_ct2_vocabulary(const std::filesystem::path& folder,
                                              const std::string& side);

}  // namespace phraseq
