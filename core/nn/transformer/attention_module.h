#pragma once

#include <memory>
#include <stdexcept>
#include <vector>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "core/base/api.h"
#include "core/data/batch.h"
#include "core/nn/context.h"
#include "core/nn/functional/incremental.h"
#include "core/nn/initializer.h"

/// The two kinds of attention in a Transformer. A variant that changes attention implements these
/// modules and nothing else (see AttentionFactory).
namespace phraseq::nn {

/// The rows of a decoding session: the location of each row's past, and its source sentence. Source
/// sentence i is rows source_offsets[i] to source_offsets[i+1] of the encoder's output.
struct DecodingRows {
  Ancestry ancestry;
  std::vector<int64_t> source_offsets;
  std::vector<int64_t> sentence_of_row;
};

/// The state of an attention module between the steps of a decoding session.
class PHRASEQ_API AttentionState {
 public:
  virtual ~AttentionState() = default;
  /// Row i of the new state is row `rows[i]` of the old state. Nothing needs to be done for data
  /// that is found through DecodingRows or stored once per sentence.
  virtual void select(const std::vector<int64_t>& /*rows*/) {}
};

/// Lets the rows of a sentence attend to each other.
class PHRASEQ_API SelfAttention : public torch::nn::Module {
 public:
  /// x [tokens, model] → [tokens, model]; `causal`: token i sees tokens 0..i of its sentence.
  virtual at::Tensor forward(const at::Tensor& x,
                             const PackedTokens& tokens,
                             bool causal,
                             Context& context) const = 0;
  /// The state before the first step of causal attention. Modules that only encoders use need
  /// neither this nor `step`: both throw std::logic_error.
  virtual std::unique_ptr<AttentionState> start() const;
  /// One step of all rows, x [rows, model] → [rows, model]; `rows.ancestry` has been advanced for
  /// it.
  virtual at::Tensor step(const at::Tensor& x,
                          AttentionState& state,
                          const DecodingRows& rows,
                          Context& context) const;
  virtual void initialize(Initializer& initializer) = 0;
  /// The multiply-adds of the matrices for this many tokens, excluding queries times keys.
  virtual double multiply_adds(double tokens) const = 0;
};

inline std::unique_ptr<AttentionState> SelfAttention::start() const {
  throw std::logic_error("this self-attention has no steps: it is for encoders");
}

inline at::Tensor SelfAttention::step(const at::Tensor& /*x*/,
                                      AttentionState& /*state*/,
                                      const DecodingRows& /*rows*/,
                                      Context& /*context*/) const {
  throw std::logic_error("this self-attention has no steps: it is for encoders");
}

/// Lets the rows of one stack attend to the rows of another.
class PHRASEQ_API CrossAttention : public torch::nn::Module {
 public:
  /// x [query tokens, model], memory [key tokens, memory model] → [query tokens, model]. `weights`,
  /// if given: see nn::cross_attention.
  virtual at::Tensor forward(const at::Tensor& x,
                             const PackedTokens& queries,
                             const at::Tensor& memory,
                             const PackedTokens& keys,
                             Context& context,
                             at::Tensor* weights = nullptr) const = 0;
  /// The state before the first step, computed from the memory once per sentence.
  virtual std::unique_ptr<AttentionState> start(const at::Tensor& memory,
                                                const PackedTokens& keys,
                                                Context& context) const = 0;
  /// One step of all rows, x [rows, model] → [rows, model]. `weights`, if given: see
  /// nn::decode_cross_attention.
  virtual at::Tensor step(const at::Tensor& x,
                          AttentionState& state,
                          const DecodingRows& rows,
                          Context& context,
                          at::Tensor* weights = nullptr) const = 0;
  virtual void initialize(Initializer& initializer) = 0;
  /// The multiply-adds of the matrices for this many tokens, excluding queries times keys.
  virtual double multiply_adds(double queries, double keys) const = 0;
};

}  // namespace phraseq::nn
