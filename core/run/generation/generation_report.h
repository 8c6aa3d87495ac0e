#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "core/data/task.h"
#include "core/score/metrics/metric.h"
#include "core/search/decoders/constrained_beam.h"
#include "core/translate/extras/scored_text.h"
#include "core/translate/post_process.h"
#include "core/translate/repeated_hypotheses.h"
#include "core/translate/translator.h"

namespace phraseq {

/// Collects the figures for the last lines of the log: amount, speed and score of the translations.
class GenerationReport {
 public:
  using Clock = std::chrono::steady_clock;

  GenerationReport(PostProcess remove_bpe, ConstraintOrder order, const Task& task)
      : remove_bpe_(remove_bpe), order_(order), scored_text_(task) {}

  /// Counts translations that took `time`.
  void add(const std::vector<Translation>& translations, const Task& task, Clock::duration time);

  std::string speed() const;
  void warn_of_repeated_hypotheses() const;
  /// Warns if at least a third of at least 20 source tokens are unknown.
  void warn_of_unknown_input() const;
  void warn_of_unmet_constraints() const;

  /// True if every sentence has a reference.
  bool has_references() const;
  std::string score_text(const Metric& metric) const;

 private:
  void note_constraints(const Translation& translation);
  void note_reference(const Translation& translation, const Task& task, const std::string& text);

  PostProcess remove_bpe_;
  ConstraintOrder order_;
  ScoredText scored_text_;
  int64_t constrained_ = 0;        ///< sentences with constraints whose source has words
  int64_t constrained_empty_ = 0;  ///< sentences with constraints whose source is empty
  int64_t unmet_ = 0;
  double seconds_ = 0;
  int64_t sentences_ = 0;
  int64_t tokens_ = 0;
  int64_t source_tokens_ = 0, unknown_ = 0;  ///< without </s>; of these, the unknown ones
  std::vector<std::string> hypotheses_, references_;
  RepeatedHypotheses repeated_;
};

}  // namespace phraseq
