#include "plugins/architectures/phrasal_attention/model.h"

#include "plugins/architectures/phrasal_attention/phrase_attention.h"

namespace phraseq::phrasal {
namespace {

class PhraseAttentionFactory final : public nn::AttentionFactory {
 public:
  explicit PhraseAttentionFactory(const PhrasalAttentionOptions& options) : options_(options) {}

  std::shared_ptr<nn::SelfAttention> encoder_self(const nn::TransformerOptions& /*options*/,
                                                  int64_t /*layer*/) const override {
    return std::make_shared<PhraseSelfAttention>(PhraseOptions::of(options_, Place::kEncoderSelf));
  }
  std::shared_ptr<nn::SelfAttention> decoder_self(const nn::TransformerOptions& /*options*/,
                                                  int64_t /*layer*/) const override {
    return std::make_shared<PhraseSelfAttention>(PhraseOptions::of(options_, Place::kDecoderSelf));
  }
  std::shared_ptr<nn::CrossAttention> cross(const nn::TransformerOptions& /*options*/,
                                            int64_t /*layer*/) const override {
    return std::make_shared<PhraseCrossAttention>(PhraseOptions::of(options_, Place::kCross));
  }

 private:
  const PhrasalAttentionOptions& options_;
};

}  // namespace

PhrasalAttentionModel::PhrasalAttentionModel(const PhrasalAttentionOptions& options,
                                             const ArchitectureSetup& setup)
    : TransformerModel(options, setup, PhraseAttentionFactory(options)) {}

}  // namespace phraseq::phrasal
