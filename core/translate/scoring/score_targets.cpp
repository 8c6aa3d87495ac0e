#include "core/translate/scoring/score_targets.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/criterion/token_loss.h"
#include "core/search/sessions/log_mean_exp.h"
#include "core/translate/ensemble.h"
#include "core/translate/length_batches.h"

namespace phraseq {
namespace {

/// Returns ln p of every target token, where p is averaged over the models: [target tokens] fp64 on
/// the CPU.
at::Tensor mean_log_probabilities(const std::vector<TranslationModel>& models,
                                  const Batch& batch,
                                  nn::Precision precision) {
  std::vector<at::Tensor> of_model;
  for (const TranslationModel& model : models) {
    nn::Context context(/*training=*/false, precision, /*seed=*/0, model.parameters.get());
    const DecoderOutput output = model.forward(batch, context);
    of_model.push_back(token_log_probabilities(output, batch, context).to(at::kCPU, at::kDouble));
  }
  if (of_model.size() == 1)
    return of_model.front().contiguous();
  return log_mean_exp(of_model).contiguous();  // [target tokens]
}

Hypothesis scored(const Example& example, const double* log_probabilities, int64_t tokens) {
  Hypothesis hypothesis;
  hypothesis.tokens = example.target;
  hypothesis.token_scores.assign(log_probabilities, log_probabilities + tokens);
  hypothesis.log_probability =
      std::accumulate(hypothesis.token_scores.begin(), hypothesis.token_scores.end(), 0.0);
  hypothesis.score = hypothesis.log_probability / static_cast<double>(tokens);
  if (std::isnan(hypothesis.log_probability)) {
    throw DivergenceError(
        fmt::format("the score of sentence pair {} is not a number", example.id + 1),
        "The model has diverged; use an earlier checkpoint, or another --precision.");
  }
  return hypothesis;
}

}  // namespace

std::vector<Translation> score_targets(const std::vector<TranslationModel>& models,
                                       std::vector<Example> examples,
                                       const TranslationSettings& settings) {
  std::vector<Translation> all;
  std::vector<int64_t> lengths;
  for (auto& example : examples) {
    for (const TranslationModel& model : models) model.check_lengths(example);
    lengths.push_back(static_cast<int64_t>(std::max(example.source.size(), example.target.size())));
    all.push_back({std::move(example), {}});
  }
  const auto batches = length_batches(
      lengths, settings.max_tokens, settings.max_sentences, settings.workers.workers);
  run_jobs(static_cast<int64_t>(batches.size()), settings.workers, [&](int64_t number, int64_t) {
    const c10::InferenceMode guard;
    std::vector<Example> of_batch;
    const auto& places = batches[static_cast<size_t>(number)];
    for (const int64_t place : places) of_batch.push_back(all[static_cast<size_t>(place)].example);
    const Batch batch = collate_for(models, of_batch);
    const at::Tensor log_probabilities = mean_log_probabilities(models, batch, settings.precision);
    for (size_t i = 0; i < places.size(); ++i) {
      const int64_t begin = batch.target_in.offsets[i], end = batch.target_in.offsets[i + 1];
      auto& translation = all[static_cast<size_t>(places[i])];
      translation.hypotheses = {
          scored(translation.example, log_probabilities.data_ptr<double>() + begin, end - begin)};
    }
  });
  return all;
}

}  // namespace phraseq
