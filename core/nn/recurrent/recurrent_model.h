#pragma once

#include <memory>
#include <utility>

#include "core/nn/architecture.h"
#include "core/nn/recurrent/recurrent_encoder.h"
#include "core/nn/recurrent/recurrent_initializer.h"

namespace phraseq::nn {

/// The common part of RNNsearch and the models based on it: a RecurrentEncoder as `encoder` and, as
/// `decoder`, a Decoder, which is a RecurrentDecoder.
template <class Decoder>
class RecurrentModel : public Architecture {
 public:
  int64_t model_width() const override { return decoder_->options().hidden; }
  int64_t max_source_positions() const override { return decoder_->options().max_source_positions; }
  int64_t max_target_positions() const override { return decoder_->options().max_target_positions; }

  void initialize(uint64_t seed) override {
    RecurrentInitializer initializer(seed, decoder_->options().init_deviation);
    encoder_->initialize(initializer);
    decoder_->initialize(initializer);
  }

  double multiply_adds(int64_t source_tokens, int64_t target_tokens) const override {
    const auto source = static_cast<double>(source_tokens);
    return encoder_->multiply_adds(source) +
           decoder_->multiply_adds(source, static_cast<double>(target_tokens));
  }

 protected:
  RecurrentModel(int64_t source_vocabulary, std::shared_ptr<Decoder> decoder)
      : encoder_(register_module(
            "encoder", std::make_shared<RecurrentEncoder>(decoder->options(), source_vocabulary))),
        decoder_(register_module("decoder", std::move(decoder))) {}

  std::shared_ptr<RecurrentEncoder> encoder_;
  std::shared_ptr<Decoder> decoder_;
};

}  // namespace phraseq::nn
