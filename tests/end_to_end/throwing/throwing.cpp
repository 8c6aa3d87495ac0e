// Components that throw what their options select at the selected place, or that break the rules of
// their interfaces.

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include <ATen/ops/zeros.h>

#include "core/criterion/criterion.h"
#include "core/data/data_loader.h"
#include "core/nn/transformer/transformer_model.h"
#include "core/optim/lr_scheduler.h"
#include "core/optim/optimizer.h"
#include "core/plugin/plugin.h"
#include "core/search/decoder.h"
#include "core/text/dictionary.h"
#include "core/text/tokenizer.h"

namespace {

using namespace phraseq;

struct OwnException {};  // not a std::exception

[[noreturn]] void throw_something(const std::string& kind) {
  if (kind == "own")
    throw OwnException();
  if (kind == "number")
    throw 42;
  if (kind == "memory")
    throw std::bad_alloc();
  throw std::runtime_error("the flux capacitor is empty");
}

struct ThrowingOptions final : nn::TransformerOptions {
  std::string throw_in = "nothing";
  std::string thrown = "std";
  int64_t throw_above = -1;
  std::string gives = "all";
  std::vector<int64_t> nan_in;

  void describe(OptionTable& table) override {
    TransformerOptions::describe(table);
    table.field("throw-in", throw_in, "Where.")
        .one_of({"nothing", "forward", "backward", "start", "step"});
    table.field("thrown", thrown, "What.").one_of({"std", "own", "number", "memory"});
    table.field("gives", gives, "What is returned.")
        .one_of({"all", "few-words", "short-bias", "fp32-rows", "no-session", "narrow-scores"});
    table.field("nan-in", nan_in, "Numbers of training passes, from 1, whose output is NaN.");
    table.field("throw-above", throw_above, "In training, at batches of more target tokens only.");
  }
};

class ThrowingSession final : public DecodingSession {
 public:
  explicit ThrowingSession(int64_t rows, std::string thrown)
      : rows_(rows), thrown_(std::move(thrown)) {}
  int64_t rows() const override { return rows_; }
  StepOutput step(const at::Tensor&) override { throw_something(thrown_); }
  void select(const std::vector<int64_t>&) override {}

 private:
  int64_t rows_;
  std::string thrown_;
};

/// Scores ten words.
class NarrowSession final : public DecodingSession {
 public:
  explicit NarrowSession(int64_t rows) : rows_(rows) {}
  int64_t rows() const override { return rows_; }
  StepOutput step(const at::Tensor&) override { return {at::zeros({rows_, 10}), false, {}}; }
  void select(const std::vector<int64_t>& rows) override {
    rows_ = static_cast<int64_t>(rows.size());
  }

 private:
  int64_t rows_;
};

class ThrowingModel final : public nn::TransformerModel {
 public:
  ThrowingModel(const ThrowingOptions& options, const ArchitectureSetup& setup)
      : TransformerModel(options, setup), options_(options) {
    if (options_.throw_in != "backward")
      return;
    // The embeddings of the source are the last parameters to get a gradient.
    parameters().front().register_hook([this](const at::Tensor& gradient) {
      if (last_is_large_)
        throw_something(options_.thrown);
      return gradient;
    });
  }

  DecoderOutput forward(const Batch& batch, nn::Context& context) override {
    const bool is_large = batch.target_in.tokens() > options_.throw_above;
    last_is_large_ = is_large;
    const bool spares_this = options_.thrown == "memory" && !context.training();
    if (options_.throw_in == "forward" && is_large && !spares_this)
      throw_something(options_.thrown);
    DecoderOutput output = TransformerModel::forward(batch, context);
    passes_ += context.training() ? 1 : 0;
    const auto& bad = options_.nan_in;
    if (context.training() && std::find(bad.begin(), bad.end(), passes_) != bad.end())
      output.hidden = output.hidden * std::numeric_limits<double>::quiet_NaN();
    if (options_.gives == "few-words")
      output.output_weight = output.output_weight.narrow(0, 0, output.output_weight.size(0) - 3);
    if (options_.gives == "short-bias")
      output.output_bias = at::zeros({3});
    if (options_.gives == "fp32-rows")
      output.hidden = output.hidden.to(at::kFloat);
    return output;
  }
  std::unique_ptr<DecodingSession> start_decoding(const Batch& batch,
                                                  const DecodingLimits& limits,
                                                  nn::Context& context) override {
    if (options_.throw_in == "start")
      throw_something(options_.thrown);
    if (options_.throw_in == "step")
      return std::make_unique<ThrowingSession>(batch.sentences(), options_.thrown);
    if (options_.gives == "no-session")
      return nullptr;
    if (options_.gives == "narrow-scores")
      return std::make_unique<NarrowSession>(batch.sentences());
    return TransformerModel::start_decoding(batch, limits, context);
  }

