#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/data/example.h"
#include "core/nn/architecture.h"
#include "core/nn/flat_parameters.h"
#include "core/plugin/registry.h"
#include "core/train/translator.h"

namespace phraseq::conformance {

/// A small model of an architecture, over the toy task's vocabularies. Two with different seeds of
/// the same selection differ in their parameters alone.
///
/// The dictionaries of the two sides differ in size, so that one cannot be taken for the other,
/// unless the architecture refuses that (`--share-all-embeddings`).
class PHRASEQ_API SmallModel {
 public:
  /// Parameters as `initialise(seed)` draws them, in `precision`'s type.
  SmallModel(const Registry& registry,
             const Selection& selection,
             nn::Precision precision,
             uint64_t seed = 5);

  Architecture& model() const { return *translator_.model; }
  nn::FlatParameters& flat() const { return *translator_.parameters; }
  Translator& translator() { return translator_; }

  /// Moves every parameter off its first value by a formula, so that none is zero and none is
  /// without influence.
  void disturb();

  Batch batch(const std::vector<Example>& examples) const;
  nn::Context context(bool training = false, uint64_t seed = 7) const;
  /// [target tokens, vocab]
  at::Tensor logits(const std::vector<Example>& examples) const;
  /// ln p of all target tokens, one sentence after the other.
  std::vector<double> log_probabilities(const std::vector<Example>& examples) const;
  /// The label-smoothed loss of a training pass, summed; differentiable.
  at::Tensor training_loss(const std::vector<Example>& examples, uint64_t seed = 7) const;

 private:
  Translator translator_;
  nn::Precision precision_;
};

/// The first parameter whose bits differ between two models of one architecture; empty when none
/// does. What lies between parameters in the buffer means nothing.
std::string first_difference(const nn::FlatParameters& a, const nn::FlatParameters& b);

/// A pair of ids, with a flat parse tree of the source for architectures that ask for one.
Example toy_example(int64_t id, std::vector<int64_t> source, std::vector<int64_t> target = {});

/// Three pairs, numbered from 0: lengths 6 2 4 and 4 6 2, </s> counted.
PHRASEQ_API std::vector<Example> toy_examples();

}  // namespace phraseq::conformance
