#pragma once

#include <string>

#include "core/base/api.h"
#include "core/convert/imported_model.h"

namespace phraseq {

/// The files of a fairseq model.
struct FairseqFiles {
  std::string weights{};        ///< a `.pt` file, or safetensors with `options`
  std::string options{};        ///< JSON; empty for a `.pt` file
  std::string data{};           ///< folder with dict.LANG.txt; empty = the folder of a `.pt` file
  std::string sentencepiece{};  ///< empty = none
  std::string source_lang{};    ///< empty = as recorded or as the files in `data` are named
  std::string target_lang{};
};

/// Reads a fairseq Transformer. Throws FormatError for damaged files and weights that fit neither
/// options nor dictionaries, a UsageError that lists every setting without a counterpart, and
/// IoError if a file is missing.
PHRASEQ_API ImportedModel import_fairseq(const FairseqFiles& files);

}  // namespace phraseq
