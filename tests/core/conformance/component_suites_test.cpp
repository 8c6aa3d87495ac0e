// The suites of criterions, decoders, data loaders and optimizers find what is wrong.

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <vector>

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/conformance/suites.h"
#include "core/criterion/criterion.h"
#include "core/criterion/token_loss.h"
#include "core/data/data_loader.h"
#include "core/data/translation_task.h"
#include "core/optim/lr_scheduler.h"
#include "core/optim/optimizer.h"
#include "core/score/metrics/metric.h"
#include "core/search/decoder.h"
#include "core/search/decoders/greedy_search.h"
#include "core/search/search_options.h"
#include "core/text/dictionary.h"
#include "core/text/tokenizer.h"
#include "tests/core/io/temporary_folder.h"

namespace phraseq::conformance {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct NoOptions final : Options {
  void describe(OptionTable&) override {}
};

/// Two names of one field.
struct TwiceDescribed final : Options {
  int64_t width = 1;
  void describe(OptionTable& table) override {
    table.field("width", width, "A width.");
    table.field("breadth", width, "The same width.");
  }
};

template <class OptionsType>
struct OptionalCriterion final : Criterion {
  OptionalCriterion(const OptionsType&, const CriterionSetup&) {}
  LossReport loss(const DecoderOutput& output, const Batch& batch, nn::Context& context) override {
    return token_loss(output, batch, {}, context);
  }
};

template <bool kMean>
struct TestCriterion final : Criterion {
  TestCriterion(const NoOptions&, const CriterionSetup&) {}
  LossReport loss(const DecoderOutput& output, const Batch& batch, nn::Context& context) override {
    LossReport report = token_loss(output, batch, {}, context);
    if (kMean) {
      report.loss = report.loss / report.tokens;
      report.loss_sum /= static_cast<double>(report.tokens);
    }
    return report;
  }
};

enum class Search { kRight, kNoEnd, kWrongScore };

template <Search kSearch>
struct TestDecoder final : Decoder {
  TestDecoder(const NoOptions&, const DecoderSetup&) {}
  std::vector<std::vector<Hypothesis>> decode(const DecodingRequest& request) override {
    const SearchOptions options;
    SearchInput input(request, options, 1);
    auto translations = greedy_search(input, options);
    Hypothesis& last = translations.back().front();
    if (kSearch == Search::kNoEnd) {
      last.tokens.pop_back();
      last.token_scores.pop_back();
    }
    if (kSearch == Search::kWrongScore)
      last.token_scores.front() += 0.5;
    return translations;
  }
};

/// Has as many sentences as the generated text; with `kUnsteady`, its fingerprint always changes.
template <bool kUnsteady>
struct TestLoader final : DataLoader {
  struct Sentences final : Corpus {
    int64_t size() const override { return 23; }
    int64_t source_length(int64_t) const override { return 2; }
    int64_t target_length(int64_t) const override { return 2; }
    Example get(int64_t index) const override {
      return {index, {4 + index % 5, kEos}, {5 + index % 7, kEos}, {}};
    }
    std::string fingerprint() const override {
      static int openings = 0;
      return kUnsteady ? std::to_string(++openings) : "steady";
    }
  };
  TestLoader(const NoOptions&, const DataLoaderSetup& setup) : sample_(setup.sample) {}
  bool has_split(const std::string&) const override { return true; }
  std::unique_ptr<Corpus> open(const std::string&, bool) const override {
    if (sample_)
      throw UsageError("the sentences are always the same");
    return std::make_unique<Sentences>();
  }

