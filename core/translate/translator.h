#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/api.h"
#include "core/data/example.h"
#include "core/nn/context.h"
#include "core/plugin/registry.h"
#include "core/search/decoder.h"
#include "core/translate/extras/lexical_shortlist.h"
#include "core/translate/translation_model.h"
#include "core/translate/workers.h"

namespace phraseq {

/// The settings of a Translator, apart from those of the search itself.
struct TranslationSettings {
  nn::Precision precision = nn::Precision::kFp32;
  bool need_attention = false;
  bool need_scores = true;  ///< DecodingRequest::need_scores
  uint64_t seed = 1;
  int64_t max_tokens = 0;     ///< source tokens of a batch; 0 = any
  int64_t max_sentences = 0;  ///< 0 = any
  WorkerSettings workers;
  std::shared_ptr<const LexicalShortlist> shortlist = nullptr;  ///< null = the whole vocabulary
};

/// A sentence and its translations. A sentence without words has one hypothesis: </s> with score 0.
struct Translation {
  Example example;
  std::vector<Hypothesis> hypotheses;  ///< at least one, best first
};

/// Translates sentences with one model or an ensemble, on several workers that share the weights.
class PHRASEQ_API Translator {
 public:
  /// The component that `decoder` selects must outlive the translator. Throws UsageError if the
  /// models' dictionaries differ.
  Translator(std::vector<TranslationModel> models,
             const Selection& decoder,
             const TranslationSettings& settings);

  /// The first model's task, which reads and writes texts.
  const Task& task() const { return *models_.front().task; }
  const TranslationModel& model() const { return models_.front(); }
  /// Searches with a different decoder, or with attention, from the next call on.
  void search_with(const Selection& decoder, bool need_attention);
  /// Adds the scores of a language model, times `weight`, from the next call on (shallow fusion).
  /// Throws UsageError if its dictionary is not the target's, or if it reads sources.
  void fuse_with(TranslationModel language_model, double weight);
  /// The maximum number of source tokens that all models accept, including </s>.
  int64_t max_source_tokens() const;
  /// The maximum number of target tokens that all models can generate, including </s>.
  int64_t max_target_tokens() const;

  /// Returns the translations in the order of the examples. Throws DataError for a source longer
  /// than `max_source_tokens`.
  std::vector<Translation> translate(std::vector<Example> examples);
  /// Scores the given targets instead of translating (score_targets).
  std::vector<Translation> score(std::vector<Example> examples) const;

 private:
  void translate_batch(std::vector<Translation>& all,
                       const std::vector<int64_t>& places,
                       Decoder& decoder) const;
  DecodingRequest request_for(const std::vector<Example>& examples, const Batch& batch) const;

  std::vector<TranslationModel> models_;
  TranslationSettings settings_;
  std::vector<std::unique_ptr<Decoder>> decoders_;  // one per worker
  std::optional<TranslationModel> language_model_;
  double language_model_weight_ = 0;
};

/// Whether a sentence has no words, so there is nothing to translate. A prompt (kPromptExtra) is
/// continued even if it is empty.
PHRASEQ_API bool is_empty(const Example& example);

}  // namespace phraseq
