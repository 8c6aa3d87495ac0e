#include "core/train/validator.h"

#include <algorithm>
#include <cmath>

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/score/report/evaluation.h"
#include "core/text/subword_marks.h"
#include "core/train/train_options.h"
#include "core/translate/hypothesis_text.h"

namespace phraseq {
namespace {

constexpr int kRepeatedForWarning = 5;  ///< validations; the first ones of every run are alike

BatchingOptions batching_of(const ValidatorOptions& options, const Architecture& model) {
  BatchingOptions batching;
  batching.max_tokens = options.max_tokens;
  batching.max_sentences = options.max_sentences;
  batching.max_source_positions = model.max_source_positions();
  batching.max_target_positions = model.max_target_positions();
  batching.shuffle = false;
  return batching;
}

}  // namespace

Validator::Validator(const TranslationModel& translator,
                     Criterion& criterion,
                     nn::Precision precision,
                     ValidatorOptions options)
    : translator_(translator),
      criterion_(criterion),
      precision_(precision),
      options_(std::move(options)),
      corpus_(translator.open(options_.subset, /*training=*/false)),
      plan_(plan_batches(*corpus_, batching_of(options_, *translator.model), /*epoch=*/1)) {
  if (plan_.skipped.total() > 0) {
    log_warning(fmt::format("sentences that are skipped in validation: {}", plan_.skipped.text()));
  }
  if (plan_.batches.empty()) {
    throw DataError(
        fmt::format("the split '{}' contains no sentence that fits the model", options_.subset));
  }
}

void Validator::translate_with(Decoder& decoder, const Metric& metric) {
  decoder_ = &decoder;
  metric_ = &metric;
}

LossReport Validator::losses() {
  const ForwardPass model = [this](const Batch& batch, nn::Context& context) {
    return translator_.forward(batch, context);
  };
  LossReport sums;
  for (const auto& indices : plan_.batches) {
    std::vector<Example> examples;
    for (const int64_t index : indices) examples.push_back(corpus_->get(index));
    const auto device = translator_.parameters->values().device();
    const Batch batch = translator_.collate(examples).to(device);
    nn::Context context(/*training=*/false, precision_, /*seed=*/0, translator_.parameters.get());
    sums.add(criterion_.loss_of_model(model, batch, context));
  }
  return sums;
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

void Validator::add_score(nlohmann::json& result) {
  repeated_ = {};
  const int64_t limit =
      options_.translated_sentences > 0 ? options_.translated_sentences : corpus_->size();
  std::vector<std::string> hypotheses(static_cast<size_t>(std::min(limit, corpus_->size())));
  std::vector<std::string> references(hypotheses.size());
  for (const auto& indices : plan_.batches) {
    std::vector<Example> examples;
    for (const int64_t index : indices) {
      if (index >= static_cast<int64_t>(hypotheses.size()))
        continue;
      examples.push_back(corpus_->get(index));
      references[static_cast<size_t>(index)] =
          reference_text(*translator_.task, examples.back(), options_.remove_bpe);
    }
    if (examples.empty())
      continue;
    const Batch batch = translator_.collate(examples).to(translator_.parameters->values().device());
    DecodingRequest request;
    request.models = {translator_.model.get()};
    request.parameters = {translator_.parameters.get()};
    request.architectures = {translator_.architecture_selection.component};
    request.batch = &batch;
    request.precision = precision_;
    const auto found = decoder_->decode(request);
    for (size_t i = 0; i < examples.size(); ++i) {
      hypotheses[static_cast<size_t>(examples[i].id)] =
          hypothesis_text(*translator_.task, examples[i], found[i].front(), options_.remove_bpe);
      repeated_.note(examples[i].source, hypotheses[static_cast<size_t>(examples[i].id)]);
    }
  }
  warn_of_subwords(references, "--eval-bleu-remove-bpe");
  repeated_in_a_row_ = repeated_.finding().empty() ? 0 : repeated_in_a_row_ + 1;
  if (repeated_in_a_row_ == kRepeatedForWarning)
    warn_of_repeated_hypotheses();
  const score::Score scored = score::score_corpus(*metric_, hypotheses, std::span(&references, 1));
  result["score"] = scored.value;
  result["score_name"] = scored.name;
  result["score_text"] = score::format_text(scored, score::kLogStyle);
  result["signature"] = score::format_signature(scored.signature, /*short_form=*/false);
  for (size_t i = 0; i < hypotheses.size() && i < static_cast<size_t>(options_.printed_samples);
       ++i) {
    log_info(fmt::format(
        "sample {}\n  reference:  {}\n  hypothesis: {}", i + 1, references[i], hypotheses[i]));
  }
}

nlohmann::json Validator::run() {
  at::NoGradGuard no_grad;
  const LossReport sums = losses();
  const auto tokens = static_cast<double>(std::max<int64_t>(1, sums.tokens));
  nlohmann::json result = {{"subset", options_.subset},
                           {"loss", sums.loss_sum / tokens},
                           {"nll_loss", sums.nll_sum / tokens},
                           {"ppl", std::exp(sums.nll_sum / tokens)},
                           {"tokens", sums.tokens},
                           {"sentences", sums.sentences}};
  for (const auto& [name, share] : sums.extras_per_token()) result[name] = share;
  if (decoder_ != nullptr)
    add_score(result);
  return result;
}

bool larger_is_better(const ValidationOptions& options, const Validator* validator) {
  const bool by_score =
      !ValidationOptions::is_loss(options.best_checkpoint_metric) && validator != nullptr;
  return options.maximize_best_checkpoint_metric || (by_score && validator->score_is_maximized());
}

}  // namespace phraseq
