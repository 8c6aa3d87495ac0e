#include "core/train/validation/validation_scorer.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/log.h"
#include "core/score/report/evaluation.h"
#include "core/text/subword_marks.h"
#include "core/translate/extras/prompts.h"
#include "core/translate/extras/scored_text.h"
#include "core/translate/hypothesis_text.h"

namespace phraseq {
namespace {

constexpr int kRepeatedForWarning = 5;  ///< validations; early ones often repeat

/// Gathers the translations of all processes, indexed by rank. Bytes that are not UTF-8 are sent
/// unchanged.
std::vector<std::map<int64_t, std::string>> all_hypotheses(
    ProcessGroup& processes, const std::map<int64_t, std::string>& mine) {
  if (processes.is_alone())
    return {mine};
  std::vector<std::map<int64_t, std::string>> all;
  std::string bytes;
  nlohmann::json::to_cbor(mine, bytes);
  for (const std::string& part : processes.all_texts(bytes))
    all.push_back(nlohmann::json::from_cbor(part).get<std::map<int64_t, std::string>>());
  return all;
}

}  // namespace

ValidationScorer::ValidationScorer(const TranslationModel& model,
                                   const ValidationSplit& split,
                                   const ValidatorOptions& options,
                                   nn::Precision precision,
                                   std::vector<Decoder*> decoders,
                                   const Metric& metric)
    : model_(model),
      split_(split),
      options_(options),
      precision_(precision),
      decoders_(std::move(decoders)),
      metric_(metric) {}

/// The translations, keyed by example id.
std::map<int64_t, std::string> ValidationScorer::translations(const std::vector<Example>& examples,
                                                              Decoder& decoder) const {
  std::map<int64_t, std::string> found;
  if (examples.empty())
    return found;
  const Batch batch = model_.collate(examples).to(model_.parameters->values().device());
  DecodingRequest request;
  request.models = {model_.model.get()};
  request.parameters = {model_.parameters.get()};
  request.architectures = {model_.architecture_selection.component};
  request.vocabulary = model_.target_vocabulary;
  request.batch = &batch;
  request.precision = precision_;
  request.need_scores = false;
  request.prompts = prompts_of(examples);
  const auto translations = decoder.decode(request);
  const auto lock = split_.lock_text();
  for (size_t i = 0; i < examples.size(); ++i) {
    found[examples[i].id] =
        hypothesis_text(*model_.task, examples[i], translations[i].front(), options_.remove_bpe);
  }
  return found;
}

/// The translations of the sentences that are scored, which are the first ones of the split.
std::vector<std::string> ValidationScorer::hypotheses(int64_t threads_per_worker) const {
  const int64_t sentences = split_.corpus().size();
  const int64_t limit =
      options_.translated_sentences > 0 ? options_.translated_sentences : sentences;
  std::vector<std::string> all(static_cast<size_t>(std::min(limit, sentences)));
  using Texts = std::map<int64_t, std::string>;
  auto parts = split_.over_own_batches<Texts>(
      {std::ssize(decoders_), threads_per_worker}, limit, [&](const auto& examples, size_t worker) {
        return translations(examples, *decoders_[worker]);
      });
  Texts found;
  for (auto& part : parts) found.merge(part);
  for (const auto& part : all_hypotheses(split_.processes(), found)) {
    for (const auto& [index, text] : part) all.at(static_cast<size_t>(index)) = text;
  }
  return all;
}

/// Returns the references of the scored sentences and counts repeated translations.
std::vector<std::string> ValidationScorer::note_references(
    const std::vector<std::string>& hypotheses) {
  std::vector<std::string> references(hypotheses.size());
  for (const auto& indices : split_.plans().plan.batches) {
    for (const int64_t id : indices) {
      const auto index = static_cast<size_t>(id);
      if (index >= hypotheses.size())
        continue;
      const Example example = split_.corpus().get(id);
      references[index] = reference_text(*model_.task, example, options_.remove_bpe);
      repeated_.note(example.source, hypotheses[index]);
    }
  }
  return references;
}

/// The score of one part of the corpus.
score::Score ValidationScorer::score_of(const CorpusPart& part,
                                        const std::vector<std::string>& hypotheses,
                                        const std::vector<std::string>& references) const {
  const auto of_part = [&](const std::vector<std::string>& texts) {
    return std::vector<std::string>(texts.begin() + part.begin, texts.begin() + part.end);
  };
  const std::vector<std::string> own_references = of_part(references);
  return score::score_corpus(metric_, of_part(hypotheses), std::span(&own_references, 1));
}

void ValidationScorer::add_scores(ValidationResult& result, int64_t threads_per_worker) {
  repeated_ = {};
  const std::vector<std::string> hypotheses = this->hypotheses(threads_per_worker);
  const std::vector<std::string> references = note_references(hypotheses);
  warn_of_subwords(references, "--eval-bleu-remove-bpe");
  repeated_in_a_row_ = repeated_.finding().empty() ? 0 : repeated_in_a_row_ + 1;
  if (repeated_in_a_row_ == kRepeatedForWarning)
    warn_of_repeated_hypotheses();
  add_scores_of(hypotheses, references, result);
  for (size_t i = 0; i < hypotheses.size() && i < static_cast<size_t>(options_.printed_samples);
       ++i) {
    log_info(fmt::format(
        "sample {}\n  reference:  {}\n  hypothesis: {}", i + 1, references[i], hypotheses[i]));
  }
}

/// Adds the scores of the whole split and of its parts to `result`.
void ValidationScorer::add_scores_of(const std::vector<std::string>& hypotheses,
                                     const std::vector<std::string>& references,
                                     ValidationResult& result) const {
  std::vector<std::string> marked_hypotheses, marked_references;
  const ScoredText scored_text(*model_.task);
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    marked_hypotheses.push_back(scored_text.hypothesis(hypotheses[i]));
    marked_references.push_back(scored_text.reference(references[i]));
  }
  const auto all = static_cast<int64_t>(hypotheses.size());
  result.score = score_of({"", 0, all}, marked_hypotheses, marked_references);
  for (const CorpusPart& part : split_.plans().parts) {
    if (!result.parts.empty() && part.begin < part.end && part.end <= all)
      result.parts[part.name].score = score_of(part, marked_hypotheses, marked_references).value;
  }
}

void ValidationScorer::warn_of_repeated_hypotheses() const {
  const std::string finding = repeated_.finding();
  if (finding.empty())
    return;
  log_warning(fmt::format(
      "{}: the model has not learned to translate yet. Train for longer, or with another --lr and "
      "--warmup-updates; phraseq plot shows whether the losses still fall",
      finding));
}

}  // namespace phraseq
