#pragma once

#include <string>

#include "core/corpus/preprocessing/run_files.h"

namespace phraseq {

/// Learns a SentencePiece model on the training text of the languages `of`, lowercased on request,
/// and returns it. --subword-sentences limits how many sentences are read, evenly spread.
std::string learn_subwords(const RunFiles& files,
                           const RunSides& of,
                           const PreprocessOptions& options,
                           bool lowercase);

}  // namespace phraseq
