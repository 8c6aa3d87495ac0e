// Lists of hypotheses in each format.

#include "core/score/mbr/nbest_list.h"

#include "tests/fuzz/fuzz_input.h"

PHRASEQ_FUZZ_TARGET(nbest_list) {
  using namespace phraseq;
  const fuzz::FileInMemory file(fuzz::text_of(data, size));
  for (const auto& [name, format] : score::kNBestFormatNames) {
    fuzz::check([&, format = format] {
      for (const auto& list : score::read_nbest_lists(file.path(), format, 2)) {
        if (list.texts.empty() || (!list.scores.empty() && list.scores.size() != list.texts.size()))
          throw std::logic_error("hypotheses without texts, or with other scores");
      }
    });
  }
  return 0;
}
