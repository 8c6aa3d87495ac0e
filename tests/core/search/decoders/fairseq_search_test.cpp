// Diverse beams, diverse siblings, lexical constraints and temperature against fairseq's own search
// classes: tests/golden/fairseq_search/generate.py.

#include <cmath>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/random.h"
#include "core/search/decoders/beam_search.h"
#include "core/search/sessions/tempered_session.h"
#include "tests/core/search/toy_session.h"

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_search::kA;
using testing_search::kB;
using testing_search::kC;
using testing_search::Language;
using testing_search::sentences;
using testing_search::ToySession;

/// fairseq keeps the scores of constrained search in single precision, and prints five decimals.
constexpr double kTolerance = 2e-5;
constexpr int64_t kColumns = 20;

uint64_t splitmix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

/// The language of generate.py: logits are a function of seed, sentence and past.
std::vector<double> made_up_logits(uint64_t seed,
                                   int64_t sentence,
                                   const std::vector<int64_t>& past) {
  uint64_t state = splitmix(seed * 1000003 + static_cast<uint64_t>(sentence) + 1);
  for (const int64_t token : past) state = splitmix(state * 31 + static_cast<uint64_t>(token) + 1);
  std::vector<double> values;
  for (uint64_t column = 0; column < kColumns; ++column) {
    const uint64_t bits = splitmix(state + column * 0x9E3779B97F4A7C15ULL) >> 11;
    values.push_back(6.0 * static_cast<double>(bits) / std::pow(2.0, 53));
  }
  values[kEos] += 0.5 * static_cast<double>(past.size()) - 2;
  return values;
}

Language made_up_language(uint64_t seed) {
  return [seed](int64_t sentence, const std::vector<int64_t>& past) {
    auto values = made_up_logits(seed, sentence, past);
    for (double& value : values) value = std::exp(value);
    return values;
  };
}

BeamSettings settings_of(const nlohmann::json& entry) {
  BeamSettings settings;
  settings.beam = settings.nbest = entry.at("beam");
  settings.diverse.groups = entry.value("groups", -1);
  settings.diverse.strength = entry.value("strength", 0.5);
  settings.diversity_rate = entry.value("rate", -1.0);
  const std::string order = entry.value("constraints", "");
  if (!order.empty())
    settings.constraints =
        order == "ordered" ? ConstraintOrder::kOrdered : ConstraintOrder::kUnordered;
  return settings;
}

SearchOptions options_of(const nlohmann::json& entry) {
  SearchOptions options;
  options.length_penalty.alpha = entry.value("lenpen", 1.0);
  options.constraints.min_length = entry.value("min_len", 1);
  options.constraints.no_repeat_ngram_size = entry.value("no_repeat", 0);
  return options;
}

std::vector<SentenceInput> sentences_of(const nlohmann::json& entry) {
  auto all = sentences(entry.at("sentences"), entry.at("max_len"));
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].prefix = entry.value("prefix", std::vector<int64_t>());
    if (entry.contains("phrases"))
      all[i].lexical_constraints = entry.at("phrases").at(i).get<LexicalConstraints>();
  }
  return all;
}

std::vector<std::vector<Hypothesis>> search(const nlohmann::json& entry) {
  const int64_t count = entry.at("sentences");
  const SearchOptions options = options_of(entry);
  std::unique_ptr<DecodingSession> session =
      std::make_unique<ToySession>(count, made_up_language(entry.at("seed")));
  if (entry.contains("temperature"))
    session = std::make_unique<TemperedSession>(std::move(session), entry.at("temperature"));
  SearchInput input(sentences_of(entry), std::move(session));
  return beam_search(input, options, settings_of(entry));
}

void expect_equal(const std::vector<Hypothesis>& ours, const nlohmann::json& theirs) {
  ASSERT_EQ(ours.size(), theirs.size());
  for (size_t i = 0; i < ours.size(); ++i) {
    EXPECT_EQ(ours[i].tokens, theirs[i].at("tokens").get<std::vector<int64_t>>()) << "place " << i;
    EXPECT_NEAR(ours[i].score, theirs[i].at("score").get<double>(), kTolerance);
    const std::vector<double> scores = theirs[i].at("token_scores");
    ASSERT_EQ(ours[i].token_scores.size(), scores.size());
    for (size_t token = 0; token < scores.size(); ++token)
      EXPECT_NEAR(ours[i].token_scores[token], scores[token], kTolerance);
  }
}

TEST(FairseqSearch, GivesTheHypothesesOfFairseqsSearchClasses) {
  std::ifstream file(PHRASEQ_SOURCE_FOLDER "/tests/golden/fairseq_search/hypotheses.json");
  const auto golden = nlohmann::json::parse(file);
  ASSERT_GE(golden.size(), 40U);
  for (const auto& entry : golden) {
    nlohmann::json shown = entry;
    shown.erase("hypotheses");
    SCOPED_TRACE(shown.dump());
    const auto ours = search(entry);
    for (size_t sentence = 0; sentence < ours.size(); ++sentence)
      expect_equal(ours[sentence], entry.at("hypotheses").at(sentence));
  }
}

nlohmann::json constrained_entry(const std::string& order) {
  return {{"seed", 5},
          {"sentences", 3},
          {"beam", 4},
          {"max_len", 30},
          {"constraints", order},
          {"phrases", {{{8, 9}, {5}}, nlohmann::json::array(), {{6, 6}, {7}}}}};
}

