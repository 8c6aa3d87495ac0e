// Measures only the arithmetic of a training update: a Transformer's forward and backward pass and
// a fused Adam, on generated sentences. Prints one line of JSON.
//
//   bench-train-step [tiny|base] [fp32|bf16] [threads] [updates]
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "core/base/random.h"
#include "core/nn/flat_parameters.h"
#include "core/nn/loss/projected_loss.h"
#include "core/nn/memory/caching_allocator.h"
#include "core/nn/transformer/transformer_model.h"
#include "tests/bench/random_batch.h"

namespace {

using namespace phraseq;
using namespace phraseq::nn;

struct Size {
  TransformerOptions options;
  int64_t vocabulary, tokens;
};

/// The two model sizes whose speed is measured.
Size size_named(const std::string& name) {
  Size size;
  if (name == "base") {
    size.options.share_all_embeddings = true;
    size.vocabulary = 32000;
    size.tokens = 1700;
  } else {
    size.options.set_sizes(128, 256, 4, 4);
    size.options.set_dropout(0.3, 0.1, 0.1);
    size.options.share_decoder_input_output_embed = true;
    size.vocabulary = 10000;
    size.tokens = 3400;
  }
  return size;
}

/// Sentences of 6 to 20 tokens (mean 13, like Multi30k), of equal length within a batch, as after
/// bucketing.
Batch make_batch(const Size& size, Random& random) {
  const auto length = static_cast<int64_t>(6 + random.below(15));
  return bench::random_batch({size.tokens, length, size.vocabulary}, random);
}

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Adam's state over the flat buffer.
struct Adam {
  FlatParameters& flat;
  at::Tensor first = at::zeros_like(flat.values());
  at::Tensor second = at::zeros_like(flat.values());
  at::Tensor steps = at::zeros({});

  void step(double scale) {
    steps.add_(1);
    flat.gradients().mul_(scale);
    at::_fused_adam_({flat.values()},
                     {flat.gradients()},
                     {first},
                     {second},
                     {},
                     {steps},
                     1e-4,
                     0.9,
                     0.98,
                     0.0,
                     1e-8,
                     false,
                     false);
    if (flat.bf16().defined())
      flat.refresh_bf16();
    flat.zero_gradients();
  }
};

/// A Transformer in training.
class Training {
 public:
  Training(const Size& size, bool bf16)
      : precision_(bf16 ? Precision::kBf16 : Precision::kFp32),
        model_(size.options, {size.vocabulary, size.vocabulary, true, {}}) {
    model_.initialize(1);
    flat_.emplace(model_, true);
    if (bf16)
      flat_->refresh_bf16();
    adam_.emplace(Adam{*flat_});
  }

  /// Makes one update. Returns the loss per target token.
  double update(const Batch& batch, uint64_t seed) {
    Context context(true, precision_, seed, &*flat_);
    const DecoderOutput out = model_.forward(batch, context);
    const auto result = projected_cross_entropy(out.hidden,
                                                out.output_weight,
                                                out.output_bias,
                                                batch.target_out,
                                                {0.1, Smoothing::kFairseq, out.forbidden},
                                                context);
    result.loss.backward();
    const auto tokens = static_cast<double>(batch.target_in.tokens());
    adam_->step(1.0 / tokens);
    return result.loss_sum / tokens;
  }

 private:
  Precision precision_;
  TransformerModel model_;
  std::optional<FlatParameters> flat_;
  std::optional<Adam> adam_;
};

/// The results of the updates of a run.
struct Measurement {
  std::vector<double> rates;  ///< target tokens per second, ascending
  double last_loss = 0;
};

Measurement measure(Training& training, const Size& size, int updates) {
  constexpr int kWarmUp = 3;
  Random random(7);
  Measurement found;
  for (int update = 0; update < updates; ++update) {
    const Batch batch = make_batch(size, random);
    const double start = seconds();
    found.last_loss = training.update(batch, static_cast<uint64_t>(update));
    if (update >= kWarmUp)
      found.rates.push_back(static_cast<double>(batch.target_in.tokens()) / (seconds() - start));
  }
  std::sort(found.rates.begin(), found.rates.end());
  return found;
}

void print(const Measurement& found, const std::string& size, const std::string& precision) {
  fmt::print(
      "{{\"size\": \"{}\", \"precision\": \"{}\", \"threads\": {}, \"updates\": {}, "
      "\"target_tokens_per_second\": {{\"median\": {:.0f}, \"best\": {:.0f}}}, \"last_loss\": "
      "{:.4f}}}\n",
      size,
      precision,
      at::get_num_threads(),
      found.rates.size(),
      found.rates[found.rates.size() / 2],
      found.rates.back(),
      found.last_loss);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto word = [&](size_t i, const char* otherwise) {
    return i < words.size() ? words[i] : otherwise;
  };
  const std::string name = word(0, "tiny"), precision = word(1, "fp32");
  at::set_num_threads(std::stoi(word(2, "2")));
  const int updates = std::stoi(word(3, "20"));
  install_caching_allocator();

  const Size size = size_named(name);
  Training training(size, precision == "bf16");
  print(measure(training, size, updates), name, precision);
}
