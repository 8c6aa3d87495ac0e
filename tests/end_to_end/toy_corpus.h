#pragma once

#include <cstdint>
#include <string>

#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {

/// Parallel text of a generated language pair that a very small model learns in seconds: digits as
/// English words against German ones, word by word.
struct ToyText {
  std::string english;
  std::string german;
};

/// `pairs` sentences of 1 to 7 words, the same for the same seed.
ToyText toy_text(int pairs, uint64_t seed);

/// Writes train, dev (20 pairs) and test (30) as NAME.en and NAME.de.
void write_toy_corpus(const Workspace& workspace, int training_pairs = 200);

/// `preprocess` of that corpus into `data-bin`, words as symbols.
Arguments toy_preprocess();

/// `train` on `data-bin` into `save_dir`: one layer a side, model width 32, dropout on.
Arguments toy_train(const std::string& save_dir, int updates);

}  // namespace phraseq::end_to_end
