// F1 of words by their frequency, compared with compare-mt (tests/golden/score/word_f1.py).

#include "core/score/compare/word_frequencies.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/score/compare/compare_options.h"
#include "tests/core/io/temporary_folder.h"

namespace phraseq::score {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Json = nlohmann::json;

WordSettings settings_of(const std::string& tokenizer, bool lowercase = false) {
  return {make_bleu_tokenizer(tokenizer, ""), lowercase};
}

std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

class WordFrequenciesTest : public ::testing::Test {
 protected:
  WordFrequencies count(const Lines& train, const WordSettings& settings) {
    return {settings, {temporary_.write("train", joined(train))}};
  }

  BucketTable compare(const WordFrequencies& frequencies,
                      const std::vector<int64_t>& edges,
                      const std::vector<Lines>& outputs,
                      const Lines& reference) {
    ScoreInput input;
    input.references = {reference};
    std::vector<SystemOutputs> systems;
    for (const Lines& output : outputs) {
      const std::string name = std::to_string(systems.size());
      input.systems.push_back({name, output});
      systems.push_back({name, {name}});
    }
    return compare_by_frequency(frequencies, edges, input, systems, {100, {}, 1});
  }

  TemporaryFolder temporary_;
};

TEST_F(WordFrequenciesTest, CountsWordsAsBleuDividesThem) {
  const auto frequencies = count({"Yes, yes.", "yes"}, settings_of("13a"));
  EXPECT_EQ(frequencies.of("yes"), 2);
  EXPECT_EQ(frequencies.of("Yes"), 1);
  EXPECT_EQ(frequencies.of(","), 1);
  EXPECT_EQ(frequencies.of("Yes,"), 0);
  const auto lowercased = count({"Yes, yes.", "yes"}, settings_of("none", true));
  EXPECT_EQ(lowercased.of("yes"), 1);
  EXPECT_EQ(lowercased.of("yes,"), 1);
  EXPECT_THAT(words_of("Yes, YES", lowercased.settings()), ElementsAre("yes,", "yes"));
}

TEST_F(WordFrequenciesTest, AddUpOverSeveralFiles) {
  const WordFrequencies frequencies(
      settings_of("13a"), {temporary_.write("a", "one two\n"), temporary_.write("b", "two\n")});
  EXPECT_EQ(frequencies.of("one"), 1);
  EXPECT_EQ(frequencies.of("two"), 2);
}

TEST_F(WordFrequenciesTest, AreZeroForControlSymbolsThatDoNotOccur) {
  EXPECT_EQ(count({"a"}, settings_of("none")).of("<unk>"), 0);
  EXPECT_EQ(count({"<unk> </s> <unk>"}, settings_of("none")).of("<unk>"), 2);
}

TEST_F(WordFrequenciesTest, EqualThoseOfCompareMt) {
  std::ifstream file(PHRASEQ_SOURCE_FOLDER "/tests/golden/score/word_f1.json");
  const auto golden = Json::parse(file);
  for (const Json& expected : golden.at("cases")) {
    const auto frequencies =
        count(golden.at("train"), settings_of("none", expected.at("lowercase").get<bool>()));
    const auto table =
        compare(frequencies, golden.at("edges"), golden.at("outputs"), golden.at("reference"));
    ASSERT_EQ(table.rows.size(), expected.at("words").size());
    for (size_t bucket = 0; bucket < table.rows.size(); ++bucket) {
      const BucketScores& row = table.rows[bucket];
      EXPECT_EQ(row.size, expected.at("words")[bucket]);
      for (size_t system = 0; system < row.systems.size(); ++system)
        EXPECT_NEAR(
            row.systems[system].score, expected.at("f1")[system][bucket].get<double>(), 1e-10);
    }
  }
}

TEST_F(WordFrequenciesTest, MatchAWordAtMostAsOftenAsItOccursInTheReference) {
  const auto frequencies = count({"a a b"}, settings_of("none"));
  const WordF1 metric(frequencies, 1, 3);
  double row[3] = {};
  const std::string_view references[] = {"a b new", "b b b"};  // the second one is ignored
  metric.measure("b b a new new", references, row);
  EXPECT_THAT(row, ElementsAre(2, 3, 2));  // "new" has the frequency 0
  EXPECT_DOUBLE_EQ(metric.score(row), 80);
  const double nothing[3] = {};
  EXPECT_EQ(metric.score(nothing), 0);
}

TEST_F(WordFrequenciesTest, PutAWordIntoTheBucketThatBeginsWithItsFrequency) {
  const auto frequencies = count({"a", "b b", "c c c"}, settings_of("none"));
  const auto table = compare(
      frequencies, {1, 2, 3}, {{"a b c", "a b c"}, {"x x x", "x x x"}}, {"a b c x", "a b c x"});
  std::vector<double> first, second;
  for (const BucketScores& row : table.rows) {
    first.push_back(row.systems[0].score);
    second.push_back(row.systems[1].score);
  }
  EXPECT_THAT(first, ElementsAre(0, 100, 100, 100));
  EXPECT_THAT(second, ElementsAre(50, 0, 0, 0));  // precision 1/3 and recall 1 of "x"
  EXPECT_EQ(table.rows[1].from, 1);
  EXPECT_EQ(table.rows[1].to, 2);
  EXPECT_FALSE(table.rows[3].to);
  EXPECT_FALSE(table.rows[1].systems[0].p_value);
  EXPECT_TRUE(table.rows[1].systems[1].p_value);
}

TEST_F(WordFrequenciesTest, AreNotTestedIfOneSentenceHasAllWordsOfABucket) {
  const auto frequencies = count({"a", "b b"}, settings_of("none"));
  const auto table = compare(frequencies, {1, 2}, {{"a b", "b"}, {"x b", "x"}}, {"a b", "b"});
  EXPECT_EQ(table.rows[1].systems[1].score, 0);
  EXPECT_FALSE(table.rows[1].systems[1].p_value);
  EXPECT_FALSE(table.rows[1].systems[1].koehn_p_value);
  EXPECT_TRUE(table.rows[2].systems[1].p_value);
}

TEST_F(WordFrequenciesTest, HaveNoScoresForABucketWithoutWordsOfTheReference) {
  const auto frequencies = count({"a"}, settings_of("none"));
  const auto table = compare(frequencies, {1}, {{"a"}, {"new"}}, {"a"});
  EXPECT_EQ(table.rows[0].size, 0U);
  EXPECT_TRUE(table.rows[0].systems.empty());
  EXPECT_EQ(table.rows[1].size, 1U);
}

TEST_F(WordFrequenciesTest, UseOneOfSeveralReferences) {
  ScoreInput input;
  input.systems = {{"a", {"one"}}, {"b", {"two"}}};
  input.references = {{"one"}, {"two"}};
  const auto table = compare_by_frequency(count({"one two"}, settings_of("none")),
                                          {1},
                                          input,
                                          {{"a", {"a"}}, {"b", {"b"}}},
                                          {10, {}, 1});
  EXPECT_EQ(table.rows[1].systems[0].score, 100);
  EXPECT_EQ(table.rows[1].systems[1].score, 0);
  EXPECT_THAT(table.signature, StartsWith("nrefs:1|"));
}

TEST_F(WordFrequenciesTest, NameTheLineOfInvalidText) {
  try {
    const WordFrequencies frequencies(settings_of("13a"), {temporary_.write("bad", "ok\n\xff\n")});
    FAIL() << "nothing was thrown";
  } catch (const DataError& error) {
    EXPECT_THAT(error.message(), HasSubstr("bad:2"));
  }
}

TEST_F(WordFrequenciesTest, NeedWords) {
  EXPECT_THROW(count({"", " "}, settings_of("13a")), DataError);
}

std::vector<std::string> problems_of(const std::function<void(CompareOptions&)>& change) {
  CompareOptions options;
  options.systems = {"a", "b"};
  change(options);
  return options.problems();
}

TEST(CompareOptions, NeedATrainingTextForFrequencies) {
  EXPECT_THAT(problems_of([](auto& o) { o.frequency_edges = {3}; }),
              ElementsAre("--frequency-edges needs --train-text FILE"));
  EXPECT_THAT(problems_of([](auto& o) {
                o.plot_by = PlotTable::kFrequency;
                o.plot = "a.svg";
              }),
              ElementsAre("--plot-by frequency needs --train-text FILE"));
  EXPECT_THAT(problems_of([](auto& o) {
                o.train_text = {"a"};
                o.frequency_edges = {3, 2};
              }),
              ElementsAre("--frequency-edges: expected positive integers in increasing order"));
  EXPECT_TRUE(problems_of([](auto& o) {
                o.train_text = {"a"};
                o.frequency_edges = {2, 3};
              }).empty());
}

TEST(CompareOptions, NameBleuForTheWordsOfTheTrainingText) {
  CompareOptions options;
  OptionTable table;
  options.describe(table);
  const std::vector<std::string> given = {
      "a", "b", "-m", "ter", "--bucket-metric", "ter", "--train-text", "t"};
  EXPECT_THAT(options.peek_metrics(table, given), ElementsAre("ter", "ter", "bleu"));
}

}  // namespace
}  // namespace phraseq::score
