// N-best lists in fairseq's format, and the same bytes as scores of their hypotheses.

#include "core/score/rerank/rerank_lists.h"

#include "tests/fuzz/fuzz_input.h"

PHRASEQ_FUZZ_TARGET(rerank_lists) {
  using namespace phraseq;
  const fuzz::FileInMemory file(fuzz::text_of(data, size));
  fuzz::check([&] {
    for (const score::RerankList& list : score::read_rerank_lists(file.path())) {
      if (score::best_hypothesis(list, {}) >= list.hypotheses.size())
        throw std::logic_error("a hypothesis was chosen that is not there");
    }
  });
  return fuzz::check([&] {
    std::vector<score::RerankList> lists(1);
    lists[0].hypotheses.resize(3);
    score::read_scores(file.path(), &score::RerankHypothesis::channel, lists);
  });
}