 private:
  ThrowingOptions options_;
  bool last_is_large_ = false;
  int64_t passes_ = 0;
};

struct NoOptions final : Options {
  void describe(OptionTable&) override {}
};

struct SmoothingOption final : Options {
  double label_smoothing = 0.0;
  void describe(OptionTable& table) override {
    table.field("label-smoothing", label_smoothing, "Not used.");
  }
};

struct ThrowingCriterion final : Criterion {
  ThrowingCriterion(const SmoothingOption&, const CriterionSetup&) {}
  LossReport loss(const DecoderOutput&, const Batch&, nn::Context&) override {
    throw_something("std");
  }
};

/// Returns a loss from which no backward pass can start.
struct DetachedCriterion final : Criterion {
  DetachedCriterion(const SmoothingOption&, const CriterionSetup&) {}
  LossReport loss(const DecoderOutput& output, const Batch& batch, nn::Context&) override {
    LossReport report;
    report.loss = output.hidden.detach().sum();
    report.loss_sum = 1;
    report.tokens = batch.target_out.numel();
    report.sentences = batch.sentences();
    return report;
  }
};

/// Does not count its sentences.
struct CountlessCriterion final : Criterion {
  CountlessCriterion(const SmoothingOption&, const CriterionSetup&) {}
  LossReport loss(const DecoderOutput& output, const Batch& batch, nn::Context&) override {
    LossReport report;
    report.loss = output.hidden.sum();
    report.tokens = batch.target_out.numel();
    return report;
  }
};

/// Has a sum that is not finite.
struct OddCriterion final : Criterion {
  OddCriterion(const SmoothingOption&, const CriterionSetup&) {}
  LossReport loss(const DecoderOutput& output, const Batch& batch, nn::Context&) override {
    LossReport report;
    report.loss = output.hidden.sum();
    report.tokens = batch.target_out.numel();
    report.sentences = batch.sentences();
    report.extras["odd"] = std::nan("");
    return report;
  }
};

/// Its loss per token is the number of updates before this one.
struct UpdatesCriterion final : Criterion {
  UpdatesCriterion(const SmoothingOption&, const CriterionSetup&) {}
  LossReport loss(const DecoderOutput& output, const Batch& batch, nn::Context& context) override {
    LossReport report;
    report.loss = output.hidden.sum();
    report.tokens = batch.target_out.numel();
    report.sentences = batch.sentences();
    report.loss_sum = static_cast<double>(context.finished_updates() * report.tokens);
    return report;
  }
};

struct ThrowingDecoder final : Decoder {
  ThrowingDecoder(const NoOptions&, const DecoderSetup&) {}
  std::vector<std::vector<Hypothesis>> decode(const DecodingRequest&) override {
    throw_something("own");
  }
};

/// Splits words; throws at a line "throw", and when it decodes.
struct ThrowingTokenizer final : Tokenizer {
  ThrowingTokenizer(const NoOptions&, const TokenizerSetup&) {}
  std::vector<std::string> encode(std::string_view line) const override {
    if (line.find("throw") != std::string_view::npos)
      throw_something("std");
    return {std::string(line.substr(0, line.find(' ')))};
  }
  std::string decode(const std::vector<std::string>&) const override { throw_something("number"); }
};

struct SmallCorpus : Corpus {
  int64_t size() const override { return 3; }
  int64_t source_length(int64_t) const override { return 2; }
  int64_t target_length(int64_t) const override { return 2; }
  std::string fingerprint() const override { return "x"; }
};

struct ThrowingCorpus final : SmallCorpus {
  Example get(int64_t) const override { throw_something("std"); }
};

/// Returns targets without </s>.
struct UnendedCorpus final : SmallCorpus {
  Example get(int64_t index) const override { return {index, {4, kEos}, {4, 5}, {}}; }
};

struct SizedOptions final : Options {
  int64_t pairs = 3;
  void describe(OptionTable& table) override {
    table.field("sized-pairs", pairs, "Number of sentence pairs.").at_least(1);
  }
};

struct SizedCorpus final : SmallCorpus {
  explicit SizedCorpus(int64_t pairs) : pairs_(pairs) {}
  int64_t size() const override { return pairs_; }
  Example get(int64_t index) const override { return {index, {4, kEos}, {4, kEos}, {}}; }

 private:
  int64_t pairs_;
};

struct SizedLoader final : DataLoader {
  SizedLoader(const SizedOptions& options, const DataLoaderSetup&) : pairs_(options.pairs) {}
  bool has_split(const std::string&) const override { return true; }
  std::unique_ptr<Corpus> open(const std::string&, bool) const override {
    return std::make_unique<SizedCorpus>(pairs_);
  }

