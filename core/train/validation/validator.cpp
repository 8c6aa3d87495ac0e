#include "core/train/validation/validator.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <ATen/core/grad_mode.h>

namespace phraseq {
namespace {

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
      criterions_({&criterion}),
      precision_(precision),
      options_(std::move(options)),
      split_(translation_model, options_) {}

void Validator::work_with(const std::vector<Criterion*>& more_criterions,
                          int64_t threads_per_worker) {
  criterions_.insert(criterions_.end(), more_criterions.begin(), more_criterions.end());
  threads_per_worker_ = threads_per_worker;
}

void Validator::translate_with(std::vector<Decoder*> decoders, const Metric& metric) {
  scorer_ = std::make_unique<ValidationScorer>(
      translation_model_, split_, options_, precision_, std::move(decoders), metric);
}

void Validator::warn_of_repeated_hypotheses() const {
  if (scorer_)
    scorer_->warn_of_repeated_hypotheses();
}

LossReport Validator::loss_of(const std::vector<Example>& examples, Criterion& criterion) const {
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
BatchReports Validator::losses() const {
  const std::vector<size_t> own = split_.own_batches();
  const auto found = split_.over_own_batches<LossReport>(
      {std::ssize(criterions_), threads_per_worker_},
      split_.corpus().size(),
      [&](const auto& examples, size_t worker) { return loss_of(examples, *criterions_[worker]); });
  ProcessReport mine;
  for (size_t i = 0; i < own.size(); ++i) mine.batches[static_cast<int64_t>(own[i])] = found[i];
  return exchange_reports(split_.processes(), std::move(mine)).batches;
}

std::map<std::string, ValidationPart> Validator::part_losses(const BatchReports& reports) const {
  std::vector<BatchReports> of_part(split_.plans().parts.size());
  for (const auto& [batch, report] : reports)
    of_part[split_.plans().part_of_batch[static_cast<size_t>(batch)]][batch] = report;
  std::map<std::string, ValidationPart> parts;
  for (size_t i = 0; i < of_part.size(); ++i)
    parts[split_.plans().parts[i].name] = {losses_per_token(sum_of(of_part[i]))};
  return parts;
}

ValidationResult Validator::run() {
  at::NoGradGuard no_grad;
  const BatchReports reports = losses();
  ValidationResult result;
  result.subset = options_.subset;
  result.losses = losses_per_token(sum_of(reports));
  if (split_.plans().parts.size() > 1)
    result.parts = part_losses(reports);
  if (scorer_ && std::isfinite(result.losses.loss))
    scorer_->add_scores(result, threads_per_worker_);
  return result;
}

}  // namespace phraseq
