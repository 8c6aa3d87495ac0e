#include "core/run/generation/generation_report.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "core/base/log.h"
#include "core/base/wording/counted.h"
#include "core/score/report/evaluation.h"
#include "core/search/lexical_state.h"
#include "core/text/dictionary.h"
#include "core/text/subword_marks.h"
#include "core/translate/extras/constrained_line.h"
#include "core/translate/hypothesis_text.h"

namespace phraseq {
namespace {

constexpr int64_t kFewTokens = 20;  ///< too few to tell whether they have the form of the training

}  // namespace

void GenerationReport::add(const std::vector<Translation>& translations,
                           const Task& task,
                           Clock::duration time) {
  seconds_ += std::chrono::duration<double>(time).count();
  for (const Translation& translation : translations) {
    const Hypothesis& best = translation.hypotheses.front();
    ++sentences_;
    note_constraints(translation);
    tokens_ += static_cast<int64_t>(best.tokens.size());
    const auto& source = translation.example.source;
    source_tokens_ += std::ranges::count_if(source, [](int64_t id) { return id != kEos; });
    unknown_ += std::ranges::count(source, kUnk);
    const std::string text = hypothesis_text(task, translation.example, best, remove_bpe_);
    repeated_.note(translation.example.source, text);
    note_reference(translation, task, text);
  }
}

void GenerationReport::note_constraints(const Translation& translation) {
  const LexicalConstraints constraints = constraints_of(translation.example);
  if (constraints.empty())
    return;
  if (is_empty(translation.example)) {
    ++constrained_empty_;
    return;
  }
  const auto state = lexical_state(constraints, order_);
  for (const int64_t token : translation.hypotheses.front().tokens) {
    if (token != kEos)
      state->advance(token);
  }
  ++constrained_;
  unmet_ += state->finished() ? 0 : 1;
}

void GenerationReport::note_reference(const Translation& translation,
                                      const Task& task,
                                      const std::string& text) {
  if (translation.example.target.empty())
    return;
  hypotheses_.push_back(scored_text_.hypothesis(text));
  references_.push_back(
      scored_text_.reference(reference_text(task, translation.example, remove_bpe_)));
}

std::string GenerationReport::speed() const {
  const double seconds = std::max(seconds_, 1e-9);
  return fmt::format("Translated {} ({}) in {:.1f} s ({:.2f} sentences/s, {:.2f} tokens/s)",
                     counted(sentences_, "sentence"),
                     counted(tokens_, "token"),
                     seconds_,
                     static_cast<double>(sentences_) / seconds,
                     static_cast<double>(tokens_) / seconds);
}

void GenerationReport::warn_of_repeated_hypotheses() const {
  const std::string finding = repeated_.finding();
  if (finding.empty())
    return;
  log_warning(fmt::format(
      "{}. Give the input in the form of the training text (language, case, subwords). If it has "
      "this form, train the model for longer or with another --lr",
      finding));
}

void GenerationReport::warn_of_unknown_input() const {
  if (source_tokens_ < kFewTokens || 3 * unknown_ < source_tokens_)
    return;
  log_warning(fmt::format(
      "{} of {} tokens of the input are not in the dictionary of the model. Give the input in the "
      "form of the training text (language, case, subwords)",
      unknown_,
      source_tokens_));
}

void GenerationReport::warn_of_unmet_constraints() const {
  if (constrained_empty_ > 0) {
    log_warning(fmt::format(
        "{} with constraints: the translation of an empty line is empty, so it does not meet them",
        counted(constrained_empty_, "empty line")));
  }
  if (unmet_ > 0) {
    log_warning(fmt::format(
        "{} of {} sentences with constraints have a translation that does not meet them all; a "
        "larger --beam or maximum length (--max-len-a, --max-len-b) can help, and "
        "--no-repeat-ngram-size can rule constraints out",
        unmet_,
        constrained_));
  }
}

bool GenerationReport::has_references() const {
  return sentences_ > 0 && static_cast<int64_t>(references_.size()) == sentences_;
}

std::string GenerationReport::score_text(const Metric& metric) const {
  warn_of_subwords(references_, "--remove-bpe");
  const auto scored = score::score_corpus(metric, hypotheses_, std::span(&references_, 1));
  return score::format_text(scored, score::kLogStyle);
}

}  // namespace phraseq
