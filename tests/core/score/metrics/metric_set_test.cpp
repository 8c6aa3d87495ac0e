#include "core/score/metrics/metric_set.h"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/options/command_line.h"
#include "core/score/metrics/named_metric.h"
#include "core/score/metrics/sacrebleu_names.h"

namespace phraseq::score {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

struct WeightOptions final : Options {
  double weight = 1;
  std::string order;

  void describe(OptionTable& table) override {
    table.field("weight", weight, "What a sentence counts.").in(0, 10);
    table.field("weight-order", order, "Not checked.");
  }
  std::vector<std::string> problems() const override {
    return order == "none" ? std::vector<std::string>{"--weight-order: none is no order"}
                           : std::vector<std::string>();
  }
};

/// The score of every sentence is `weight`.
struct Weight final : Metric {
  Weight(const WeightOptions& options, const MetricSetup& setup)
      : weight(options.weight), language(setup.target_language) {
    if (language == "nowhere")
      throw std::runtime_error("no such language");
  }
  std::string name() const override { return "weight " + std::to_string(static_cast<int>(weight)); }
  size_t statistics() const override { return weight == 0 ? 0 : 1; }
  void measure(std::string_view hypothesis,
               std::span<const std::string_view>,
               std::span<double> row) const override {
    if (hypothesis == "break")
      throw std::out_of_range("too long");
    row[0] = weight;
  }
  double score(std::span<const double> sums) const override { return sums[0]; }

  double weight;
  std::string language;
};

void twice(WeightOptions& options) { options.weight = 2; }

Registry registry() {
  Registry result;
  result.add<Metric, Weight, WeightOptions>(
      "weight", "For a test", {preset("weight++", "Two.", &twice)});
  result.add<Metric, Weight, WeightOptions>("other_weight", "Options of the same names");
  return result;
}

std::vector<std::string> names_of(const Metrics& metrics) {
  std::vector<std::string> names;
  for (const auto& metric : metrics) names.push_back(metric->name());
  return names;
}

/// The metric set `named`, with its options parsed from a command line.
struct Parsed {
  Parsed(const std::vector<std::string>& named, const std::vector<std::string>& arguments)
      : set(registry(), named) {
    set.describe(table);
    parse_command_line(table, arguments, [&] { return set.add_problems({}); });
  }
  OptionTable table;
  MetricSet set;
};

TEST(MetricSet, KeepsTheValuesOfAPresetOverThoseThatAMetricIsGiven) {
  const std::vector<std::string> named = {"weight", "weight++"};
  EXPECT_THAT(names_of(Parsed(named, {}).set.make_all(named, {})),
              ElementsAre("weight 1", "weight 2"));
  EXPECT_THAT(names_of(Parsed(named, {"--weight", "7"}).set.make_all(named, {})),
              ElementsAre("weight 7", "weight 2"));
}

TEST(MetricSet, RejectsOneMetricUnderTwoNames) {
  const std::vector<std::string> named = {"weight", "weight++"};
  const Parsed parsed(named, {"--weight", "2"});
  try {
    parsed.set.make_all(named, {});
    FAIL() << "nothing was thrown";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.message(), HasSubstr("weight and weight++ are both weight 2"));
  }
}

TEST(MetricSet, CreatesAMetricThatIsNamedTwiceOnce) {
  const std::vector<std::string> named = {"weight", "weight"};
  EXPECT_EQ(Parsed(named, {}).set.make_all(named, {}).size(), 1u);
}

TEST(MetricSet, ReportsProblemsOfAMetricsOptions) {
  EXPECT_THROW(Parsed({"weight"}, {"--weight-order", "none"}), UsageError);
  EXPECT_THROW(Parsed({"weight"}, {"--weight", "11"}), UsageError);
}

TEST(MetricSet, RejectsTwoMetricsWithOneOption) {
  OptionTable table;
  MetricSet set(registry(), std::vector<std::string>{"weight", "other_weight"});
  EXPECT_THROW(set.describe(table), PluginError);
}

