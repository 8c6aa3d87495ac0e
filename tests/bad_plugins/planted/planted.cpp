// A plugin that loads, whose components have one error each: what `plugins check` must find.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include "core/base/error.h"
#include "core/criterion/criterion.h"
#include "core/criterion/token_loss.h"
#include "core/data/data_loader.h"
#include "core/nn/transformer/attention_factory.h"
#include "core/nn/transformer/multihead_attention.h"
#include "core/nn/transformer/transformer_model.h"
#include "core/optim/lr_scheduler.h"
#include "core/plugin/plugin.h"
#include "core/score/metrics/metric.h"
#include "core/search/decoder.h"
#include "core/search/decoders/beam_search.h"
#include "core/search/decoders/greedy_search.h"
#include "core/text/dictionary.h"
#include "core/text/tokenizer.h"

namespace {

using namespace phraseq;

struct NoOptions final : Options {
  void describe(OptionTable&) override {}
};

enum class Fault {
  kUnregistered,
  kUnused,
  kLateStep,
  kLateBatch,
  kNoMultiplyAdds,
  kFewMultiplyAdds,
  kCrash,
  kScratch,
  kSharedState,
  kReadsOptions
};

struct ModelOptions final : nn::TransformerOptions {
  double factor = 1.0;
  void describe(OptionTable& table) override {
    TransformerOptions::describe(table);
    table.field("planted-factor", factor, "Factor of the last hidden states.").in(0.5, 2.0);
  }
};

/// Its scores change from step 21 on.
class LateSession final : public DecodingSession {
 public:
  explicit LateSession(std::unique_ptr<DecodingSession> inner) : inner_(std::move(inner)) {}
  int64_t rows() const override { return inner_->rows(); }
  StepOutput step(const at::Tensor& last_tokens) override {
    StepOutput output = inner_->step(last_tokens);
    if (++steps_ > 20)
      output.scores.select(1, 5).add_(0.01);  // [rows]
    return output;
  }
  void select(const std::vector<int64_t>& rows) override { inner_->select(rows); }

 private:
  std::unique_ptr<DecodingSession> inner_;
  int steps_ = 0;
};

class FreeAttention final : public nn::MultiheadCrossAttention {
 public:
  using MultiheadCrossAttention::MultiheadCrossAttention;
  double multiply_adds(double, double) const override { return 0; }
};

template <Fault kFault>
struct Attentions final : nn::AttentionFactory {
  std::shared_ptr<nn::CrossAttention> cross(const nn::TransformerOptions& options,
                                            int64_t layer) const override {
    if (kFault != Fault::kNoMultiplyAdds)
      return AttentionFactory::cross(options, layer);
    return std::make_shared<FreeAttention>(nn::MultiheadAttentionOptions::cross(options));
  }
};

int models_made = 0;

template <Fault kFault>
class Planted final : public nn::TransformerModel {
 public:
  Planted(const ModelOptions& options, const ArchitectureSetup& setup)
      : TransformerModel(options, setup, Attentions<kFault>()), options_(&options) {
    ++models_made;
    if (kFault == Fault::kUnregistered)
      gain_ = at::ones({options.decoder_embed_dim}).requires_grad_(true);
    if (kFault == Fault::kUnused)
      unused_ = register_parameter("unused", at::zeros({3}));
    if (kFault == Fault::kScratch)
      scratch_ = at::zeros({500, options.decoder_embed_dim});
  }

  void initialize(uint64_t seed) override {
    TransformerModel::initialize(seed);
    const at::NoGradGuard no_gradients;
    if (unused_.defined())
      unused_.fill_(static_cast<double>(seed));
  }

