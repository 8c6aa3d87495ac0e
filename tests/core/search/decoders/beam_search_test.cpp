#include "core/search/decoders/beam_search.h"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/search/decoders/greedy_search.h"
#include "tests/core/search/toy_session.h"

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing_search::kA;
using testing_search::kB;
using testing_search::kC;
using testing_search::Language;
using testing_search::sentences;
using testing_search::ToySession;

constexpr int64_t kVocabulary = 7;

/// A language of seven symbols; the seed determines the probabilities after each past.
Language random_language(uint64_t seed) {
  return [seed](int64_t sentence, const std::vector<int64_t>& tokens) {
    uint64_t place = mix_seeds(seed, static_cast<uint64_t>(sentence));
    for (const int64_t token : tokens) place = mix_seeds(place, static_cast<uint64_t>(token));
    Random random(place);
    std::vector<double> p(kVocabulary);
    double sum = 0;
    for (double& value : p) sum += value = std::pow(random.uniform(), 2) + 1e-3;
    for (double& value : p) value /= sum;
    return p;
  };
}

/// A language given by a table from past tokens to probabilities; what is missing is improbable.
Language table(std::map<std::vector<int64_t>, std::map<int64_t, double>> entries,
               int64_t columns = kVocabulary) {
  return [entries = std::move(entries), columns](int64_t, const std::vector<int64_t>& tokens) {
    std::vector<double> p(static_cast<size_t>(columns), 1e-9);
    const auto entry = entries.find(tokens);
    if (entry != entries.end()) {
      for (const auto& [token, value] : entry->second) p[static_cast<size_t>(token)] = value;
    }
    double rest = 1;
    for (const double value : p) rest -= value;
    p[kPad] += std::max(rest, 0.0);  // <pad> is forbidden, so it can fill the sum up to 1
    return p;
  };
}

std::vector<std::vector<Hypothesis>> search(const Language& language,
                                            int64_t count,
                                            int64_t max_length,
                                            const SearchOptions& options,
                                            const BeamSettings& settings) {
  SearchInput input(sentences(count, max_length), std::make_unique<ToySession>(count, language));
  return beam_search(input, options, settings);
}

/// Lists every translation of sentence 0 that the constraints allow, best first.
void enumerate(const Language& language,
               const SearchOptions& options,
               int64_t max_length,
               std::vector<int64_t>& tokens,
               double total,
               std::vector<Hypothesis>& all) {
  const auto p = language(0, tokens);
  const auto length = static_cast<int64_t>(tokens.size());
  if (length >= options.constraints.min_length || length >= max_length) {
    Hypothesis hypothesis;
    hypothesis.tokens = tokens;
    hypothesis.tokens.push_back(kEos);
    hypothesis.log_probability = total + std::log(p[kEos]);
    hypothesis.score = options.score(hypothesis.log_probability, length + 1);
    all.push_back(hypothesis);
  }
  if (length >= max_length)
    return;
  for (int64_t token = 0; token < kVocabulary; ++token) {
    if (token == kEos || token == kPad)
      continue;
    tokens.push_back(token);
    const double penalty = token == kUnk ? options.constraints.unknown_penalty : 0;
    enumerate(language,
              options,
              max_length,
              tokens,
              total + std::log(p[static_cast<size_t>(token)]) - penalty,
              all);
    tokens.pop_back();
  }
}

TEST(BeamSearch, FindsTheBestOfAllTranslationsWhenTheBeamHoldsThemAll) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    SearchOptions options;
    options.length_penalty = {seed % 2 == 0 ? LengthPenaltyForm::kPower : LengthPenaltyForm::kWu,
                              0.7};
    options.constraints.min_length = static_cast<int64_t>(seed % 3);
    options.constraints.unknown_penalty = 0.3;
    std::vector<Hypothesis> all;
    std::vector<int64_t> tokens;
    enumerate(random_language(seed), options, 3, tokens, 0, all);
    std::sort(
        all.begin(), all.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
    // 5 + 25 + 125 + 1 translations: with this beam nothing is ever pruned.
    const auto found = search(random_language(seed), 1, 3, options, {200, 4});
    ASSERT_EQ(found[0].size(), 4u);
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(found[0][i].tokens, all[i].tokens) << "seed " << seed << ", place " << i;
      EXPECT_NEAR(found[0][i].score, all[i].score, 1e-12);
      EXPECT_NEAR(found[0][i].log_probability, all[i].log_probability, 1e-12);
    }
  }
}