 private:
  bool sample_;
};

enum class Descent { kRight, kHidesMomentum, kIgnoresScale, kKeepsCopy };

/// Descent by the sign of the momentum.
template <Descent kDescent>
struct TestOptimizer final : Optimizer {
  TestOptimizer(const NoOptions&, const OptimizerSetup& setup)
      : parameters_(*setup.parameters), momentum_(setup.parameters->values().clone().zero_()) {}
  void step(double learning_rate, double gradient_scale) override {
    const at::NoGradGuard no_gradients;
    const double scale = kDescent == Descent::kIgnoresScale ? 1 : gradient_scale;
    momentum_.mul_(0.9).add_(parameters_.gradients(), scale);
    parameters_.values().sub_(momentum_.sign(), learning_rate);
    if (kDescent != Descent::kKeepsCopy && parameters_.bf16().defined())
      parameters_.refresh_bf16();
    ++steps_;
  }
  std::map<std::string, at::Tensor> state() override {
    if (kDescent == Descent::kHidesMomentum)
      return {};
    return {{"momentum", momentum_}};
  }
  nn::FlatParameters& parameters_;
  at::Tensor momentum_;
};

enum class Halving { kRight, kHidesItsState, kIgnoresItsState };

/// Halves the rate after every validation that is not better.
template <Halving kHalving>
struct TestSchedule final : LrScheduler {
  TestSchedule(const NoOptions&, const LrSchedulerSetup& setup) : rate_(setup.lr) {}
  double rate(int64_t) const override { return rate_; }
  void end_epoch(int64_t, std::optional<double> value) override {
    if (value && *value >= best_)
      rate_ /= 2;
    best_ = std::min(best_, value.value_or(best_));
  }
  std::map<std::string, double> state() const override {
    if (kHalving == Halving::kHidesItsState)
      return {};
    return {{"rate", rate_}, {"best", best_}};
  }
  void restore(const std::map<std::string, double>& state) override {
    if (state.empty() || kHalving == Halving::kIgnoresItsState)
      return;
    rate_ = state.at("rate");
    best_ = state.at("best");
  }
  double rate_;
  double best_ = 1e9;
};

enum class Measure { kRight, kUpsideDown, kCountsCalls, kMeans, kNoEmptyLines, kWritesTooMuch };

/// The percentage of sentences that equal their reference.
template <Measure kMeasure>
struct TestMetric final : Metric {
  TestMetric(const NoOptions&, const MetricSetup&) {}
  std::string name() const override { return "lines"; }
  bool higher_is_better() const override { return kMeasure != Measure::kUpsideDown; }
  size_t statistics() const override { return 2; }
  void measure(std::string_view hypothesis,
               std::span<const std::string_view> references,
               std::span<double> row) const override {
    if (kMeasure == Measure::kNoEmptyLines && hypothesis.empty())
      throw std::runtime_error("nothing to measure");
    row[0] = hypothesis == references.front() ? 1 : 0;
    row[1] = 1;
    if (kMeasure == Measure::kCountsCalls)
      row[1] += ++calls_;
    if (kMeasure == Measure::kWritesTooMuch)
      row.data()[2] = 7;
  }
  double score(std::span<const double> sums) const override {
    if (kMeasure == Measure::kMeans)
      return 100 * sums[0] / sums[1];  // no number for a sum of zeros
    return sums[1] > 0 ? 100 * sums[0] / sums[1] : 0;
  }
  mutable std::atomic<int> calls_ = 0;
};

enum class Cut { kRight, kEveryBlank, kKeepsTabulators, kUnsteady };

/// Words between blanks.
template <Cut kCut>
struct TestTokenizer final : Tokenizer {
  TestTokenizer(const NoOptions&, const TokenizerSetup&) {}
  std::vector<std::string> encode(std::string_view line) const override {
    std::string text(line);
    if (kCut != Cut::kKeepsTabulators)
      std::ranges::replace(text, '\t', ' ');
    std::vector<std::string> words;
    for (const auto part : std::views::split(text, ' ')) {
      const std::string word(part.begin(), part.end());
      if (kCut == Cut::kEveryBlank || !word.empty())
        words.push_back(word);
    }
    return words;
  }
  std::vector<std::string> sample(std::string_view line, uint64_t seed) const override {
    if (kCut != Cut::kUnsteady)
      return encode(line);
    return ++calls_ % 2 == 0 ? encode(line) : std::vector<std::string>{std::to_string(seed)};
  }
  std::string decode(const std::vector<std::string>& symbols) const override {
    return fmt::format("{}", fmt::join(symbols, " "));
  }
  mutable int calls_ = 0;
};

enum class Duty { kRight, kLosesASentence, kForgetsWords, kInventsWords, kReadsAnotherFile };

template <Duty kDuty>
struct TestTask final : TranslationTask {
  using TranslationTask::TranslationTask;
  std::unique_ptr<Corpus> open(const std::string& split,
                               bool training,
                               const SequenceConventions& conventions) const override {
    if (kDuty == Duty::kReadsAnotherFile)
      throw DataError("there are no domains");
    return TranslationTask::open(split, training, conventions);
  }
  Batch collate(const std::vector<Example>& examples,
                const SequenceConventions& conventions) const override {
    if (kDuty == Duty::kLosesASentence)
      return TranslationTask::collate({examples.begin(), examples.end() - 1}, conventions);
    Batch batch = TranslationTask::collate(examples, conventions);
    if (kDuty == Duty::kInventsWords)
      batch.target_out[0] = target_dictionary().size();
    return batch;
  }
  Example encode(const std::string& source,
                 const std::optional<std::string>& target) const override {
    Example example = TranslationTask::encode(source, target);
    if (kDuty == Duty::kForgetsWords && example.source.size() > 1)
      example.source.erase(example.source.begin());
    return example;
  }
};

class ComponentSuites : public ::testing::Test {
 protected:
  /// Titles of the checks that an implementation fails.
  template <class Interface, class Implementation, class OptionsType = NoOptions>
  std::vector<std::string> failures() {
    Registry registry;
    registry.add<Interface, Implementation, OptionsType>("tested", "One for a test");
    registry.add<DataLoader, TestLoader<false>, NoOptions>("indexed", "What a task selects");
    registry.add<Tokenizer, TestTokenizer<Cut::kRight>, NoOptions>("word", "What a task selects");
    const Selection selection = registry.select(Interface::kKind, "tested");
    const TrialData data = write_toy_data(folder_.path());
    std::vector<std::string> titles;
    for (const Check& check : checks_of(registry, selection, data, folder_.path())) {
      const Verdict verdict = run(check);
      if (verdict.kind != Verdict::Kind::kFails)
        continue;
      titles.push_back(check.title);
      findings_.insert(findings_.end(), verdict.findings.begin(), verdict.findings.end());
    }
    return titles;
  }

