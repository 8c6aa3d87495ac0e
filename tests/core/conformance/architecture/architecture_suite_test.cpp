// The suite finds what is wrong: a Transformer with one fault at a time.

#include "core/conformance/architecture/architecture_suite.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ATen/ops/dropout.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/conformance/fixtures/small_options.h"
#include "core/conformance/fixtures/toy_task.h"
#include "core/conformance/suites.h"
#include "core/nn/transformer/transformer_model.h"
#include "tests/core/io/temporary_folder.h"

namespace phraseq::conformance {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Not;

struct FaultyOptions : nn::TransformerOptions {
  std::string fault = "none";

  void describe(OptionTable& table) override {
    TransformerOptions::describe(table);
    table.field("fault", fault, "What is wrong.");
  }
};

/// A session whose rows stay where they are.
class DeafSession final : public DecodingSession {
 public:
  explicit DeafSession(std::unique_ptr<DecodingSession> inner) : inner_(std::move(inner)) {}
  int64_t rows() const override { return inner_->rows(); }
  StepOutput step(const at::Tensor& last_tokens) override { return inner_->step(last_tokens); }
  void select(const std::vector<int64_t>& rows) override {
    std::vector<int64_t> same;
    for (size_t i = 0; i < rows.size(); ++i)
      same.push_back(static_cast<int64_t>(i) % inner_->rows());
    inner_->select(same);
  }

 private:
  std::unique_ptr<DecodingSession> inner_;
};

/// A session that leaves out the last word.
class NarrowSession final : public DecodingSession {
 public:
  explicit NarrowSession(std::unique_ptr<DecodingSession> inner) : inner_(std::move(inner)) {}
  int64_t rows() const override { return inner_->rows(); }
  StepOutput step(const at::Tensor& last_tokens) override {
    StepOutput output = inner_->step(last_tokens);
    output.scores = output.scores.narrow(1, 0, output.scores.size(1) - 1);
    return output;
  }
  void select(const std::vector<int64_t>& rows) override { inner_->select(rows); }

 private:
  std::unique_ptr<DecodingSession> inner_;
};

class Faulty final : public nn::TransformerModel {
 public:
  Faulty(const FaultyOptions& options, const ArchitectureSetup& setup)
      : TransformerModel(options, setup), fault_(options.fault) {
    if (fault_ == "undrawn")
      register_parameter("undrawn", at::zeros({3}));
  }

  DecoderOutput forward(const Batch& batch, nn::Context& context) override {
    DecoderOutput output = TransformerModel::forward(batch, context);
    at::Tensor& hidden = output.hidden;
    if (fault_ == "looks across sentences")
      hidden = hidden + hidden.mean(0, /*keepdim=*/true);
    if (fault_ == "random by itself")
      hidden = at::dropout(hidden, 0.5, context.training());
    if (fault_ == "remembers updates" && context.training())
      hidden = hidden * (1 + 0.1 * static_cast<double>(++passes_));
    if (fault_ == "forgets a gradient")
      hidden = 0.5 * hidden + 0.5 * hidden.detach();
    if (fault_ == "padded")
      hidden = hidden.unsqueeze(0);
    if (fault_ == "another forward")
      hidden = 1.5 * hidden;
    return output;
  }
  std::unique_ptr<DecodingSession> start_decoding(const Batch& batch,
                                                  const DecodingLimits& limits,
                                                  nn::Context& context) override {
    auto session = TransformerModel::start_decoding(batch, limits, context);
    if (fault_ == "deaf to select")
      return std::make_unique<DeafSession>(std::move(session));
    if (fault_ == "omits a word")
      return std::make_unique<NarrowSession>(std::move(session));
    return session;
  }

 private:
  std::string fault_;
  int64_t passes_ = 0;
};

class ArchitectureSuite : public ::testing::Test {
 protected:
  ArchitectureSuite() {
    add_toy_task(registry_);
    registry_.add<Architecture, Faulty, FaultyOptions>("faulty", "A Transformer with a fault");
  }

  /// Titles of the checks that a Transformer with this fault fails.
  std::vector<std::string> failures(const std::string& fault) {
    const Component& component = *registry_.select("architecture", "faulty").component;
    const Selection selection =
        small_selection(component, nullptr, std::vector<std::string>{"fault=" + fault});
    std::vector<std::string> titles;
    for (const Check& check : architecture_suite(registry_, selection, folder_.path())) {
      if (run(check).kind == Verdict::Kind::kFails)
        titles.push_back(check.title);
    }
    return titles;
  }

  Registry registry_;
  TemporaryFolder folder_;
};

TEST_F(ArchitectureSuite, FindsNothingWrongWithTheTransformer) {
  EXPECT_THAT(failures("none"), IsEmpty());
}

TEST_F(ArchitectureSuite, FindsAParameterWithoutFirstValues) {
  EXPECT_THAT(failures("undrawn"),
              Contains("initialize(seed) sets every parameter, from the seed only"));
}

TEST_F(ArchitectureSuite, FindsSentencesThatDependOnTheirBatch) {
  EXPECT_THAT(failures("looks across sentences"),
              Contains("a sentence has the same score alone and in a batch"));
}

TEST_F(ArchitectureSuite, FindsRandomNumbersThatDoNotComeFromTheContext) {
  EXPECT_THAT(failures("random by itself"),
              Contains("randomness in training comes from its Context only"));
}

TEST_F(ArchitectureSuite, FindsStateThatIsLostOnResume) {
  EXPECT_THAT(failures("remembers updates"),
              Contains("a resumed run equals an uninterrupted run bit-exactly"));
}

TEST_F(ArchitectureSuite, FindsAWrongGradient) {
  EXPECT_THAT(failures("forgets a gradient"), Contains("gradients equal finite differences"));
}

TEST_F(ArchitectureSuite, FindsRowsOfTheWrongShape) {
  EXPECT_THAT(failures("padded"), Contains("forward returns packed rows and the output matrix"));
}

TEST_F(ArchitectureSuite, FindsStepsThatOmitAWord) {
  EXPECT_THAT(failures("omits a word"), Contains("a step scores every word"));
}

TEST_F(ArchitectureSuite, FindsStepsThatAreNotTheForwardPass) {
  const auto found = failures("another forward");
  EXPECT_THAT(found, Contains("step-by-step decoding gives the scores of a single pass"));
  EXPECT_THAT(found, Not(Contains("rows keep their state when a search reorders them")));
}

TEST_F(ArchitectureSuite, FindsRowsThatLoseTheirPast) {
  EXPECT_THAT(failures("deaf to select"),
              Contains("rows keep their state when a search reorders them"));
}

}  // namespace
}  // namespace phraseq::conformance