 private:
  int64_t pairs_;
};

template <class Opened>
struct LoaderOf final : DataLoader {
  LoaderOf(const NoOptions&, const DataLoaderSetup&) {}
  bool has_split(const std::string&) const override { return true; }
  std::unique_ptr<Corpus> open(const std::string&, bool) const override {
    return std::make_unique<Opened>();
  }
};

/// Throws when its options are described.
struct UndescribedOptions final : Options {
  void describe(OptionTable&) override { throw_something("std"); }
};

struct UndescribedDecoder final : Decoder {
  UndescribedDecoder(const UndescribedOptions&, const DecoderSetup&) {}
  std::vector<std::vector<Hypothesis>> decode(const DecodingRequest&) override { return {}; }
};

/// Translates every sentence into one word that does not exist.
struct StrangeDecoder final : Decoder {
  StrangeDecoder(const NoOptions&, const DecoderSetup&) {}
  std::vector<std::vector<Hypothesis>> decode(const DecodingRequest& request) override {
    Hypothesis hypothesis;
    hypothesis.tokens = {1000000, kEos};
    hypothesis.token_scores = {0, 0};
    return std::vector<std::vector<Hypothesis>>(static_cast<size_t>(request.batch->sentences()),
                                                {hypothesis});
  }
};

struct EmptyLoader final : DataLoader {
  EmptyLoader(const NoOptions&, const DataLoaderSetup&) {}
  bool has_split(const std::string&) const override { return true; }
  std::unique_ptr<Corpus> open(const std::string&, bool) const override { return nullptr; }
};

struct ThrowingOptimizer final : Optimizer {
  ThrowingOptimizer(const NoOptions&, const OptimizerSetup&) {}
  void step(double, double) override { throw_something("own"); }
  std::map<std::string, at::Tensor> state() override { return {}; }
};

/// Has a state only after its first step.
struct LazyOptimizer final : Optimizer {
  LazyOptimizer(const NoOptions&, const OptimizerSetup&) {}
  void step(double, double) override { state_ = {{"moment", at::zeros({2})}}; }
  std::map<std::string, at::Tensor> state() override { return state_; }

 private:
  std::map<std::string, at::Tensor> state_;
};

struct ThrowingScheduler final : LrScheduler {
  ThrowingScheduler(const NoOptions&, const LrSchedulerSetup&) {}
  double rate(int64_t) const override { throw_something("std"); }
};

struct NegativeScheduler final : LrScheduler {
  NegativeScheduler(const NoOptions&, const LrSchedulerSetup&) {}
  double rate(int64_t) const override { return -0.5; }
};

/// Compares with infinity until there is a better value.
struct InfiniteScheduler final : LrScheduler {
  InfiniteScheduler(const NoOptions&, const LrSchedulerSetup&) {}
  double rate(int64_t) const override { return 1e-4; }
  std::map<std::string, double> state() const override { return {{"best", best_}}; }
  void restore(const std::map<std::string, double>& state) override {
    if (state.at("best") != best_)
      throw_something("std");
  }

 private:
  double best_ = std::numeric_limits<double>::infinity();
};

void register_components(Registry& registry) {
  registry.add<Tokenizer, ThrowingTokenizer, NoOptions>("throwing", "Throws.");
  registry.add<DataLoader, LoaderOf<ThrowingCorpus>, NoOptions>("throwing", "Throws.");
  registry.add<Optimizer, ThrowingOptimizer, NoOptions>("throwing", "Throws.");
  registry.add<LrScheduler, ThrowingScheduler, NoOptions>("throwing", "Throws.");
  registry.add<Architecture, ThrowingModel, ThrowingOptions>("throwing", "Throws.");
  registry.add<LrScheduler, NegativeScheduler, NoOptions>("negative", "Climbs.");
  registry.add<LrScheduler, InfiniteScheduler, NoOptions>("infinite", "Has an infinite state.");
  registry.add<Optimizer, LazyOptimizer, NoOptions>("lazy", "Has no state at first.");
  registry.add<DataLoader, LoaderOf<UnendedCorpus>, NoOptions>("unended", "Leaves out </s>.");
  registry.add<Decoder, UndescribedDecoder, UndescribedOptions>("undescribed", "Throws.");
  registry.add<Decoder, StrangeDecoder, NoOptions>("strange", "Invents words.");
  registry.add<DataLoader, SizedLoader, SizedOptions>("sized", "Has as many pairs as wanted.");
  registry.add<DataLoader, EmptyLoader, NoOptions>("empty", "Returns no corpus.");
  registry.add<Criterion, CountlessCriterion, SmoothingOption>("countless", "Counts nothing.");
  registry.add<Criterion, OddCriterion, SmoothingOption>("odd", "Sums no numbers.");
  registry.add<Criterion, UpdatesCriterion, SmoothingOption>("updates", "Counts updates.");
  registry.add<Criterion, ThrowingCriterion, SmoothingOption>("throwing", "Throws.");
  registry.add<Criterion, DetachedCriterion, SmoothingOption>("detached", "Has no gradient.");
  registry.add<Decoder, ThrowingDecoder, NoOptions>("throwing", "Throws.");
}

}  // namespace

PHRASEQ_PLUGIN("throwing", "1.0", "Throws", register_components)