  DecoderOutput forward(const Batch& batch, nn::Context& context) override {
    DecoderOutput output = TransformerModel::forward(batch, context);
    at::Tensor& hidden = output.hidden;  // [target tokens, model]
    if (kFault == Fault::kCrash && batch.source.sentences() > 1)
      std::raise(SIGSEGV);
    if (kFault == Fault::kUnregistered)
      hidden = hidden * gain_.to(hidden.scalar_type());
    if (kFault == Fault::kLateBatch)
      hidden = hidden + hidden.mean(0) * (batch.target_in.positions >= 20).unsqueeze(1);
    if (kFault == Fault::kSharedState)
      hidden = hidden * (1 + 0.01 * models_made);
    if (kFault == Fault::kReadsOptions)
      hidden = hidden * options_->factor;
    if (kFault == Fault::kScratch && hidden.scalar_type() == at::kFloat && !context.training()) {
      at::Tensor place = scratch_.narrow(0, 0, hidden.size(0));  // [target tokens, model]
      place.copy_(hidden);
      hidden = place.clone();
    }
    return output;
  }

  double multiply_adds(int64_t source, int64_t target) const override {
    const double all = TransformerModel::multiply_adds(source, target);
    return kFault == Fault::kFewMultiplyAdds ? all / 2 : all;
  }

  std::unique_ptr<DecodingSession> start_decoding(const Batch& batch,
                                                  const DecodingLimits& limits,
                                                  nn::Context& context) override {
    auto session = TransformerModel::start_decoding(batch, limits, context);
    if (kFault != Fault::kLateStep)
      return session;
    return std::make_unique<LateSession>(std::move(session));
  }

