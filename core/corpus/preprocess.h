#pragma once

#include <functional>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/corpus/preprocess_options.h"
#include "core/text/tokenizer.h"

namespace phraseq {

/// The tokenizer that was requested for a run, before it has a model.
struct ChosenTokenizer {
  std::string name;        ///< of the component
  nlohmann::json options;  ///< values by name; "lowercase" also applies to learning subwords
  std::function<std::unique_ptr<Tokenizer>(const TokenizerSetup&)> make;
};

/// Turns text into a data folder (docs/formats/data_folder.md): reads and checks all text, learns
/// subwords if requested, builds dictionaries and writes `.bin` and `.idx` as fairseq does, and
/// writes a manifest that records what was done. `recorded_options` goes into it.
///
/// Everything is written next to the destination and moved into it at the end, so a failure leaves
/// existing files unchanged. Throws DataError for invalid text, UsageError if the folder already
/// contains dictionaries, and IoError.
PHRASEQ_API void preprocess(const PreprocessOptions& options,
                            const ChosenTokenizer& tokenizer,
                            const nlohmann::json& recorded_options);

}  // namespace phraseq
