// A model for truecasing, applied to its own text, and text that a model is learned from.

#include <utility>

#include "core/text/moses/moses_truecaser.h"
#include "tests/fuzz/fuzz_input.h"

PHRASEQ_FUZZ_TARGET(truecase_model) {
  using namespace phraseq;
  const std::string text(fuzz::text_of(data, size));
  fuzz::check([&] {
    bool is_first = true;
    const std::string model = learn_truecase_model([&](std::string& line) {
      line = text;
      return std::exchange(is_first, false);
    });
    MosesTruecaser(model, "model", false).truecase(text);
    detruecase(text);
  });
  return fuzz::check([&] { MosesTruecaser(text, "model", true).truecase(text); });
}
