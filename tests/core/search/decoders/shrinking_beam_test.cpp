#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/search/decoders/beam_search.h"
#include "tests/core/search/toy_session.h"

// The beam of dl4mt: each finished hypothesis takes one of the places of the beam for good.

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing_search::kA;
using testing_search::kB;
using testing_search::sentences;
using testing_search::ToySession;

/// At first A (0.5), </s> (0.3) or B (0.2); then </s> (0.4) or A (0.6).
std::vector<double> ending_language(int64_t, const std::vector<int64_t>& tokens) {
  if (tokens.empty())
    return {0, 0, 0.3, 0, 0.5, 0.2};
  return {0, 0, 0.4, 0, 0.6, 0};
}

struct ShrinkingSearch {
  std::vector<Hypothesis> found;
  std::vector<int64_t> rows_of_step;
};

ShrinkingSearch search_shrinking(bool shrink, int64_t max_length) {
  auto session = std::make_unique<ToySession>(1, ending_language);
  const ToySession& log = *session;
  SearchInput input(sentences(1, max_length), std::move(session));
  SearchOptions options;
  options.constraints.min_length = 0;
  const BeamSettings settings{.beam = 2, .nbest = 2, .shrink = shrink};
  auto found = beam_search(input, options, settings);
  return {found[0], log.rows_of_step};
}

TEST(ShrinkingBeam, KeepsOneHypothesisFewerForEachFinishedOne) {
  // </s> is second best in the first step. fairseq's beam also keeps B, and "A </s>", second best
  // in the next step, ends the search.
  EXPECT_THAT(search_shrinking(false, 2).rows_of_step, ElementsAre(1, 2));
  const ShrinkingSearch shrunk = search_shrinking(true, 2);
  EXPECT_THAT(shrunk.rows_of_step, ElementsAre(1, 1, 1));
  ASSERT_EQ(shrunk.found.size(), 2U);
  EXPECT_THAT(shrunk.found[0].tokens, ElementsAre(kA, kA, kEos));
  EXPECT_THAT(shrunk.found[1].tokens, ElementsAre(kEos));
  EXPECT_NEAR(shrunk.found[0].log_probability, std::log(0.5 * 0.6 * 0.4), 1e-12);
}

Candidate candidate(int64_t column, double total) { return {0, column, total, total, false}; }

TEST(ShrinkingBeam, FinishesOrKeepsTheBestCandidatesAndIgnoresOthers) {
  const std::vector<Candidate> ranked = {
      candidate(kA, -1), candidate(kEos, -2), candidate(kB, -3), candidate(kEos, -4)};
  const BeamSelection two = select_shrinking(ranked, 2);
  ASSERT_EQ(two.finished.size(), 1U);
  EXPECT_EQ(two.finished[0].total, -2);
  ASSERT_EQ(two.survivors.size(), 1U);
  EXPECT_EQ(two.survivors[0].column, kA);
  const BeamSelection all = select_shrinking(ranked, 9);
  EXPECT_EQ(all.finished.size(), 2U);
  EXPECT_EQ(all.survivors.size(), 2U);
}

}  // namespace
}  // namespace phraseq
