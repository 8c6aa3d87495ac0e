#include "@name@.h"

#include <ATen/ops/log_softmax.h>
#include <ATen/ops/pow.h>

namespace @name@_plugin {

phraseq::LossReport Loss::loss(const phraseq::DecoderOutput& output,
                               const phraseq::Batch& batch,
                               phraseq::nn::Context& context) {
  const at::Tensor log_p = at::log_softmax(output.logits(context), 1)
                               .gather(1, batch.target_out.unsqueeze(1))
                               .squeeze(1);  // [target tokens]
  const at::Tensor weight = at::pow(1 - log_p.exp(), options_.focus);
  phraseq::LossReport report;
  report.loss = -(weight * log_p).sum();
  report.add_sum(phraseq::kLossSum, report.loss);
  report.add_sum(phraseq::kNllSum, -log_p.sum());
  report.tokens = log_p.numel();
  report.sentences = batch.sentences();
  return report;
}

}  // namespace @name@_plugin
