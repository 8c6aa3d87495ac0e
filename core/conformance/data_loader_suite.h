#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/conformance/check.h"
#include "core/plugin/registry.h"

namespace phraseq::conformance {

/// What a data loader is tried on.
struct LoaderData {
  std::string folder;
  std::string split = "train";
  std::string source = "en";
  std::string target = "de";
};

/// Writes the same 23 pairs as raw text (`train.en`, `train.de`) and as a data folder of
/// `preprocess`
/// (`dict.LANG.txt`, `train.en-de.LANG.idx` and `.bin`).
PHRASEQ_API LoaderData write_toy_data(const std::string& folder);

/// What every data loader has to stand. A loader that does not find the split is NotApplicable: the
/// author names data of its own format. Words of a language without `dict.LANG.txt` in the folder
/// get ids by their bytes.
PHRASEQ_API std::vector<Check> data_loader_suite(const Selection& selection,
                                                 const LoaderData& data);

}  // namespace phraseq::conformance
