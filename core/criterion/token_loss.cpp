#include "core/criterion/token_loss.h"

#include <vector>

#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/tensor.h>

#include "core/data/device/to_device.h"
#include "core/nn/loss/phrase_mixture.h"
#include "core/nn/loss/projected_divergence.h"
#include "core/nn/loss/projected_loss.h"
#include "core/nn/packed/packed_scores.h"
#include "core/text/dictionary.h"

namespace phraseq {
namespace {

/// The indices [rows] int64 of the rows with a loss: all but the first `prefix` of each sentence.
at::Tensor rows_after_prefix(const PackedTokens& target, int64_t prefix) {
  std::vector<int64_t> rows;
  for (int64_t sentence = 0; sentence < target.sentences(); ++sentence) {
    const auto first = target.offsets[static_cast<size_t>(sentence)] + prefix;
    const auto end = target.offsets[static_cast<size_t>(sentence) + 1];
    for (int64_t row = first; row < end; ++row) rows.push_back(row);
  }
  return to_device(rows, target.ids.device());
}

/// ln p of the targets [rows], from the same scores that generation uses: [rows] fp32.
at::Tensor log_probabilities_of(const DeferredScores& scores, const at::Tensor& targets) {
  const at::Tensor result = at::empty({targets.size(0)}, targets.options().dtype(at::kFloat));
  const at::Tensor ids = targets.contiguous();
  std::vector<ScoreQuery> queries;
  for (int64_t row = 0; row < ids.size(0); ++row)
    queries.push_back({0, {ids.const_data_ptr<int64_t>()[row]}});
  const auto answers = scores.answer(queries);
  for (size_t row = 0; row < answers.size(); ++row) {
    result.mutable_data_ptr<float>()[row] =
        static_cast<float>(answers[row].scores[0] - answers[row].normalizer);
  }
  return result;
}

void add_losses(LossReport& report, const nn::ProjectedLoss& result) {
  report.loss = result.loss;
  report.loss_sum = result.loss_sum;
  report.nll_sum = result.nll_sum;
  if (result.on_device.defined()) {
    report.on_device[kLossSum] = result.on_device[0];
    report.on_device[kNllSum] = result.on_device[1];
  }
}

/// `judged`: the number of tokens that were compared with the targets.
void add_accuracy(LossReport& report, const nn::ProjectedLoss& result, int64_t judged) {
  report.extras["correct"] = static_cast<double>(result.correct);
  if (result.on_device.defined())
    report.on_device["correct"] = result.on_device[2];
  if (report.tokens != judged)
    report.extras[kJudgedTokens] = static_cast<double>(judged);
}

}  // namespace

void TokenLossOptions::describe_counting(OptionTable& table, const std::string& divisor) {
  table
      .field("report-accuracy",
             report_accuracy,
             "Report accuracy: the fraction of target tokens that are the most probable token.")
      .harmless();
  table
      .field("ignore-prefix-size",
             ignore_prefix_size,
             "Ignore the first N target tokens of each sentence in the loss. " + divisor)
      .at_least(0);
}

LossReport token_loss(const DecoderOutput& output,
                      const Batch& batch,
                      const TokenLossOptions& options,
                      nn::Context& context) {
  at::Tensor hidden = output.hidden;
  at::Tensor targets = batch.target_out;
  if (options.ignore_prefix_size > 0) {
    const at::Tensor rows = rows_after_prefix(batch.target_in, options.ignore_prefix_size);
    hidden = hidden.index_select(0, rows);    // [rows, model]
    targets = targets.index_select(0, rows);  // [rows]
  }
  const std::vector<int64_t> unsmoothed = {kBos, kPad};
  const nn::ProjectedLoss result = nn::projected_cross_entropy(
      hidden,
      output.output_weight,
      output.output_bias,
      targets,
      {options.epsilon, options.smoothing, output.forbidden, unsmoothed},
      context);
  LossReport report;
  add_losses(report, result);
  report.tokens = options.counts_prefix_tokens ? batch.target_out.numel() : targets.numel();
  report.sentences = batch.sentences();
  if (options.report_accuracy)
    add_accuracy(report, result, targets.numel());
  return report;
}

at::Tensor token_divergence(const DecoderOutput& first,
                            const DecoderOutput& second,
                            const Batch& batch,
                            const TokenLossOptions& options,
                            nn::Context& context) {
  const bool all = options.ignore_prefix_size == 0;
  const auto counted = [&](const at::Tensor& hidden) {
    return all ? hidden
               : hidden.index_select(
                     0, rows_after_prefix(batch.target_in, options.ignore_prefix_size));
  };
  return nn::projected_divergence(counted(first.hidden),   // [rows, model]
                                  counted(second.hidden),  // [rows, model]
                                  first.output_weight,
                                  first.output_bias,
                                  first.forbidden,
                                  context);
}

at::Tensor token_log_probabilities(const DecoderOutput& output,
                                   const Batch& batch,
                                   nn::Context& context) {
  if (output.extras.count(nn::kSlotScores) > 0)
    return nn::phrase_mixture_losses(output, batch, context).neg();
  if (const auto scores = nn::packed_scores(output, context))
    return log_probabilities_of(*scores, batch.target_out);
  return nn::target_log_probabilities(output.hidden,
                                      output.output_weight,
                                      output.output_bias,
                                      batch.target_out,
                                      output.forbidden,
                                      context);
}

}  // namespace phraseq