  TemporaryFolder folder_;
  std::vector<std::string> findings_;  ///< of all checks that failed
};

TEST_F(ComponentSuites, FindACriterionThatReportsMeans) {
  EXPECT_THAT((failures<Criterion, TestCriterion<false>>()), IsEmpty());
  EXPECT_THAT((failures<Criterion, TestCriterion<true>>()), Contains("sums add up over batches"));
}

TEST_F(ComponentSuites, FindTwoOptionsForOneField) {
  EXPECT_THAT((failures<Criterion, OptionalCriterion<TwiceDescribed>, TwiceDescribed>()),
              ElementsAre("options are restored from a checkpoint"));
}

TEST_F(ComponentSuites, FindADecoderWhoseTranslationsDoNotEnd) {
  EXPECT_THAT((failures<Decoder, TestDecoder<Search::kRight>>()), IsEmpty());
  EXPECT_THAT((failures<Decoder, TestDecoder<Search::kNoEnd>>()),
              Contains("every translation ends with exactly one </s>"));
}

TEST_F(ComponentSuites, FindADecoderWithScoresOfItsOwn) {
  const auto titles = failures<Decoder, TestDecoder<Search::kWrongScore>>();
  EXPECT_THAT(titles, Contains("the scores of the tokens add up to the score of the hypothesis"));
  EXPECT_THAT(titles, Contains("scores are those of the model"));
}

TEST_F(ComponentSuites, FindALoaderWhoseFingerprintChanges) {
  EXPECT_THAT((failures<DataLoader, TestLoader<false>>()), IsEmpty());
  const auto titles = failures<DataLoader, TestLoader<true>>();
  EXPECT_THAT(titles, Contains("the same data has the same fingerprint"));
  EXPECT_THAT(titles, Contains("iteration continues with the same batches from a saved position"));
}

TEST_F(ComponentSuites, FindAnOptimizerWhoseStateIsIncomplete) {
  EXPECT_THAT((failures<Optimizer, TestOptimizer<Descent::kRight>>()), IsEmpty());
  EXPECT_THAT((failures<Optimizer, TestOptimizer<Descent::kHidesMomentum>>()),
              ElementsAre("a restored state continues bit-exactly"));
}

/// A step by the sign depends on the ratio of the gradients only.
TEST_F(ComponentSuites, FindAnOptimizerThatIgnoresTheScaleOrTheCopy) {
  EXPECT_THAT((failures<Optimizer, TestOptimizer<Descent::kIgnoresScale>>()),
              ElementsAre("gradients are scaled when they are read"));
  EXPECT_THAT((failures<Optimizer, TestOptimizer<Descent::kKeepsCopy>>()),
              ElementsAre("a step renews the bf16 copy"));
}

TEST_F(ComponentSuites, FindAScheduleThatIsNotResumed) {
  constexpr const char* kTitle = "a restored schedule continues with the same rates";
  EXPECT_THAT((failures<LrScheduler, TestSchedule<Halving::kRight>>()), IsEmpty());
  EXPECT_THAT((failures<LrScheduler, TestSchedule<Halving::kHidesItsState>>()),
              ElementsAre(kTitle));
  EXPECT_THAT((failures<LrScheduler, TestSchedule<Halving::kIgnoresItsState>>()),
              ElementsAre(kTitle));
}

TEST_F(ComponentSuites, FindAMetricThatIsUpsideDown) {
  EXPECT_THAT((failures<Metric, TestMetric<Measure::kRight>>()), IsEmpty());
  EXPECT_THAT((failures<Metric, TestMetric<Measure::kUpsideDown>>()),
              ElementsAre("references have the best score, other words the worst"));
}

TEST_F(ComponentSuites, FindAMetricWhoseRowsDependOnEarlierSentences) {
  const auto titles = failures<Metric, TestMetric<Measure::kCountsCalls>>();
  EXPECT_THAT(titles, Contains("the same sentence has the same statistics"));
  EXPECT_THAT(titles, Contains("threads do not disturb each other"));
}

TEST_F(ComponentSuites, FindAMetricThatEmptyLinesBreak) {
  EXPECT_THAT((failures<Metric, TestMetric<Measure::kNoEmptyLines>>()),
              ElementsAre("empty lines have a score"));
  EXPECT_THAT((failures<Metric, TestMetric<Measure::kMeans>>()),
              ElementsAre("empty lines have a score"));
}

TEST_F(ComponentSuites, FindAMetricThatWritesPastItsRow) {
  EXPECT_THAT((failures<Metric, TestMetric<Measure::kWritesTooMuch>>()),
              Contains("every row has the same length"));
}

TEST_F(ComponentSuites, FindATokenizerWithInvalidSymbolsOrUnsteadySamples) {
  EXPECT_THAT((failures<Tokenizer, TestTokenizer<Cut::kRight>>()), IsEmpty());
  EXPECT_THAT((failures<Tokenizer, TestTokenizer<Cut::kEveryBlank>>()),
              ElementsAre("symbols are valid in a dictionary"));
  EXPECT_THAT((failures<Tokenizer, TestTokenizer<Cut::kKeepsTabulators>>()),
              ElementsAre("symbols are valid in a dictionary"));
  EXPECT_THAT((failures<Tokenizer, TestTokenizer<Cut::kUnsteady>>()),
              ElementsAre("sampling depends on its seed and preserves the text"));
}

TEST_F(ComponentSuites, FindATaskThatLosesOrInventsWords) {
  EXPECT_THAT((failures<Task, TestTask<Duty::kRight>, TranslationOptions>()), IsEmpty());
  EXPECT_THAT((failures<Task, TestTask<Duty::kLosesASentence>, TranslationOptions>()),
              ElementsAre("a batch contains every sentence"));
  EXPECT_THAT((failures<Task, TestTask<Duty::kInventsWords>, TranslationOptions>()),
              ElementsAre("a batch contains every sentence"));
  EXPECT_THAT((failures<Task, TestTask<Duty::kForgetsWords>, TranslationOptions>()),
              ElementsAre("encoding and decoding preserves text, also an empty line"));
}

TEST_F(ComponentSuites, SayHowATaskGetsWhatTheGeneratedTextLacks) {
  failures<Task, TestTask<Duty::kReadsAnotherFile>, TranslationOptions>();
  EXPECT_THAT(findings_,
              Contains(AllOf(HasSubstr("there are no domains"), HasSubstr("--data FOLDER"))));
}

}  // namespace
}  // namespace phraseq::conformance