 private:
  const ModelOptions* options_;
  at::Tensor gain_, unused_, scratch_;
};

struct Bits final : Criterion {
  Bits(const NoOptions&, const CriterionSetup&) {}
  LossReport loss(const DecoderOutput& output, const Batch& batch, nn::Context& context) override {
    LossReport report = token_loss(output, batch, {}, context);
    report.nll_sum /= std::log(2.0);
    return report;
  }
};

/// Greedy search that ignores its options, or beam search that announced only one row per sentence.
template <bool kObeys>
struct PlantedSearch final : Decoder {
  PlantedSearch(const SearchOptions& options, const DecoderSetup&) : options_(options) {}
  std::vector<std::vector<Hypothesis>> decode(const DecodingRequest& request) override {
    SearchOptions options;
    if (kObeys)
      options = options_;
    SearchInput input(request, options, 1);
    BeamSettings beam;
    beam.beam = 3;
    return kObeys ? beam_search(input, options, beam) : greedy_search(input, options);
  }
  SearchOptions options_;
};

struct LongRows final : Metric {
  LongRows(const NoOptions&, const MetricSetup&) {}
  std::string name() const override { return "lines"; }
  bool higher_is_better() const override { return true; }
  size_t statistics() const override { return 2; }
  void measure(std::string_view hypothesis,
               std::span<const std::string_view> references,
               std::span<double> row) const override {
    row[0] = hypothesis == references.front() ? 1 : 0;
    row[1] = 1;
    row.data()[4] = 7;
  }
  double score(std::span<const double> sums) const override {
    return sums[1] > 0 ? 100 * sums[0] / sums[1] : 0;
  }
};

/// Has no score.
struct NotANumber final : Metric {
  NotANumber(const NoOptions&, const MetricSetup&) {}
  std::string name() const override { return "nan"; }
  size_t statistics() const override { return 1; }
  void measure(std::string_view,
               std::span<const std::string_view>,
               std::span<double> row) const override {
    row[0] = 1;
  }
  double score(std::span<const double>) const override {
    return std::numeric_limits<double>::quiet_NaN();
  }
};

/// Rejects every sentence, with a remedy.
struct Rejecting final : Metric {
  Rejecting(const NoOptions&, const MetricSetup&) {}
  std::string name() const override { return "none"; }
  size_t statistics() const override { return 1; }
  void measure(std::string_view,
               std::span<const std::string_view>,
               std::span<double>) const override {
    throw DataError("the sentence has no tree", "Parse it.");
  }
  double score(std::span<const double>) const override { return 0; }
};

/// Words from a buffer that all threads share, with a delay that lets several threads use it at
/// once, or words without their vowels.
template <bool kShares>
struct PlantedTokenizer final : Tokenizer {
  PlantedTokenizer(const NoOptions&, const TokenizerSetup&) {}
  std::vector<std::string> encode(std::string_view line) const override {
    std::array<char, 200> own{};
    std::array<char, 200>& buffer = kShares ? buffer_ : own;
    const size_t length = std::min(line.size(), buffer.size());
    std::copy_n(line.data(), length, buffer.data());
    if (kShares)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::vector<std::string> words;
    std::string word;
    for (size_t i = 0; i <= length; ++i) {
      const char c = i < length ? buffer[i] : ' ';
      if (c != ' ' && (kShares || std::string_view("aeiou").find(c) == std::string_view::npos))
        word += c;
      if (c == ' ' && !word.empty())
        words.push_back(std::exchange(word, ""));
    }
    return words;
  }
  std::string decode(const std::vector<std::string>& symbols) const override {
    std::string text;
    for (const std::string& symbol : symbols) text += (text.empty() ? "" : " ") + symbol;
    return text;
  }
  mutable std::array<char, 200> buffer_{};
};

struct CountingSchedule final : LrScheduler {
  CountingSchedule(const NoOptions&, const LrSchedulerSetup& setup) : lr_(setup.lr) {}
  double rate(int64_t) const override { return lr_ / ++calls_; }
  double lr_;
  mutable int calls_ = 0;
};

/// The generated text without its last pair.
struct ShortLoader final : DataLoader {
  struct Sentences final : Corpus {
    int64_t size() const override { return 22; }
    int64_t source_length(int64_t) const override { return 2; }
    int64_t target_length(int64_t) const override { return 2; }
    Example get(int64_t index) const override { return {index, {5, kEos}, {6, kEos}, {}}; }
    std::string fingerprint() const override { return "short"; }
  };
  ShortLoader(const NoOptions&, const DataLoaderSetup&) {}
  bool has_split(const std::string&) const override { return true; }
  std::unique_ptr<Corpus> open(const std::string&, bool) const override {
    return std::make_unique<Sentences>();
  }
};

template <Fault kFault>
void add_model(Registry& registry, const char* name) {
  registry.add<Architecture, Planted<kFault>, ModelOptions>(name, "A Transformer with an error");
}

void register_components(Registry& registry) {
  add_model<Fault::kUnregistered>(registry, "planted_unregistered");
  add_model<Fault::kUnused>(registry, "planted_unused");
  add_model<Fault::kLateStep>(registry, "planted_late_step");
  add_model<Fault::kLateBatch>(registry, "planted_late_batch");
  add_model<Fault::kNoMultiplyAdds>(registry, "planted_no_multiply_adds");
  add_model<Fault::kFewMultiplyAdds>(registry, "planted_few_multiply_adds");
  add_model<Fault::kCrash>(registry, "planted_crash");
  add_model<Fault::kScratch>(registry, "planted_scratch");
  add_model<Fault::kSharedState>(registry, "planted_shared_state");
  add_model<Fault::kReadsOptions>(registry, "planted_reads_options");
  registry.add<Criterion, Bits, NoOptions>("planted_bits", "nll_sum in base 2");
  registry.add<Decoder, PlantedSearch<false>, SearchOptions>("planted_deaf", "No constraints");
  registry.add<Decoder, PlantedSearch<true>, SearchOptions>("planted_wide", "Too many rows");
  registry.add<Metric, LongRows, NoOptions>("planted_long_rows", "More statistics than announced");
  registry.add<Metric, NotANumber, NoOptions>("planted_nan", "Has no finite score");
  registry.add<Metric, Rejecting, NoOptions>("planted_rejecting", "Rejects every sentence");
  registry.add<Tokenizer, PlantedTokenizer<true>, NoOptions>("planted_buffer", "A shared buffer");
  registry.add<Tokenizer, PlantedTokenizer<false>, NoOptions>("planted_vowels", "Loses vowels");
  registry.add<LrScheduler, CountingSchedule, NoOptions>("planted_count", "Counts its calls");
  registry.add<DataLoader, ShortLoader, NoOptions>("planted_short",
                                                   "Drops the last pair, and ignores the epoch");
}

}  // namespace

PHRASEQ_PLUGIN("planted", "0.1.0", "Components with one error each", register_components)