TEST(FairseqSearch, DoesNotDependOnBatchMates) {
  const std::vector<nlohmann::json> entries = {
      constrained_entry("ordered"),
      constrained_entry("unordered"),
      {{"seed", 5}, {"sentences", 3}, {"beam", 6}, {"max_len", 12}, {"groups", 3}},
      {{"seed", 5}, {"sentences", 3}, {"beam", 4}, {"max_len", 12}, {"rate", 0.7}}};
  for (const auto& entry : entries) {
    const auto together = search(entry);
    const auto all = sentences_of(entry);
    for (size_t sentence = 0; sentence < 3; ++sentence) {
      const Language language = [&](int64_t, const std::vector<int64_t>& past) {
        return made_up_language(5)(static_cast<int64_t>(sentence), past);
      };
      SearchInput input({all[sentence]}, std::make_unique<ToySession>(1, language));
      const auto alone = beam_search(input, {}, settings_of(entry));
      ASSERT_EQ(alone[0].size(), together[sentence].size());
      for (size_t i = 0; i < alone[0].size(); ++i)
        EXPECT_EQ(alone[0][i].tokens, together[sentence][i].tokens);
    }
  }
}

TEST(FairseqSearch, WithoutConstraintsIsPlainBeamSearch) {
  nlohmann::json plain = {{"seed", 3}, {"sentences", 2}, {"beam", 5}, {"max_len", 12}};
  const auto expected = search(plain);
  for (const std::string order : {"ordered", "unordered"}) {
    plain["constraints"] = order;
    const auto found = search(plain);
    for (size_t sentence = 0; sentence < 2; ++sentence) {
      ASSERT_EQ(found[sentence].size(), expected[sentence].size());
      for (size_t i = 0; i < found[sentence].size(); ++i)
        EXPECT_EQ(found[sentence][i].tokens, expected[sentence][i].tokens);
    }
  }
}

/// The language ends at once, and allows B only as the first word.
std::vector<double> brief(int64_t, const std::vector<int64_t>& past) {
  return past.empty() ? std::vector<double>{0, 0, 0.5, 0, 0.3, 0.2, 0}
                      : std::vector<double>{0, 0, 0.9, 0, 0.1, 0, 0};
}

std::vector<Hypothesis> search_constrained(const LexicalConstraints& constraints,
                                           int64_t max_length,
                                           int64_t min_length) {
  auto all = sentences(1, max_length);
  all[0].lexical_constraints = constraints;
  SearchInput input(all, std::make_unique<ToySession>(1, brief));
  SearchOptions options;
  options.constraints.min_length = min_length;
  BeamSettings settings;
  settings.beam = settings.nbest = 3;
  settings.constraints = ConstraintOrder::kUnordered;
  return beam_search(input, options, settings)[0];
}

TEST(ConstrainedBeam, ForbidsTheEndBeforeTheConstraintsAreMetAlsoInTheFirstStep) {
  for (const Hypothesis& hypothesis : search_constrained({{kB}}, 6, 0))
    EXPECT_EQ(hypothesis.tokens.front(), kB);
}

TEST(ConstrainedBeam, EndsAtTheMaximumLengthWhereConstraintsCannotBeMet) {
  const auto found = search_constrained({{kC}}, 2, 1);
  ASSERT_THAT(found, testing::Not(IsEmpty()));
  for (const Hypothesis& hypothesis : found) EXPECT_EQ(hypothesis.tokens.size(), 3U);
}

TEST(ConstrainedBeam, CountsTheWordsOfAPhraseThatASlotGenerates) {
  const Language language = [](int64_t, const std::vector<int64_t>&) {
    return std::vector<double>{0, 0, 0.3, 0, 0.3, 0.05, 0.05, 0.3};
  };
  auto session = std::make_unique<ToySession>(1, language);
  session->phrases = {{kB, kC}};
  auto all = sentences(1, 9);
  all[0].lexical_constraints = {{kB, kC}};
  SearchInput input(all, std::move(session));
  BeamSettings settings;
  settings.beam = 4;
  settings.constraints = ConstraintOrder::kOrdered;
  EXPECT_THAT(beam_search(input, {}, settings)[0][0].tokens, ElementsAre(kB, kC, kEos));
}

TEST(DiverseBeam, GivesEachGroupAnotherFirstWord) {
  // A has 0.6, B 0.25, C 0.15; with a strength of 2 no group repeats the word of another.
  const Language language = [](int64_t, const std::vector<int64_t>& past) {
    return past.empty() ? std::vector<double>{0, 0, 0, 0, 0.6, 0.25, 0.15}
                        : std::vector<double>{0, 0, 1, 0, 0, 0, 0};
  };
  SearchInput input(sentences(1, 5), std::make_unique<ToySession>(1, language));
  BeamSettings settings;
  settings.beam = settings.nbest = 3;
  settings.diverse = {3, 5};
  std::vector<int64_t> first;
  const auto found = beam_search(input, {}, settings)[0];
  for (const Hypothesis& hypothesis : found) first.push_back(hypothesis.tokens.front());
  EXPECT_THAT(first, testing::UnorderedElementsAre(kA, kB, kC));
}

TEST(BeamSettings, NameWhatExcludesEachOther) {
  BeamSettings settings;
  EXPECT_THAT(settings.problems(), IsEmpty());
  settings.diverse.groups = 2;
  EXPECT_THAT(settings.problems(),
              ElementsAre("--beam must be a multiple of --diverse-beam-groups"));
  settings.beam = 4;
  settings.constraints = ConstraintOrder::kOrdered;
  EXPECT_THAT(settings.problems(),
              ElementsAre("--diverse-beam-groups and --constraints cannot be combined"));
}

}  // namespace
}  // namespace phraseq
