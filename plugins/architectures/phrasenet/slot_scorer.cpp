#include "plugins/architectures/phrasenet/slot_scorer.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include "core/data/device/to_device.h"
#include "core/nn/recurrent/recurrent_encoder.h"
#include "core/nn/recurrent/recurrent_product.h"

namespace phraseq::phrasenet {

using nn::recurrent_product;

SlotClassifier::SlotClassifier(torch::nn::Module& owner, const PhraseNetOptions& o, int64_t slots)
    : readout_(owner.register_module(
          "phrase_readout",
          std::make_shared<nn::Readout>(o, o.embed_dim, slots, /*with_bias=*/true))),
      output_(owner.register_module(
          "phrase_output",
          std::make_shared<nn::LinearMap>(o.embed_dim, slots, /*with_bias=*/false))) {}

at::Tensor SlotClassifier::scores(const nn::DecisionState& decision, nn::Context& context) const {
  return recurrent_product(
      at::tanh(readout_->forward(decision, context)), output_->weight, {}, context);
}

void SlotClassifier::initialize(nn::RecurrentInitializer& initializer) {
  readout_->initialize(initializer);
  initializer.matrix(output_->weight);
}

double SlotClassifier::multiply_adds(double rows) const {
  return readout_->multiply_adds(rows) + rows * static_cast<double>(output_->weight.numel());
}

PhraseScorer::PhraseScorer(torch::nn::Module& owner, const PhraseNetOptions& o, int64_t slots)
    : rnn_(owner.register_module("phrase_rnn",
                                 std::make_shared<nn::GruCell>(o.embed_dim, o.hidden))),
      readout_(owner.register_module(
          "phrase_readout",
          std::make_shared<nn::Readout>(o, o.embed_dim, slots, /*with_bias=*/false))),
      phrase_(readout_->register_module(
          "phrase", std::make_shared<nn::LinearMap>(o.hidden, o.embed_dim, /*with_bias=*/false))),
      output_(owner.register_module(
          "phrase_output", std::make_shared<nn::LinearMap>(o.embed_dim, 1, /*with_bias=*/false))) {}

at::Tensor PhraseScorer::phrases(const BatchPhrases& batch,
                                 const nn::EmbeddingTable& words,
                                 nn::Context& context) const {
  const at::Tensor places = batch.places();  // [sentences, slots]
  at::Tensor encoded =
      at::zeros({1, phrase_->weight.size(0)}, words.weight.options());  // [1, embed]
  if (batch.count() > 0) {
    const at::Device device = words.weight.device();
    const at::Tensor ids = to_device(batch.all_words(), device);  // [words of all phrases]
    const auto& offsets = batch.word_offsets();
    const at::Tensor states =  // [words of all phrases, hidden]
        rnn_->over(nn::recurrent_embedding(ids, words, context),
                   nn::TimeMajor(offsets, device, /*backwards=*/true),
                   context);
    const at::Tensor first_words =
        at::tensor(offsets, at::kLong).narrow(0, 0, batch.count());  // [phrases]
    const at::Tensor last_states =
        states.index_select(0, to_device(first_words, device));  // [phrases, hidden]
    encoded = at::cat({recurrent_product(last_states, phrase_->weight, {}, context),
                       encoded});  // [phrases + 1, embed]
  }
  return encoded
      .index_select(0, places.view({-1}))                        // [sentences · slots, embed]
      .view({places.size(0), places.size(1), encoded.size(1)});  // [sentences, slots, embed]
}

at::Tensor PhraseScorer::scores(const nn::DecisionState& decision,
                                const at::Tensor& of_row,
                                nn::Context& context) const {
  const at::Tensor sum =
      readout_->forward(decision, context).unsqueeze(1) + of_row;  // [rows, slots, embed]
  return at::matmul(at::tanh(sum), output_->weight[0]);            // [rows, slots]
}

void PhraseScorer::initialize(nn::RecurrentInitializer& initializer) {
  rnn_->initialize(initializer);
  readout_->initialize(initializer);
  initializer.matrix(phrase_->weight);
  initializer.matrix(output_->weight);
}

double PhraseScorer::multiply_adds(double rows) const { return readout_->multiply_adds(rows); }

}  // namespace phraseq::phrasenet
