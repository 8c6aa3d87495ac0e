#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/api.h"
#include "core/data/batch.h"
#include "core/nn/architecture.h"
#include "core/nn/context.h"
#include "core/options/option_table.h"
#include "core/search/hypothesis.h"
#include "core/search/lexical_state.h"

namespace phraseq {

struct Component;

struct DecoderSetup {
  int64_t target_vocabulary = 0;
};

/// A language model whose scores are added to the models' (shallow fusion).
struct FusionModel {
  Architecture* model = nullptr;
  const nn::FlatParameters* parameters = nullptr;
  const Component* architecture = nullptr;
  double weight = 0;
};

/// What a decoder searches over: one model, or an ensemble whose probabilities are averaged.
struct DecodingRequest {
  std::vector<Architecture*> models;
  const Batch* batch = nullptr;  ///< with targets when a prefix is forced
  nn::Precision precision = nn::Precision::kFp32;
  std::vector<const nn::FlatParameters*> parameters;  ///< one a model; for the bf16 copies
  std::vector<const Component*> architectures;        ///< one a model: whom to name when it throws
  bool need_attention = false;
  bool need_scores = true;  ///< without, hypotheses' scores may be anything that keeps their order
  uint64_t seed = 1;        ///< of sampling; a row's draws depend on (seed, sentence id, step)
  std::vector<LexicalConstraints> lexical_constraints = {};  ///< one a sentence; empty = none
  /// Of each sentence, the words of the vocabulary that it may be translated with, sorted, each
  /// once (a shortlist); empty = all. What is forced (prefixes, constraints) may be used besides.
  std::vector<std::vector<int64_t>> candidates = {};
  /// One a sentence: ids that its hypotheses begin with, unless a prefix of the target is forced;
  /// empty = none.
  std::vector<std::vector<int64_t>> prompts = {};
  std::optional<FusionModel> language_model = {};
};

/// Searches for translations through DecodingSession alone.
class PHRASEQ_API Decoder {
 public:
  static constexpr const char* kKind = "decoder";
  using Setup = DecoderSetup;
  using Factory = std::function<std::unique_ptr<Decoder>(const Options&, const Setup&)>;

  virtual ~Decoder() = default;
  /// For each sentence of the batch, in its order, the n best hypotheses, best first.
  virtual std::vector<std::vector<Hypothesis>> decode(const DecodingRequest& request) = 0;
};

}  // namespace phraseq
