#include "core/criterion/criterion.h"

namespace phraseq {

void LossReport::add(const LossReport& other) {
  loss_sum += other.loss_sum;
  nll_sum += other.nll_sum;
  tokens += other.tokens;
  sentences += other.sentences;
  for (const auto& [name, sum] : other.extras) extras[name] += sum;
}

}  // namespace phraseq
