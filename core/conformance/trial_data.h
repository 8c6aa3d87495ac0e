#pragma once

#include <string>

#include "core/base/api.h"

namespace phraseq::conformance {

/// What components that read files are tried on.
struct TrialData {
  std::string folder;
  std::string split = "train";
  std::string source = "en";
  std::string target = "de";
  std::string model;  ///< a tokenizer's model file; may be empty
};

/// Writes the same 23 pairs as raw text (`train.en`, `train.de`) and as a data folder of
/// `preprocess` (`dict.LANG.txt`, `train.en-de.LANG.idx` and `.bin`).
PHRASEQ_API TrialData write_toy_data(const std::string& folder);

}  // namespace phraseq::conformance
