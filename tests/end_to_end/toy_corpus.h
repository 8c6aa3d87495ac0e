#pragma once

#include <cstdint>
#include <string>

#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {

/// Parallel text of a generated language pair that a very small model learns in seconds: digits in
/// English and German words, translated word by word.
struct ToyText {
  std::string english;
  std::string german;
};

/// Generates `pairs` sentences of 1 to 7 words, which only depend on the seed.
ToyText toy_text(int pairs, uint64_t seed);

/// Writes train, dev (20 pairs) and test (30 pairs) as NAME.en and NAME.de. A Workspace is a
/// folder, too.
template <class Folder>
void write_toy_corpus(const Folder& folder, int training_pairs = 200) {
  const auto write = [&](const std::string& name, const ToyText& text) {
    folder.write(name + ".en", text.english);
    folder.write(name + ".de", text.german);
  };
  write("train", toy_text(training_pairs, 1));
  write("dev", toy_text(20, 2));
  write("test", toy_text(30, 3));
}

/// The arguments of `preprocess` that store the corpus in `data-bin`, with words as symbols.
Arguments toy_preprocess();

/// The arguments of `train` on `data-bin` into `save_dir`: one layer on each side, model width 32,
/// with dropout.
Arguments toy_train(const std::string& save_dir, int updates);

}  // namespace phraseq::end_to_end
