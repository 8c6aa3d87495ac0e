// A contrastive test set.

#include "core/score/contrastive/contrastive_set.h"

#include "tests/fuzz/fuzz_input.h"

PHRASEQ_FUZZ_TARGET(contrastive_set) {
  using namespace phraseq;
  const fuzz::FileInMemory file(fuzz::text_of(data, size));
  return fuzz::check([&] {
    for (const auto& pair : score::read_contrastive_set(file.path(), {}).pairs) {
      if (pair.source.empty() || pair.reference.empty() || pair.contrastive.empty())
        throw std::logic_error("an empty sentence was taken");
    }
  });
}