TEST(MetricSet, ProposesTheNearestName) {
  try {
    MetricSet set(registry(), std::vector<std::string>{"wieght"});
    FAIL() << "nothing was thrown";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("unknown metric 'wieght'; did you mean 'weight'?"));
  }
}

TEST(NamedMetric, ReportsWhoseCodeThrew) {
  const Registry found = registry();
  const NamedMetric metric(found.select(Metric::kKind, "weight"), {});
  double row = 0;
  const std::string_view references[] = {""};
  metric.measure("", references, std::span(&row, 1));
  EXPECT_EQ(row, 1);
  try {
    metric.measure("break", references, std::span(&row, 1));
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("metric 'weight' failed in measure"), HasSubstr("too long")));
  }
  EXPECT_THROW(NamedMetric(found.select(Metric::kKind, "weight"), {"nowhere"}), PluginError);
}

TEST(NamedMetric, RejectsRowsOfNoStatistics) {
  const Registry found = registry();
  const Selection selection = found.select(Metric::kKind, "weight");
  dynamic_cast<WeightOptions&>(*selection.options).weight = 0;
  EXPECT_THROW(NamedMetric(selection, {}), PluginError);
}

TEST(Metric, WidensSumsInSinglePrecisionByDefault) {
  const Weight metric(WeightOptions{}, {});
  EXPECT_EQ(metric.score_single(std::vector<float>{2.5F}), 2.5);
  EXPECT_EQ(metric.resample_precision(), ResamplePrecision::kDouble);
}

TEST(SacrebleuNames, OrderMetricsAsSacrebleuDoes) {
  const std::vector<std::string> named = {"mine", "ter", "multi-bleu", "bleu", "chrf++", "ter"};
  EXPECT_THAT(in_sacrebleu_order(named),
              ElementsAre("bleu", "chrf++", "ter", "multi_bleu", "mine"));
}

TEST(SacrebleuNames, KnowWhichOptionsAMetricUses) {
  EXPECT_TRUE(uses_option("multi_bleu", "bleu-lowercase"));
  EXPECT_FALSE(uses_option("multi_bleu", "bleu-order"));
  EXPECT_TRUE(uses_option("mteval_v11b", "mteval-preserve-case"));
  EXPECT_FALSE(uses_option("mteval_v11b", "bleu-lowercase"));
  EXPECT_FALSE(uses_option("sacrebleu", "mteval-preserve-case"));
  EXPECT_FALSE(uses_option("chrf++", "chrf-word-order"));
  EXPECT_TRUE(uses_option("chrf++", "chrf-beta"));
  EXPECT_TRUE(uses_option("mine", "bleu-order"));
}

TEST(SacrebleuNames, KeepAnOptionsOwnNameAsAnAlias) {
  std::string tokenize;
  OptionTable table;
  table.field("bleu-tokenize", tokenize, "A tokenizer.");
  spell_as_sacrebleu(table);
  EXPECT_EQ(table.fields().front().name, "tokenize");
  for (const char* flag : {"-tok", "--tokenize", "--bleu-tokenize"}) {
    parse_command_line(table, std::vector<std::string>{flag, std::string("by ") + flag});
    EXPECT_EQ(tokenize, std::string("by ") + flag);
  }
}

TEST(PrimaryLanguage, IsWhatSacrebleuCallsTheLanguage) {
  for (const char* code : {"zh", "zh_CN", "zh-Hans", "zho_Hant", "cmn_Hans"})
    EXPECT_EQ(primary_language(code), "zh") << code;
  EXPECT_EQ(primary_language("jpn_Jpan"), "ja");
  EXPECT_EQ(primary_language("kor"), "ko");
  EXPECT_EQ(primary_language("de_DE"), "de");
  EXPECT_EQ(primary_language(""), "");
}

}  // namespace
}  // namespace phraseq::score
