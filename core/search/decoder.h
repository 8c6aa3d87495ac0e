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

/// The arguments of a decoder besides its options.
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

/// A batch to translate, with one model or an ensemble whose probabilities are averaged.
struct DecodingRequest {
  std::vector<Architecture*> models;  ///< with the same conventions for sequences
  const Batch* batch = nullptr;       ///< with targets when a prefix is forced
  nn::Precision precision = nn::Precision::kFp32;
  std::vector<const nn::FlatParameters*> parameters;  ///< one per model; provide the bf16 copies
  std::vector<const Component*> architectures;        ///< one per model; named in errors
  int64_t vocabulary = 0;  ///< words that each step of a named model must score; 0 = any number
  bool need_attention = false;
  bool need_scores = true;  ///< false: only the order of the scores has to be right
  uint64_t seed = 1;        ///< for sampling; a row's draws depend on (seed, sentence id, step)
  std::vector<LexicalConstraints> lexical_constraints = {};  ///< one per sentence; empty = none
  /// For each sentence, the words that its translation may use (a shortlist), sorted and distinct;
  /// empty = all. Forced tokens (prefixes, constraints) are always allowed.
  std::vector<std::vector<int64_t>> candidates = {};
  /// For each sentence, the ids that its hypotheses begin with, unless a prefix of the target is
  /// forced; empty = none.
  std::vector<std::vector<int64_t>> prompts = {};
  std::optional<FusionModel> language_model = {};
};

/// Searches for translations (--decoder; not the network that is also called a decoder); knows the
/// models only through DecodingSession.
class PHRASEQ_API Decoder {
 public:
  static constexpr const char* kKind = "decoder";
  using Setup = DecoderSetup;
  using Factory = std::function<std::unique_ptr<Decoder>(const Options&, const Setup&)>;

  virtual ~Decoder() = default;
  /// Returns the hypotheses to print of each sentence, at least one, best first, in the order of
  /// the batch. Throws DivergenceError if the scores of a model are not finite.
  virtual std::vector<std::vector<Hypothesis>> decode(const DecodingRequest& request) = 0;
};

}  // namespace phraseq
