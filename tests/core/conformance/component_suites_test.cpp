// The suites of criterions, decoders, data loaders and optimizers find what is wrong.

#include <filesystem>
#include <memory>
#include <stdlib.h>
#include <string>
#include <vector>

#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/conformance/suites.h"
#include "core/data/data_loader.h"
#include "core/optim/optimizer.h"
#include "core/search/decoder.h"
#include "core/search/greedy_search.h"
#include "core/search/search_options.h"
#include "core/text/dictionary.h"
#include "core/train/token_loss.h"

namespace phraseq::conformance {
namespace {

using testing::Contains;
using testing::IsEmpty;

struct NoOptions final : Options {
  void describe(OptionTable&) override {}
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

/// Five sentences; `kUnsteady`: with another fingerprint each time.
template <bool kUnsteady>
struct TestLoader final : DataLoader {
  struct Sentences final : Corpus {
    int64_t size() const override { return 5; }
    int64_t source_length(int64_t) const override { return 2; }
    int64_t target_length(int64_t) const override { return 2; }
    Example get(int64_t index) const override {
      return {index, {4 + index, kEos}, {5 + index, kEos}, {}};
    }
    std::string fingerprint() const override {
      static int openings = 0;
      return kUnsteady ? std::to_string(++openings) : "five";
    }
  };
  TestLoader(const NoOptions&, const DataLoaderSetup&) {}
  bool has_split(const std::string&) const override { return true; }
  std::unique_ptr<Corpus> open(const std::string&, bool) const override {
    return std::make_unique<Sentences>();
  }
};

/// Gradient descent with a momentum that `state` hides.
template <bool kForgetful>
struct TestOptimizer final : Optimizer {
  TestOptimizer(const NoOptions&, const OptimizerSetup& setup)
      : parameters_(*setup.parameters), momentum_(setup.parameters->values().clone().zero_()) {}
  void step(double learning_rate, double gradient_scale) override {
    const at::NoGradGuard no_gradients;
    momentum_.mul_(0.9).add_(parameters_.gradients(), gradient_scale);
    parameters_.values().sub_(momentum_, learning_rate);
    ++steps_;
  }
  std::map<std::string, at::Tensor> state() override {
    return kForgetful ? std::map<std::string, at::Tensor>()
                      : std::map<std::string, at::Tensor>{{"momentum", momentum_}};
  }
  nn::FlatParameters& parameters_;
  at::Tensor momentum_;
};

class ComponentSuites : public testing::Test {
 protected:
  ComponentSuites() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "phraseq-suite-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~ComponentSuites() override { std::filesystem::remove_all(folder_); }

  template <class Interface, class Implementation>
  std::vector<std::string> failures() {
    Registry registry;
    registry.add<Interface, Implementation, NoOptions>("tested", "One for a test");
    const Selection selection = registry.select(Interface::kKind, "tested");
    const LoaderData data = write_toy_data(folder_);
    std::vector<std::string> titles;
    for (const Check& check : checks_of(registry, selection, data, folder_)) {
      if (run(check).kind == Verdict::Kind::kFails)
        titles.push_back(check.title);
    }
    return titles;
  }

  std::string folder_;
};

TEST_F(ComponentSuites, FindACriterionThatReportsMeans) {
  EXPECT_THAT((failures<Criterion, TestCriterion<false>>()), IsEmpty());
  EXPECT_THAT((failures<Criterion, TestCriterion<true>>()), Contains("sums add up over batches"));
}

TEST_F(ComponentSuites, FindADecoderWhoseTranslationsDoNotEnd) {
  EXPECT_THAT((failures<Decoder, TestDecoder<Search::kRight>>()), IsEmpty());
  EXPECT_THAT((failures<Decoder, TestDecoder<Search::kNoEnd>>()),
              Contains("every translation ends, once"));
}

TEST_F(ComponentSuites, FindADecoderWithScoresOfItsOwn) {
  const auto titles = failures<Decoder, TestDecoder<Search::kWrongScore>>();
  EXPECT_THAT(titles, Contains("scores of tokens add up"));
  EXPECT_THAT(titles, Contains("scores are the model's"));
}

TEST_F(ComponentSuites, FindALoaderWhoseFingerprintChanges) {
  EXPECT_THAT((failures<DataLoader, TestLoader<false>>()), IsEmpty());
  const auto titles = failures<DataLoader, TestLoader<true>>();
  EXPECT_THAT(titles, Contains("the same data has the same fingerprint"));
  EXPECT_THAT(titles, Contains("a saved position goes on with the same batches"));
}

TEST_F(ComponentSuites, FindAnOptimizerWhoseStateIsIncomplete) {
  EXPECT_THAT((failures<Optimizer, TestOptimizer<false>>()), IsEmpty());
  EXPECT_THAT((failures<Optimizer, TestOptimizer<true>>()),
              Contains("a restored state goes on to the bit"));
}

}  // namespace
}  // namespace phraseq::conformance
