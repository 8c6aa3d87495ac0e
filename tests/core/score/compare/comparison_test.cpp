#include "core/score/compare/comparison.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/score/compare/compare_options.h"
#include "core/score/compare/compare_sentences.h"
#include "core/score/compare/comparison_html.h"
#include "core/score/compare/comparison_json.h"
#include "core/score/compare/comparison_plot.h"
#include "core/score/compare/comparison_text.h"
#include "core/score/metrics/bleu.h"
#include "core/score/metrics/ter.h"
#include "tests/support/xml.h"

namespace phraseq::score {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr double kPerfect = 100.00000000000004;  // as in sacrebleu

/// Words:                   3           2     5               1    4
const Lines kSource = {"eins zwei drei", "a b", "1 2 3 4 5", "ééé", "w x y z"};
const Lines kReference = {"one two three four five",
                          "the cat is on the mat",
                          "a b c d e f g h",
                          "nothing at all to see",
                          "p q r s t u"};

/// The first system equals the reference; the second has x instead of c in the longest sentence.
ScoreInput example_input() {
  ScoreInput input;
  input.references = {kReference};
  input.systems = {{"A<1>", kReference}, {"B", kReference}};
  input.systems[1].lines[2] = "a b x d e f g h";
  return input;
}

const std::vector<SystemOutputs> kSystems = {{"A<1>", {"a"}}, {"B", {"b"}}};

Buckets example_buckets() { return {"source", &kSource, LengthUnit::kWords, {2, 5}}; }

Comparison example_comparison(const Buckets& buckets = example_buckets()) {
  Metrics metrics;
  metrics.push_back(std::make_unique<Bleu>(BleuSettings{}));
  metrics.push_back(std::make_unique<Ter>(TerTokenizerSettings{}));
  return compare(metrics, Bleu({}), example_input(), kSystems, buckets, {40, {}, 1});
}

std::vector<size_t> sizes(const Comparison& comparison) {
  std::vector<size_t> counts;
  for (const auto& bucket : comparison.lengths.rows) counts.push_back(bucket.size);
  return counts;
}

TEST(Comparison, ScoresEverySystemByEveryMetric) {
  const auto comparison = example_comparison();
  EXPECT_THAT(comparison.systems, ElementsAre("A<1>", "B"));
  EXPECT_THAT(comparison.metrics, ElementsAre("BLEU", "TER"));
  EXPECT_EQ(comparison.scores[0][0].score, kPerfect);
  EXPECT_EQ(comparison.scores[0][1].score, 0);
  EXPECT_FALSE(comparison.scores[0][0].p_value);
  EXPECT_FALSE(comparison.scores[0][0].koehn_p_value);
  EXPECT_DOUBLE_EQ(comparison.scores[1][1].score, 100.0 / 30);  // one word of 30
  // p-values of a paired bootstrap: only some resamples lack the sentence that differs.
  EXPECT_LT(*comparison.scores[1][0].koehn_p_value, 0.6);
  EXPECT_GT(*comparison.scores[1][0].koehn_p_value, 0.1);
  EXPECT_THAT(comparison.signatures[1], HasSubstr("nrefs:1|bs:40|seed:12345|case:lc"));
}

TEST(Comparison, PutsALengthThatIsAnEdgeIntoTheBucketAbove) {
  EXPECT_THAT(sizes(example_comparison()), ElementsAre(1, 3, 1));  // 1 word; 2 to 4; 5
  auto buckets = example_buckets();
  buckets.unit = LengthUnit::kCharacters;
  buckets.edges = {3, 4, 8};  // the lengths are 14, 3 (2 letters and a space), 9, 3 and 7
  EXPECT_THAT(sizes(example_comparison(buckets)), ElementsAre(0, 2, 1, 2));
  buckets.edges = {};
  EXPECT_THAT(sizes(example_comparison(buckets)), ElementsAre(5));
}

TEST(Comparison, ScoresABucketLikeASeparateCorpus) {
  const auto comparison = example_comparison();
  const auto& longest = comparison.lengths.rows[2];
  EXPECT_EQ(longest.from, 5);
  EXPECT_FALSE(longest.to);
  // a b x d e f g h: 7 of 8 words, 5 of 7 pairs, 3 of 6, 2 of 5.
  EXPECT_NEAR(
      longest.systems[1].score, 100 * std::pow(7.0 / 8 * 5 / 7 * 3 / 6 * 2 / 5, 0.25), 1e-12);
  EXPECT_EQ(comparison.lengths.rows[1].systems[1].score, kPerfect);
}

TEST(Comparison, FindsNoDifferenceBetweenEqualScores) {
  const auto equal = example_comparison().lengths.rows[1].systems[1];
  EXPECT_EQ(equal.p_value, 1.0);
  EXPECT_EQ(equal.koehn_p_value, 1.0);
}

TEST(Comparison, TestsNoDifferenceOfASingleSentence) {
  EXPECT_FALSE(example_comparison().lengths.rows[2].systems[1].p_value);
  Metrics metrics;
  metrics.push_back(std::make_unique<Ter>(TerTokenizerSettings{}));
  ScoreInput input;
  input.references = {{"a b c"}};
  input.systems = {{"A<1>", {"a b c"}}, {"B", {"a b x"}}};
  const Lines source = {"one"};
  const auto comparison = compare(
      metrics, Bleu({}), input, kSystems, {"source", &source, LengthUnit::kWords, {}}, {40, {}, 1});
  EXPECT_GT(comparison.scores[1][0].score, 0);
  EXPECT_FALSE(comparison.scores[1][0].p_value);
  EXPECT_FALSE(comparison.scores[1][0].koehn_p_value);
  EXPECT_FALSE(comparison.lengths.rows[0].systems[1].p_value);
}

TEST(Comparison, HasNoScoresInAnEmptyBucket) {
  auto buckets = example_buckets();
  buckets.edges = {1};
  const auto comparison = example_comparison(buckets);
  EXPECT_EQ(comparison.lengths.rows[0].size, 0U);
  EXPECT_TRUE(comparison.lengths.rows[0].systems.empty());
  EXPECT_THAT(comparison_text(comparison, 1, false), HasSubstr(" 0 │      0      │      –      │"));
}

TEST(Comparison, RejectsASourceOfAnotherLength) {
  const Lines four(4, "x");
  auto buckets = example_buckets();
  buckets.text = &four;
  try {
    example_comparison(buckets);
    FAIL() << "nothing was thrown";
  } catch (const DataError& error) {
    EXPECT_EQ(error.message(), "A<1> has 5 lines, the source has 4");
  }
}

/// A comparison with round numbers.
Comparison round_comparison() {
  Comparison comparison;
  comparison.systems = {"A<1>", "B"};
  comparison.metrics = {"BLEU"};
  comparison.signatures = {"nrefs:1"};
  comparison.scores = {{{26.5, {26.4, 0.5}, {}, {}}}, {{28.0, {27.9, 0.25}, 0.002, 0.001}}};
  comparison.lengths.by = "source length in words";
  comparison.lengths.unit = "sentences";
  comparison.lengths.rows = {{0, 15, 7, {{20, {20, 1}, {}, {}}, {19.5, {19, 2}, 0.3, 0.25}}},
                             {15, {}, 0, {}}};
  comparison.lengths.metric = "BLEU";
  comparison.lengths.signature = "nrefs:1|tok:13a";
  comparison.sampling.samples = 77;
  return comparison;
}

TEST(Comparison, IsDrawnAsTwoTablesForATerminal) {
  EXPECT_EQ(
      comparison_text(round_comparison(), 2, false),
      "╒══════════╤═════════════════════════════╕\n"
      "│   System │            BLEU             │\n"
      "╞══════════╪═════════════════════════════╡\n"
      "│     A<1> │        26.50 ± 0.50         │\n"
      "├──────────┼─────────────────────────────┤\n"
      "│        B │        28.00 ± 0.25         │\n"
      "│          │ +1.50 (p = 0.0020, 0.0010)* │\n"
      "╘══════════╧═════════════════════════════╛\n"
      "\n"
      "BLEU by source length in words\n"
      "╒══════════════════════════╤═════════════╤══════════════╤════════════════════════════╕\n"
      "│   source length in words │  sentences  │     A<1>     │             B              │\n"
      "╞══════════════════════════╪═════════════╪══════════════╪════════════════════════════╡\n"
      "│                  0 to 14 │      7      │ 20.00 ± 1.00 │        19.50 ± 2.00        │\n"
      "│                          │             │              │ -0.50 (p = 0.3000, 0.2500) │\n"
      "├──────────────────────────┼─────────────┼──────────────┼────────────────────────────┤\n"
      "│               15 or more │      0      │      –       │             –              │\n"
      "╘══════════════════════════╧═════════════╧══════════════╧════════════════════════════╛\n"
      "\n"
      "Score ± half the width of its 95 % interval (77 bootstrap resamples, seed 12345).\n"
      "Below: the difference from A<1>, and two p-values of the paired bootstrap.\n"
      "First p-value: as in sacrebleu, the probability of at least this difference between "
      "systems of equal quality; * marks it below 0.05.\n"
      "Second p-value: Koehn (2004), fraction of the resamples in which the better system is not "
      "better.\n"
      "\n"
      " - BLEU       nrefs:1\n"
      " - by length  nrefs:1|tok:13a\n");
}

TEST(Comparison, HoldsEveryNumberInJson) {
  Comparison comparison = round_comparison();
  comparison.scores[1][0].outputs = {27.0, 29.0};
  const auto report = nlohmann::json::parse(comparison_json(comparison));
  EXPECT_EQ(report["samples"], 77);
  EXPECT_EQ(report["systems"][1]["system"], "B");
  const nlohmann::json expected = {{"score", 28.0},
                                   {"difference", 1.5},
                                   {"mean", 27.9},
                                   {"half_width", 0.25},
                                   {"p_value", 0.002},
                                   {"koehn_p_value", 0.001},
                                   {"outputs", {27.0, 29.0}},
                                   {"standard_deviation", std::sqrt(2.0)}};
  EXPECT_EQ(report["systems"][1]["BLEU"], expected);
  EXPECT_TRUE(report["systems"][0]["BLEU"]["p_value"].is_null());
  EXPECT_EQ(report["signatures"]["BLEU"], "nrefs:1");
  const auto& buckets = report["buckets"];
  EXPECT_EQ(buckets["by"], "source length in words");
  EXPECT_EQ(buckets["metric"], "BLEU");
  EXPECT_EQ(buckets["rows"][0]["to"], 15);
  EXPECT_EQ(buckets["rows"][0]["systems"][1]["difference"], -0.5);
  EXPECT_TRUE(buckets["rows"][1]["to"].is_null());
  EXPECT_TRUE(buckets["rows"][1]["systems"].empty());
}

TEST(Comparison, ShowsTheStandardDeviationOfSeveralOutputs) {
  Comparison comparison = round_comparison();
  EXPECT_THAT(comparison_text(comparison, 1, false), Not(HasSubstr("s = ")));
  comparison.scores[1][0].outputs = {27.0, 29.0};
  EXPECT_THAT(comparison_text(comparison, 1, false),
              AllOf(HasSubstr("28.0 ± 0.2 (s = 1.41)"), HasSubstr("standard deviation")));
}

TEST(Comparison, IsOneHtmlPageThatLoadsNothing) {
  const std::string page = comparison_html(round_comparison(), 1);
  EXPECT_THAT(page, testing::StartsWith("<!DOCTYPE html>\n"));
  EXPECT_THAT(page, testing::EndsWith("</html>\n"));
  EXPECT_THAT(page,
              HasSubstr("<tr><td>B</td><td>28.0 ± 0.2<br><small class=\"better\" "
                        "title=\"significantly better\">▲ +1.5 (p = "
                        "0.0020, 0.0010)*</small></td></tr>"));
  EXPECT_THAT(page, HasSubstr("<td>A&lt;1&gt;</td>"));
  for (const char* loader : {"A<1>", "http", "src=", "<script", "<link", "url("}) {
    EXPECT_THAT(page, Not(HasSubstr(loader)));
  }
}

/// The page for two systems, of which the second is better by `difference` in a metric of this
/// direction.
std::string page_of(double difference, bool higher_is_better, double p_value) {
  Comparison comparison = round_comparison();
  comparison.metrics = {"TER"};
  if (!higher_is_better)
    comparison.lower_is_better = comparison.metrics;
  comparison.scores[1][0] = {26.5 + difference, {26.5, 0.5}, p_value, p_value};
  return comparison_html(comparison, 1);
}

TEST(Comparison, DistinguishesSignificantlyBetterAndWorseInHtml) {
  const char* better = "<small class=\"better\" title=\"significantly better\">▲ ";
  const char* worse = "<small class=\"worse\" title=\"significantly worse\">▼ ";
  EXPECT_THAT(page_of(2, true, 0.01), AllOf(HasSubstr(better), Not(HasSubstr(worse))));
  EXPECT_THAT(page_of(-2, true, 0.01), AllOf(HasSubstr(worse), Not(HasSubstr(better))));
  EXPECT_THAT(page_of(-2, false, 0.01), AllOf(HasSubstr(better), Not(HasSubstr(worse))));
  EXPECT_THAT(page_of(2, false, 0.01), AllOf(HasSubstr(worse), Not(HasSubstr(better))));
  for (const bool higher : {true, false}) {
    EXPECT_THAT(page_of(2, higher, 0.05), AllOf(Not(HasSubstr(better)), Not(HasSubstr(worse))));
    EXPECT_THAT(page_of(-2, higher, 0.3), HasSubstr("<small>-2.0 (p = 0.3000, 0.3000)</small>"));
  }
}

TEST(Comparison, KnowsThatTerIsBetterWhenLowerInTableAndBuckets) {
  Metrics metrics;
  metrics.push_back(std::make_unique<Bleu>(BleuSettings{}));
  metrics.push_back(std::make_unique<Ter>(TerTokenizerSettings{}));
  ScoreInput input;
  input.references = {kReference};
  input.systems = {{"good", kReference}, {"bad", kReference}};
  for (auto& line : input.systems[1].lines) line = "x " + line.substr(2) + " y";
  const auto comparison =
      compare(metrics, Ter({}), input, kSystems, example_buckets(), {200, {}, 1});
  ASSERT_LT(*comparison.scores[1][1].p_value, 0.05);
  const std::string page = comparison_html(comparison, 1);
  EXPECT_THAT(page, HasSubstr("▼ +"));  // TER
  EXPECT_THAT(page, HasSubstr("▼ -"));  // BLEU
  EXPECT_THAT(page, Not(HasSubstr("title=\"significantly better\"")));
  EXPECT_THAT(page, HasSubstr("<p>Lower is better: TER.</p>"));
  std::swap(input.systems[0], input.systems[1]);
  const std::string other = comparison_html(
      compare(metrics, Ter({}), input, kSystems, example_buckets(), {200, {}, 1}), 1);
  EXPECT_THAT(other, AllOf(HasSubstr("▲ -"), HasSubstr("▲ +")));
  EXPECT_THAT(other, Not(HasSubstr("title=\"significantly worse\"")));
}

TEST(Comparison, HasColorsForLightAndDarkPages) {
  EXPECT_THAT(comparison_html(round_comparison(), 1),
              AllOf(HasSubstr("color-scheme: light dark"),
                    HasSubstr("@media (prefers-color-scheme: dark)")));
}

TEST(Comparison, ScoresBucketsByAnyMetric) {
  const auto comparison = compare(
      {}, Ter(TerTokenizerSettings{}), example_input(), kSystems, example_buckets(), {40, {}, 1});
  EXPECT_EQ(comparison.lengths.metric, "TER");
  EXPECT_DOUBLE_EQ(comparison.lengths.rows[2].systems[1].score, 100.0 / 8);  // one word of 8
  EXPECT_THAT(comparison_text(comparison, 1, false), HasSubstr("TER by source length in words"));
}

TEST(Comparison, DrawsNoIntervalBelowZeroForAScoreThatIsNotNegative) {
  Comparison comparison = round_comparison();
  comparison.lengths.rows.pop_back();
  for (auto& score : comparison.lengths.rows[0].systems) score = {0.5, {0.5, 0.6}, {}, {}};
  const std::string bars = comparison_plot(comparison, comparison.lengths, 1, false).document();
  EXPECT_THAT(bars, Not(HasSubstr(">-")));  // no label of the axis is negative
}

TEST(Comparison, HasATableForWordFrequenciesIfThereAreAny) {
  Comparison comparison = round_comparison();
  EXPECT_FALSE(nlohmann::json::parse(comparison_json(comparison)).contains("word_frequencies"));
  comparison.frequencies = comparison.lengths;
  comparison.frequencies->by = "word frequency in the training text";
  comparison.frequencies->metric = "F1";
  comparison.frequencies->unit = "words";
  const std::string text = comparison_text(comparison, 1, false);
  EXPECT_THAT(text,
              AllOf(HasSubstr("\nBLEU by source length in words\n"),
                    HasSubstr("\nF1 by word frequency in the training text\n"),
                    HasSubstr(" - F1         nrefs:1|tok:13a\n")));
  EXPECT_THAT(comparison_html(comparison, 1),
              HasSubstr("<h2>F1 by word frequency in the training text</h2>"));
  const auto report = nlohmann::json::parse(comparison_json(comparison));
  EXPECT_EQ(report["word_frequencies"]["rows"][0]["words"], 7);
  EXPECT_EQ(report["buckets"]["rows"][0]["sentences"], 7);
}

TEST(Comparison, IsPlottedAsBarsOrLines) {
  const Comparison comparison = round_comparison();
  const std::string bars = comparison_plot(comparison, comparison.lengths, 1, false).document();
  EXPECT_EQ(testing_support::XmlCheck(bars).fault(), "");
  EXPECT_THAT(bars, HasSubstr(">BLEU by source length in words</text>"));
  EXPECT_THAT(bars, HasSubstr("<title>A&lt;1&gt;, 0 to 14: 20.0</title>"));
  EXPECT_THAT(bars, HasSubstr(">7 sentences</text>"));
  const std::string lines = comparison_plot(comparison, comparison.lengths, 1, true).document();
  EXPECT_EQ(testing_support::XmlCheck(lines).fault(), "");
  EXPECT_THAT(lines, HasSubstr("<title>B, 0 to 14: 19.5</title></circle>"));
  EXPECT_THAT(comparison_html(round_comparison(), 1), HasSubstr("<title>B, 0 to 14: 19.5</title>"));
}

std::vector<std::string> problems_of(const std::vector<int64_t>& edges) {
  CompareOptions options;
  options.systems = {"a", "b"};
  options.bucket_edges = edges;
  return options.problems();
}

TEST(CompareOptions, RequireTwoSystemsAndIncreasingEdges) {
  EXPECT_TRUE(problems_of({}).empty());
  EXPECT_TRUE(problems_of({1, 2, 30}).empty());
  for (const auto& edges : {std::vector<int64_t>{0, 3}, {3, 3}, {5, 4}}) {
    EXPECT_THAT(problems_of(edges), ElementsAre(HasSubstr("--bucket-edges")));
  }
  CompareOptions alone;
  alone.systems = {"a"};
  EXPECT_THAT(alone.problems(), ElementsAre("a comparison needs at least two systems"));
}

TEST(Comparison, ReportsOfWhichMetricsLowerIsBetter) {
  const auto comparison = example_comparison();
  EXPECT_THAT(comparison.lower_is_better, ElementsAre("TER"));
  EXPECT_THAT(comparison_text(comparison, 1, false), HasSubstr("\nLower is better: TER.\n"));
  EXPECT_EQ(nlohmann::json::parse(comparison_json(comparison))["lower_is_better"],
            nlohmann::json::array({"TER"}));
}

TEST(CompareOptions, NameTheMetricsOfTheTableAndOfTheBuckets) {
  CompareOptions options;
  OptionTable table;
  options.describe(table);
  const std::vector<std::string> given = {
      "a", "b", "-m", "ter", "mine", "--bucket-metric", "other"};
  EXPECT_THAT(options.peek_metrics(table, given), ElementsAre("ter", "mine", "other"));
  EXPECT_THAT(options.peek_metrics(table, {}),
              ElementsAre("bleu", "chrf", "chrf++", "ter", "bleu"));
}

/// Three systems; the second is better in line 2 and worse in lines 1 and 3, the third equals the
/// first.
ScoreInput sentence_input() {
  ScoreInput input;
  input.references = {{"a b c d", "e f g h", "i j k l", "m n o p"}};
  input.systems = {{"A<1>", {"a b c d", "x x x x", "i j k l", "m n o p"}},
                   {"B", {"a b c x", "e f g h", "x <x> \"x\" x", "m n o p"}},
                   {"C", {"a b c d", "x x x x", "i j k l", "m n o p"}}};
  return input;
}

std::vector<size_t> lines_of(const std::vector<ComparedSentence>& sentences) {
  std::vector<size_t> lines;
  for (const auto& sentence : sentences) lines.push_back(sentence.line);
  return lines;
}

TEST(ComparedSentences, AreSortedByTheirDifference) {
  const Lines source = {"one", "two", "three", "four"};
  const auto parts =
      compare_sentences(Bleu({.effective_order = true}), sentence_input(), &source, 5, 1);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].system, "B");
  EXPECT_THAT(lines_of(parts[0].most_better), ElementsAre(2));
  EXPECT_THAT(lines_of(parts[0].most_worse), ElementsAre(3, 1));
  EXPECT_EQ(parts[0].better, 1u);
  EXPECT_EQ(parts[0].worse, 2u);
  EXPECT_EQ(parts[0].equal, 1u);
  const ComparedSentence& best = parts[0].most_better[0];
  EXPECT_EQ(best.source, "two");
  EXPECT_THAT(best.references, ElementsAre("e f g h"));
  EXPECT_EQ(best.baseline_text, "x x x x");
  EXPECT_EQ(best.text, "e f g h");
  EXPECT_EQ(best.score, kPerfect);
  EXPECT_EQ(best.gain, kPerfect);
  EXPECT_TRUE(parts[1].most_better.empty() && parts[1].most_worse.empty());
  EXPECT_EQ(parts[1].equal, 4u);
}

