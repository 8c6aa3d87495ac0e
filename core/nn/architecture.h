#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <torch/nn/module.h>

#include "core/base/api.h"
#include "core/data/architecture_setup.h"
#include "core/data/batch.h"
#include "core/data/sequence_conventions.h"
#include "core/nn/context.h"
#include "core/nn/decoding_session.h"
#include "core/options/option_table.h"

namespace phraseq {

/// The output of a model: hidden rows and the output matrix instead of logits, so that the
/// projection can be fused with the loss or computed in chunks.
struct PHRASEQ_API DecoderOutput {
  static constexpr float kForbiddenScore = -1e9F;  ///< the logit of a forbidden id

  at::Tensor hidden;                         ///< [target tokens, model]
  at::Tensor output_weight;                  ///< [vocab, model], the parameter
  at::Tensor output_bias;                    ///< [vocab] or undefined
  std::vector<int64_t> forbidden;            ///< ids excluded from the softmax (--forbid-outputs)
  std::map<std::string, at::Tensor> extras;  ///< for an architecture's own criterion

  /// `[rows, vocab]` in fp32: hidden · output_weightᵀ + bias, with kForbiddenScore for forbidden
  /// ids.
  at::Tensor logits(nn::Context& context) const;
  /// The same in the type of the product, or in fp32 if that type cannot represent kForbiddenScore.
  at::Tensor unwidened_logits(nn::Context& context) const;
};

/// A translation model: one class for training, incremental decoding and scoring.
///
/// Sub-modules and parameters are registered with torch::nn::Module under fairseq's names, which
/// are the checkpoint's names.
class PHRASEQ_API Architecture : public torch::nn::Module {
 public:
  static constexpr const char* kKind = "architecture";
  using Setup = ArchitectureSetup;
  using Factory = std::function<std::unique_ptr<Architecture>(const Options&, const Setup&)>;

  /// Teacher-forced pass over a batch with targets.
  virtual DecoderOutput forward(const Batch& batch, nn::Context& context) = 0;

  /// Encodes the batch's sources and starts with one row per sentence.
  virtual std::unique_ptr<DecodingSession> start_decoding(const Batch& batch,
                                                          const DecodingLimits& limits,
                                                          nn::Context& context) = 0;

  virtual int64_t model_width() const = 0;  ///< the d of the noam schedule
  /// The maximum number of tokens of a source (below: of a target), including special ones.
  virtual int64_t max_source_positions() const = 0;
  virtual int64_t max_target_positions() const = 0;
  /// Initializes all parameters from the seed alone.
  virtual void initialize(uint64_t seed) = 0;
  /// How the model's sequences begin, and what its batches contain in addition.
  virtual SequenceConventions conventions() const { return {}; }
  /// Multiply-adds of the matrix products in one forward pass over a batch, for measuring speed.
  virtual double multiply_adds(int64_t source_tokens, int64_t target_tokens) const = 0;
};

}  // namespace phraseq