TEST(BeamSearch, OfOneEqualsGreedySearch) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SearchOptions options;
    options.constraints.no_repeat_ngram_size = 2;
    const auto beam = search(random_language(seed), 3, 8, options, {1, 1});
    SearchInput input(sentences(3, 8), std::make_unique<ToySession>(3, random_language(seed)));
    const auto greedy = greedy_search(input, options);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(beam[i][0].tokens, greedy[i][0].tokens) << "seed " << seed;
      EXPECT_EQ(beam[i][0].score, greedy[i][0].score);
      EXPECT_EQ(beam[i][0].token_scores, greedy[i][0].token_scores);
    }
  }
}

TEST(BeamSearch, IsGreedyWithOneHypothesisAndNoVariant) {
  EXPECT_TRUE((BeamSettings{1, 1}.is_greedy()));
  EXPECT_FALSE((BeamSettings{2, 1}.is_greedy()));
  EXPECT_FALSE((BeamSettings{.beam = 1, .recombine = true}.is_greedy()));
  EXPECT_FALSE((BeamSettings{.beam = 1, .diverse = {.groups = 1}}.is_greedy()));
  EXPECT_FALSE((BeamSettings{.beam = 1, .diversity_rate = 0.5}.is_greedy()));
  EXPECT_FALSE((BeamSettings{.beam = 1, .constraints = ConstraintOrder::kOrdered}.is_greedy()));
}

TEST(BeamSearch, DoesNotDependOnBatchMates) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const auto together = search(random_language(seed), 4, 6, {}, {3, 3});
    for (int64_t sentence = 0; sentence < 4; ++sentence) {
      const Language alone = [&](int64_t, const std::vector<int64_t>& tokens) {
        return random_language(seed)(sentence, tokens);
      };
      const auto single = search(alone, 1, 6, {}, {3, 3});
      ASSERT_EQ(single[0].size(), together[static_cast<size_t>(sentence)].size());
      for (size_t i = 0; i < single[0].size(); ++i) {
        EXPECT_EQ(single[0][i].tokens, together[static_cast<size_t>(sentence)][i].tokens);
        EXPECT_EQ(single[0][i].score, together[static_cast<size_t>(sentence)][i].score);
      }
    }
  }
}

TEST(BeamSearch, RanksByHandComputedScores) {
  // "A </s>" has 0.5 · 0.4 = 0.2, "B </s>" 0.4 · 0.9 = 0.36, "A A </s>" 0.5 · 0.5 · 0.8 = 0.2.
  const Language language = table({{{}, {{kA, 0.5}, {kB, 0.4}}},
                                   {{kA}, {{kEos, 0.4}, {kA, 0.5}}},
                                   {{kB}, {{kEos, 0.9}}},
                                   {{kA, kA}, {{kEos, 0.8}}}});
  const auto power = search(language, 1, 9, {}, {2, 2});
  EXPECT_THAT(power[0][0].tokens, ElementsAre(kB, kEos));
  EXPECT_NEAR(power[0][0].score, std::log(0.36) / 2, 1e-12);
  EXPECT_NEAR(power[0][0].log_probability, std::log(0.36), 1e-12);
  EXPECT_NEAR(power[0][0].token_scores[1], std::log(0.9), 1e-12);
  // "A </s>" is only third in the second step; "A A" is second, and ends a step later.
  EXPECT_THAT(power[0][1].tokens, ElementsAre(kA, kA, kEos));
  EXPECT_NEAR(power[0][1].score, std::log(0.2) / 3, 1e-12);

  SearchOptions long_ones;
  long_ones.length_penalty = {LengthPenaltyForm::kPower, 3};
  const auto three = search(language, 1, 9, long_ones, {3, 3});
  EXPECT_THAT(three[0][0].tokens, ElementsAre(kA, kA, kEos));
  EXPECT_NEAR(three[0][0].score, std::log(0.2) / 27, 1e-12);
}

TEST(BeamSearch, FinishesOnlyAnEndAmongTheFirstBeamCandidates) {
  // After B, </s> has 0.3 · 0.5 = 0.15 and is third after "A A" and "A B", so a beam of two does
  // not finish it.
  const Language language = table({{{}, {{kA, 0.6}, {kB, 0.3}}},
                                   {{kA}, {{kA, 0.5}, {kB, 0.45}}},
                                   {{kB}, {{kEos, 0.5}}},
                                   {{kA, kA}, {{kEos, 0.9}}},
                                   {{kA, kB}, {{kEos, 0.9}}}});
  const auto two = search(language, 1, 9, {}, {2, 2});
  EXPECT_THAT(two[0][0].tokens, ElementsAre(kA, kA, kEos));
  EXPECT_THAT(two[0][1].tokens, ElementsAre(kA, kB, kEos));
  const auto three = search(language, 1, 9, {}, {3, 3});
  EXPECT_THAT(three[0][2].tokens, ElementsAre(kB, kEos));
}

