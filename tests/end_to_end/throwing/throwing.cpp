// An architecture, a criterion and a decoder that throw, where and what their options select.

#include <stdexcept>
#include <string>
#include <vector>

#include "core/criterion/criterion.h"
#include "core/nn/transformer/transformer_model.h"
#include "core/plugin/plugin.h"
#include "core/search/decoder.h"

namespace {

using namespace phraseq;

struct OwnException {};  // no std::exception

[[noreturn]] void throw_something(const std::string& kind) {
  if (kind == "own")
    throw OwnException();
  if (kind == "number")
    throw 42;
  throw std::runtime_error("the flux capacitor is empty");
}

struct ThrowingOptions final : nn::TransformerOptions {
  std::string throw_in = "nothing";
  std::string thrown = "std";

  void describe(OptionTable& table) override {
    TransformerOptions::describe(table);
    table.field("throw-in", throw_in, "Where.").one_of({"nothing", "forward", "start", "step"});
    table.field("thrown", thrown, "What.").one_of({"std", "own", "number"});
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

class ThrowingModel final : public nn::TransformerModel {
 public:
  ThrowingModel(const ThrowingOptions& options, const ArchitectureSetup& setup)
      : TransformerModel(options, setup), options_(options) {}

  DecoderOutput forward(const Batch& batch, nn::Context& context) override {
    if (options_.throw_in == "forward")
      throw_something(options_.thrown);
    return TransformerModel::forward(batch, context);
  }
  std::unique_ptr<DecodingSession> start_decoding(const Batch& batch,
                                                  const DecodingLimits& limits,
                                                  nn::Context& context) override {
    if (options_.throw_in == "start")
      throw_something(options_.thrown);
    if (options_.throw_in == "step")
      return std::make_unique<ThrowingSession>(batch.sentences(), options_.thrown);
    return TransformerModel::start_decoding(batch, limits, context);
  }

 private:
  ThrowingOptions options_;
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

struct ThrowingDecoder final : Decoder {
  ThrowingDecoder(const NoOptions&, const DecoderSetup&) {}
  std::vector<std::vector<Hypothesis>> decode(const DecodingRequest&) override {
    throw_something("own");
  }
};

void register_components(Registry& registry) {
  registry.add<Architecture, ThrowingModel, ThrowingOptions>("throwing", "Throws.");
  registry.add<Criterion, ThrowingCriterion, SmoothingOption>("throwing", "Throws.");
  registry.add<Decoder, ThrowingDecoder, NoOptions>("throwing", "Throws.");
}

}  // namespace

PHRASEQ_PLUGIN("throwing", "1.0", "Throws", register_components)
