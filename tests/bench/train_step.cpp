// The arithmetic of a training update and nothing else: a Transformer's forward and backward pass
// and a fused Adam, on generated sentences. Prints one line of JSON.
//
//   bench-train-step [tiny|base] [fp32|bf16] [threads] [updates]
#include <algorithm>
#include <chrono>
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

/// Sentences of 6 to 20 tokens (mean 13, as Multi30k's), alike within a batch as bucketing makes
/// them.
PackedTokens sentences(int64_t tokens, int64_t vocabulary, int64_t length, Random& random) {
  std::vector<std::vector<int64_t>> ids;
  for (int64_t total = 0; total < tokens; total += length) {
    ids.emplace_back();
    for (int64_t i = 0; i < length; ++i) {
      ids.back().push_back(
          4 + static_cast<int64_t>(random.below(static_cast<uint64_t>(vocabulary - 4))));
    }
  }
  return PackedTokens::pack(ids);
}

Batch make_batch(const Size& size, Random& random) {
  Batch batch;
  const auto length = static_cast<int64_t>(6 + random.below(15));
  batch.source = sentences(size.tokens, size.vocabulary, length, random);
  batch.target_in = sentences(size.tokens, size.vocabulary, length, random);
  batch.target_out = batch.target_in.ids;
  return batch;
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

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto word = [&](size_t i, const char* otherwise) {
    return i < words.size() ? words[i] : otherwise;
  };
  const std::string name = word(0, "tiny"), type = word(1, "fp32");
  at::set_num_threads(std::stoi(word(2, "2")));
  const int updates = std::stoi(word(3, "20"));
  install_caching_allocator();

  const Size size = size_named(name);
  TransformerModel model(size.options, {size.vocabulary, size.vocabulary, true, {}});
  model.initialize(1);
  FlatParameters flat(model, true);
  if (type == "bf16")
    flat.refresh_bf16();
  Adam adam{flat};
  Random random(7);
  std::vector<double> rates;
  double loss = 0;
  for (int update = 0; update < updates; ++update) {
    const Batch batch = make_batch(size, random);
    const double start = seconds();
    Context context(true, type == "bf16" ? Precision::kBf16 : Precision::kFp32, update, &flat);
    const DecoderOutput out = model.forward(batch, context);
    const auto result = projected_cross_entropy(out.hidden,
                                                out.output_weight,
                                                out.output_bias,
                                                batch.target_out,
                                                {0.1, Smoothing::kFairseq, out.forbidden},
                                                context);
    result.loss.backward();
    const auto tokens = static_cast<double>(batch.target_in.tokens());
    adam.step(1.0 / tokens);
    loss = result.loss_sum / tokens;
    if (update >= 3)
      rates.push_back(tokens / (seconds() - start));  // the first updates warm up
  }
  std::sort(rates.begin(), rates.end());
  fmt::print(
      "{{\"size\": \"{}\", \"precision\": \"{}\", \"threads\": {}, \"updates\": {}, "
      "\"target_tokens_per_second\": {{\"median\": {:.0f}, \"best\": {:.0f}}}, \"last_loss\": "
      "{:.4f}}}\n",
      name,
      type,
      at::get_num_threads(),
      rates.size(),
      rates[rates.size() / 2],
      rates.back(),
      loss);
}