TEST(BeamSearch, BreaksTiesByRowThenToken) {
  const Language language = table({{{}, {{kB, 0.3}, {kA, 0.3}, {kC, 0.3}}},
                                   {{kA}, {{kEos, 1.0}}},
                                   {{kB}, {{kEos, 1.0}}},
                                   {{kC}, {{kEos, 1.0}}}});
  const auto found = search(language, 1, 9, {}, {2, 2});
  EXPECT_THAT(found[0][0].tokens, ElementsAre(kA, kEos));
  EXPECT_THAT(found[0][1].tokens, ElementsAre(kB, kEos));
}

TEST(BeamSearch, AllowsOnlyTheEndAtTheMaximumLength) {
  const Language endless = [](int64_t, const std::vector<int64_t>&) {
    return std::vector<double>{0, 0, 0.01, 0, 0.99, 0, 0};
  };
  const auto found = search(endless, 1, 3, {}, {1, 1});
  EXPECT_THAT(found[0][0].tokens, ElementsAre(kA, kA, kA, kEos));
  EXPECT_NEAR(found[0][0].score, (3 * std::log(0.99) + std::log(0.01)) / 4, 1e-12);
}

TEST(BeamSearch, EndsWithTheModelsProbabilityWhenEverythingElseIsForbidden) {
  SearchOptions options;
  options.constraints.min_length = 5;
  const Language silent = [](int64_t, const std::vector<int64_t>&) {
    return std::vector<double>{0, 0.75, 0.25, 0, 0, 0, 0};
  };
  const auto found = search(silent, 2, 9, options, {2, 2});
  ASSERT_EQ(found[1].size(), 1u);
  EXPECT_THAT(found[1][0].tokens, ElementsAre(kEos));
  EXPECT_NEAR(found[1][0].score, std::log(0.25), 1e-12);
}

TEST(BeamSearch, BreaksNoConstraintWhereAHypothesisKeepsThemAll) {
  // No word may occur twice: "A A" and "B A B" cannot continue, and "B A" ends in time.
  const Language language = table({{{}, {{kA, 0.6}, {kB, 0.4}}},
                                   {{kA}, {{kA, 1.0}}},
                                   {{kB}, {{kA, 0.1}, {kB, 0.9}}},
                                   {{kB, kA}, {{kEos, 1e-6}}}});
  SearchOptions options;
  options.constraints.min_length = 2;
  options.constraints.no_repeat_ngram_size = 1;
  const Language possible = [&](int64_t sentence, const std::vector<int64_t>& tokens) {
    auto p = language(sentence, tokens);
    for (double& value : p) value = value < 1e-8 ? 0 : value;
    p[kEos] = std::max(p[kEos], 1e-7);
    return p;
  };
  const auto found = search(possible, 1, 9, options, {2, 2});
  EXPECT_THAT(found[0][0].tokens, ElementsAre(kB, kA, kEos));
  for (const Hypothesis& hypothesis : found[0]) EXPECT_GE(hypothesis.tokens.size(), 3u);
}

TEST(BeamSearch, RejectsAPrefixThatTheModelExcludes) {
  const Language language = [](int64_t, const std::vector<int64_t>&) {
    return std::vector<double>{0, 0, 0.5, 0, 0.5, 0, 0};
  };
  auto with_prefix = sentences(1, 9);
  with_prefix[0].prefix = {kB};
  SearchInput input(with_prefix, std::make_unique<ToySession>(1, language));
  EXPECT_THROW(beam_search(input, {}, {2, 2}), DivergenceError);
}

