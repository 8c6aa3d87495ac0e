#include "core/criterion/criterion.h"

namespace phraseq {

void LossReport::add(const LossReport& other) {
  loss_sum += other.loss_sum;
  nll_sum += other.nll_sum;
  tokens += other.tokens;
  sentences += other.sentences;
  for (const auto& [name, sum] : other.extras) extras[name] += sum;
}

std::map<std::string, double> LossReport::extras_per_token() const {
  const auto judged = extras.find(kJudgedTokens);
  const double count = judged == extras.end() ? static_cast<double>(tokens) : judged->second;
  std::map<std::string, double> shares;
  for (const auto& [name, sum] : extras) {
    if (name != kJudgedTokens)
      shares[name + "_per_token"] = count > 0 ? sum / count : 0.0;
  }
  return shares;
}

LossReport Criterion::loss_of_model(const ForwardPass& model,
                                    const Batch& batch,
                                    nn::Context& context) {
  return loss(model(batch, context), batch, context);
}

}  // namespace phraseq