TEST(ComparedSentences, KnowThatALowerTerIsBetter) {
  const auto parts = compare_sentences(Ter({}), sentence_input(), nullptr, 1, 1);
  EXPECT_THAT(lines_of(parts[0].most_better), ElementsAre(2));
  EXPECT_THAT(lines_of(parts[0].most_worse), ElementsAre(3));  // one each
  EXPECT_EQ(parts[0].most_better[0].score, 0);
  EXPECT_EQ(parts[0].most_better[0].gain, 100);
  EXPECT_EQ(parts[0].most_better[0].source, "");
}

TEST(ComparedSentences, AreShownWithColorsAndArrowsInHtml) {
  const Lines source = {"one", "two", "", "four"};
  Comparison comparison = round_comparison();
  comparison.lengths.metric = "TER";
  comparison.sentences = compare_sentences(Ter({}), sentence_input(), &source, 5, 1);
  const std::string page = comparison_html(comparison, 1);
  EXPECT_THAT(page, HasSubstr("<h2>Sentences: B compared with A&lt;1&gt;</h2>"));
  EXPECT_THAT(page, HasSubstr("1 are better, 2 are worse and 1 are equal"));
  EXPECT_THAT(page,
              HasSubstr("<b>Line 2</b> &#160; 100.0 → 0.0 <span class=\"better\">▲ -100.0</span>"));
  EXPECT_THAT(page,
              HasSubstr("<b>Line 3</b> &#160; 0.0 → 100.0 <span class=\"worse\">▼ +100.0</span>"));
  EXPECT_THAT(page,
              HasSubstr("<dt>Source</dt><dd dir=\"auto\">two</dd>\n"
                        "<dt>Reference</dt><dd dir=\"auto\">e f g h</dd>\n"
                        "<dt>A&lt;1&gt;</dt><dd dir=\"auto\">x x x x</dd>\n"
                        "<dt>B</dt><dd dir=\"auto\">e f g h</dd>"));
  EXPECT_THAT(page, HasSubstr("x &lt;x&gt; &quot;x&quot; x"));
  EXPECT_LT(page.find("<b>Line 3</b>"), page.find("<b>Line 1</b>"));
  EXPECT_THAT(comparison_html(round_comparison(), 1), Not(HasSubstr("Sentences:")));
}

}  // namespace
}  // namespace phraseq::score