TEST(BeamSearch, LetsFinishedSentencesLeaveTheBatch) {
  // Sentence 0 ends at once, sentence 1 after three words.
  const Language language = [](int64_t sentence, const std::vector<int64_t>& tokens) {
    const bool ends = sentence == 0 ? !tokens.empty() : tokens.size() == 3;
    return ends ? std::vector<double>{0, 0, 1, 0, 0, 0, 0}
                : std::vector<double>{0, 0, 0, 0, 0.7, 0.3, 0};
  };
  auto session = std::make_unique<ToySession>(2, language);
  const ToySession& log = *session;
  SearchInput input(sentences(2, 9), std::move(session));
  const auto found = beam_search(input, {}, {2, 2});
  EXPECT_THAT(log.rows_of_step, ElementsAre(2, 4, 2, 2));
  EXPECT_EQ(found[0][0].tokens.size(), 2u);
  EXPECT_EQ(found[1][0].tokens.size(), 4u);
}

TEST(BeamSearch, FollowsAForcedPrefixAndDecidesAfterIt) {
  auto input_sentences = sentences(1, 9);
  input_sentences[0].prefix = {kC, kB};
  SearchInput input(input_sentences, std::make_unique<ToySession>(1, random_language(3)));
  const auto found = beam_search(input, {}, {4, 4});
  ASSERT_EQ(found[0].size(), 4u);
  for (const auto& hypothesis : found[0]) {
    ASSERT_GE(hypothesis.tokens.size(), 3u);
    EXPECT_EQ(hypothesis.tokens[0], kC);
    EXPECT_EQ(hypothesis.tokens[1], kB);
    EXPECT_NEAR(hypothesis.token_scores[0], std::log(random_language(3)(0, {})[kC]), 1e-12);
  }
}

/// As in fairseq, which subtracts the penalty before it applies the prefix.
TEST(BeamSearch, SubtractsThePenaltyFromAnUnknownWordInAForcedPrefix) {
  auto input_sentences = sentences(1, 9);
  input_sentences[0].prefix = {kUnk};
  const auto first_score = [&](double penalty) {
    SearchOptions options;
    options.constraints.unknown_penalty = penalty;
    SearchInput input(input_sentences, std::make_unique<ToySession>(1, random_language(3)));
    return beam_search(input, options, {4, 4})[0][0].token_scores[0];
  };
  EXPECT_NEAR(first_score(1.5), first_score(0) - 1.5, 1e-12);
}

TEST(BeamSearch, KeepsTheAttentionOfTheRowThatGeneratedEachToken) {
  auto session = std::make_unique<ToySession>(1,
                                              table({{{}, {{kA, 0.6}, {kB, 0.4}}},
                                                     {{kA}, {{kC, 0.5}}},
                                                     {{kB}, {{kC, 1.0}}},
                                                     {{kB, kC}, {{kEos, 1.0}}},
                                                     {{kA, kC}, {{kEos, 0.1}}}}));
  session->with_attention = true;
  SearchInput input(sentences(1, 9), std::move(session));
  const auto best = beam_search(input, {}, {2, 1})[0][0];
  ASSERT_THAT(best.tokens, ElementsAre(kB, kC, kEos));
  // The weights of the toy session: the last token of the row, then the number of the row.
  EXPECT_THAT(best.attention[0], ElementsAre(-1, 0, 0, 0));
  EXPECT_THAT(best.attention[1], ElementsAre(kB, 1, 0, 0));  // B was the second row …
  EXPECT_THAT(best.attention[2], ElementsAre(kC, 0, 0, 0));  // … and led after C
}

TEST(BeamSearch, ReportsThatScoresAreNotFinite) {
  const Language broken = [](int64_t, const std::vector<int64_t>&) {
    return std::vector<double>{1, 1, 1, std::nan(""), 1, 1, 1};
  };
  EXPECT_THROW(search(broken, 1, 9, {}, {2, 1}), DivergenceError);
}

TEST(SelectCandidates, KeepsTheOrderAndSkipsLateEnds) {
  const std::vector<Candidate> ranked{{0, kA, 0, -1, false},
                                      {0, kEos, 0, -2, false},
                                      {1, kB, 0, -3, false},
                                      {1, kEos, 0, -4, false},
                                      {0, kC, 0, -5, false},
                                      {1, kC, 0, -6, false}};
  const BeamSelection selection = select_candidates(ranked, 3);
  ASSERT_EQ(selection.finished.size(), 1u);  // the second </s> is in the fourth place
  EXPECT_EQ(selection.finished[0].total, -2);
  ASSERT_EQ(selection.survivors.size(), 3u);
  EXPECT_EQ(selection.survivors[0].total, -1);
  EXPECT_EQ(selection.survivors[1].total, -3);
  EXPECT_EQ(selection.survivors[2].total, -5);
}

}  // namespace
}  // namespace phraseq
