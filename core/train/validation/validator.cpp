#include "core/train/validation/validator.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/distributed/process_report.h"
#include "core/score/report/evaluation.h"
#include "core/text/subword_marks.h"
#include "core/train/options/validation_options.h"
#include "core/translate/extras/prompts.h"
#include "core/translate/extras/scored_text.h"
#include "core/translate/hypothesis_text.h"
#include "core/translate/sentence_source.h"
#include "core/translate/workers.h"

namespace phraseq {
namespace {

constexpr int kRepeatedForWarning = 5;  ///< validations; early ones often repeat

BatchingOptions batching_of(const ValidatorOptions& options, const Architecture& model) {
  BatchingOptions batching;
  batching.max_tokens = options.max_tokens;
  batching.max_sentences = options.max_sentences;
  batching.max_source_positions = model.max_source_positions();
  batching.max_target_positions = model.max_target_positions();
  batching.shuffle = false;
  return batching;
}

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

ValidationLosses losses_per_token(const LossReport& sums) {
  const auto tokens = static_cast<double>(std::max<int64_t>(1, sums.tokens));
  return {sums.loss_sum / tokens,
          sums.nll_sum / tokens,
          sums.tokens,
          sums.sentences,
          sums.extras_per_token()};
}

}  // namespace

Validator::Validator(const TranslationModel& translation_model,
                     Criterion& criterion,
                     nn::Precision precision,
                     ValidatorOptions options)
    : translation_model_(translation_model),
      criteria_({&criterion}),
      precision_(precision),
      options_(std::move(options)),
      corpus_(translation_model.open(options_.subset, /*training=*/false)),
      plans_(plan_parts(*corpus_, batching_of(options_, *translation_model.model), /*epoch=*/1)) {
  if (plans_.plan.skipped.total() > 0) {
    log_warning(
        fmt::format("sentences that are skipped in validation: {}", plans_.plan.skipped.text()));
  }
  if (plans_.plan.batches.empty()) {
    throw DataError(corpus_->size() == 0
                        ? fmt::format("the split '{}' is empty", options_.subset)
                        : fmt::format("the split '{}' contains no sentence that fits the model",
                                      options_.subset),
                    "Validate on another split with --valid-subset, or train without one with "
                    "--disable-validation.");
  }
  require_references(*corpus_, options_.subset);
}

void Validator::work_with(const std::vector<Criterion*>& more_criteria,
                          int64_t threads_per_worker) {
  criteria_.insert(criteria_.end(), more_criteria.begin(), more_criteria.end());
  threads_per_worker_ = threads_per_worker;
}

void Validator::translate_with(std::vector<Decoder*> decoders, const Metric& metric) {
  decoders_ = std::move(decoders);
  metric_ = &metric;
}

/// The batches of this process.
std::vector<size_t> Validator::own_batches() const {
  std::vector<size_t> own;
  for (auto i = static_cast<size_t>(processes_->rank()); i < plans_.plan.batches.size();
       i += static_cast<size_t>(processes_->size()))
    own.push_back(i);
  return own;
}

/// The examples of a batch whose ids are below `limit`.
Validator::Examples Validator::examples_of(size_t batch, int64_t limit) {
  const std::lock_guard lock(text_);
  Examples examples;
  for (const int64_t index : plans_.plan.batches[batch]) {
    if (index < limit)
      examples.push_back(corpus_->get(index));
  }
  return examples;
}

LossReport Validator::loss_of(const Examples& examples, Criterion& criterion) const {
  const ForwardPass model = [this](const Batch& batch, nn::Context& context) {
    return translation_model_.forward(batch, context);
  };
  const Batch batch =
      translation_model_.collate(examples).to(translation_model_.parameters->values().device());
  nn::Context context(
      /*training=*/false, precision_, /*seed=*/0, translation_model_.parameters.get());
  LossReport report = criterion.loss_of_model(model, batch, context);
  report.read();
  return report;
}

/// The losses, keyed by batch index.
BatchReports Validator::losses() {
  const std::vector<size_t> own = own_batches();
  std::vector<LossReport> found(own.size());
  run_jobs(static_cast<int64_t>(own.size()),
           {static_cast<int64_t>(criteria_.size()), threads_per_worker_},
           [&](int64_t number, int64_t worker) {
             const at::NoGradGuard no_grad;
             const auto index = static_cast<size_t>(number);
             found[index] = loss_of(examples_of(own[index], corpus_->size()),
                                    *criteria_[static_cast<size_t>(worker)]);
           });
  ProcessReport mine;
  for (size_t i = 0; i < own.size(); ++i) mine.batches[static_cast<int64_t>(own[i])] = found[i];
  return exchange_reports(*processes_, std::move(mine)).batches;
}

void Validator::warn_of_repeated_hypotheses() const {
  const std::string finding = repeated_.finding();
  if (finding.empty())
    return;
  log_warning(fmt::format(
      "{}: the model has not learned to translate yet. Train for longer, or with another --lr and "
      "--warmup-updates; phraseq plot shows whether the losses still fall",
      finding));
}

/// The translations, keyed by example id.
std::map<int64_t, std::string> Validator::translations(const Examples& examples, Decoder& decoder) {
  std::map<int64_t, std::string> found;
  if (examples.empty())
    return found;
  const Batch batch =
      translation_model_.collate(examples).to(translation_model_.parameters->values().device());
  DecodingRequest request;
  request.models = {translation_model_.model.get()};
  request.parameters = {translation_model_.parameters.get()};
  request.architectures = {translation_model_.architecture_selection.component};
  request.vocabulary = translation_model_.target_vocabulary;
  request.batch = &batch;
  request.precision = precision_;
  request.need_scores = false;
  request.prompts = prompts_of(examples);
  const auto translations = decoder.decode(request);
  const std::lock_guard lock(text_);
  for (size_t i = 0; i < examples.size(); ++i) {
    found[examples[i].id] = hypothesis_text(
        *translation_model_.task, examples[i], translations[i].front(), options_.remove_bpe);
  }
  return found;
}

/// The translations of the sentences that are scored, which are the first ones of the split.
std::vector<std::string> Validator::hypotheses() {
  const int64_t limit =
      options_.translated_sentences > 0 ? options_.translated_sentences : corpus_->size();
  std::vector<std::string> all(static_cast<size_t>(std::min(limit, corpus_->size())));
  const std::vector<size_t> own = own_batches();
  std::vector<std::map<int64_t, std::string>> parts(own.size());
  run_jobs(static_cast<int64_t>(own.size()),
           {static_cast<int64_t>(decoders_.size()), threads_per_worker_},
           [&](int64_t number, int64_t worker) {
             const at::NoGradGuard no_grad;
             const auto index = static_cast<size_t>(number);
             parts[index] = translations(examples_of(own[index], limit),
                                         *decoders_[static_cast<size_t>(worker)]);
           });
  std::map<int64_t, std::string> found;
  for (auto& part : parts) found.merge(part);
  for (const auto& part : all_hypotheses(*processes_, found)) {
    for (const auto& [index, text] : part) all.at(static_cast<size_t>(index)) = text;
  }
  return all;
}

/// Returns the references of the scored sentences and counts repeated translations.
std::vector<std::string> Validator::note_references(const std::vector<std::string>& hypotheses) {
  std::vector<std::string> references(hypotheses.size());
  for (const auto& indices : plans_.plan.batches) {
    for (const int64_t id : indices) {
      const auto index = static_cast<size_t>(id);
      if (index >= hypotheses.size())
        continue;
      const Example example = corpus_->get(id);
      references[index] = reference_text(*translation_model_.task, example, options_.remove_bpe);
      repeated_.note(example.source, hypotheses[index]);
    }
  }
  return references;
}

/// The score of one part of the corpus.
score::Score Validator::score_of(const CorpusPart& part,
                                 const std::vector<std::string>& hypotheses,
                                 const std::vector<std::string>& references) const {
  const auto of_part = [&](const std::vector<std::string>& texts) {
    return std::vector<std::string>(texts.begin() + part.begin, texts.begin() + part.end);
  };
  const std::vector<std::string> own_references = of_part(references);
  return score::score_corpus(*metric_, of_part(hypotheses), std::span(&own_references, 1));
}

void Validator::add_score(ValidationResult& result) {
  repeated_ = {};
  const std::vector<std::string> hypotheses = this->hypotheses();
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
void Validator::add_scores_of(const std::vector<std::string>& hypotheses,
                              const std::vector<std::string>& references,
                              ValidationResult& result) const {
  std::vector<std::string> marked_hypotheses, marked_references;
  const ScoredText scored_text(*translation_model_.task);
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    marked_hypotheses.push_back(scored_text.hypothesis(hypotheses[i]));
    marked_references.push_back(scored_text.reference(references[i]));
  }
  const auto all = static_cast<int64_t>(hypotheses.size());
  result.score = score_of({"", 0, all}, marked_hypotheses, marked_references);
  for (const CorpusPart& part : plans_.parts) {
    if (!result.parts.empty() && part.begin < part.end && part.end <= all)
      result.parts[part.name].score = score_of(part, marked_hypotheses, marked_references).value;
  }
}

std::map<std::string, ValidationPart> Validator::part_losses(const BatchReports& reports) const {
  std::vector<BatchReports> of_part(plans_.parts.size());
  for (const auto& [batch, report] : reports)
    of_part[plans_.part_of_batch[static_cast<size_t>(batch)]][batch] = report;
  std::map<std::string, ValidationPart> parts;
  for (size_t i = 0; i < of_part.size(); ++i)
    parts[plans_.parts[i].name] = {losses_per_token(sum_of(of_part[i]))};
  return parts;
}

ValidationResult Validator::run() {
  at::NoGradGuard no_grad;
  const BatchReports reports = losses();
  ValidationResult result;
  result.subset = options_.subset;
  result.losses = losses_per_token(sum_of(reports));
  if (plans_.parts.size() > 1)
    result.parts = part_losses(reports);
  if (!decoders_.empty() && std::isfinite(result.losses.loss))
    add_score(result);
  return result;
}

bool larger_is_better(const ValidationOptions& options, const Validator* validator) {
  const std::string& metric = options.best_checkpoint_metric;
  if (ValidationOptions::is_accuracy(metric))
    return true;
  if (ValidationOptions::is_of_criterion(metric) || validator == nullptr)
    return options.maximize_best_checkpoint_metric;
  const bool is_larger_better = validator->score_is_maximized();
  if (options.maximize_best_checkpoint_metric && !is_larger_better)
    throw UsageError(options.maximize_problem());
  return is_larger_better;
}

}  // namespace phraseq
