// A post-norm stack of four layers is trained for a few updates on sentences of a generated
// language.

#include <algorithm>

#include <gtest/gtest.h>

#include "core/base/random.h"
#include "core/optim/optimizers/adam.h"
#include "plugins/architectures/phrase_rep/model.h"
#include "tests/support/architecture_checks.h"

namespace phraseq::phrase_rep {
namespace {

using testing_support::examples_of;
using testing_support::Sequences;

constexpr int64_t kWords = 24;
constexpr int64_t kUpdates = 100;

/// Sentences of 4 to 9 words. The target has them in reverse order, with 27 - w for word w.
std::vector<Example> reversed_sentences(int64_t count, Random& random) {
  Sequences sources, targets;
  for (int64_t i = 0; i < count; ++i) {
    const auto length = static_cast<size_t>(4 + random.below(6));
    std::vector<int64_t> source, target;
    for (size_t j = 0; j < length; ++j)
      source.push_back(static_cast<int64_t>(4 + random.below(kWords - 4)));
    for (size_t j = length; j-- > 0;) target.push_back(27 - source[j]);
    source.push_back(2);
    target.push_back(2);
    sources.push_back(source);
    targets.push_back(target);
  }
  return examples_of(sources, targets);
}

/// +Mean as in the paper, but with a small model and without dropout.
PhraseRepOptions small_mean() {
  PhraseRepOptions o;
  o.set_sizes(64, 128, 4, 4);
  o.set_dropout(0, 0, 0);
  o.pr_glance = Glance::kMean;
  o.pr_attn = WordAttention::kNone;
  o.pr_ta = MixedLevels::kNone;
  return o;
}

/// The mean loss per token of the last ten of kUpdates updates.
double loss_after_training(const PhraseRepOptions& options) {
  at::set_num_threads(1);
  ArchitectureSetup setup;
  setup.source_vocabulary = setup.target_vocabulary = kWords;
  PhraseRepModel model(options, setup);
  model.initialize(3);
  nn::FlatParameters flat(model, /*with_gradients=*/true);
  AdamOptions of_paper;
  of_paper.adam_betas = {0.9, 0.98};
  of_paper.adam_eps = 1e-9;
  Adam adam(of_paper, {&flat});
  Random random(11);
  double sum = 0;
  for (int64_t update = 1; update <= kUpdates; ++update) {
    const Batch batch = collate_pairs(reversed_sentences(32, random), model.conventions());
    nn::Context context(true, nn::Precision::kFp32, static_cast<uint64_t>(update), &flat);
    flat.zero_gradients();
    const LossReport report = token_loss(model.forward(batch, context), batch, {}, context);
    report.loss.backward();
    const auto tokens = static_cast<double>(batch.target_out.numel());
    const double warmed_up = std::min(1.0, static_cast<double>(update) / 60);
    adam.step(0.003 * warmed_up, 1 / tokens);
    if (update > kUpdates - 10)
      sum += report.loss.item<double>() / tokens / 10;
  }
  return sum;
}

TEST(PhraseRepLearning, IsFasterWithACenteredCombinationNetwork) {
  const double of_paper = loss_after_training(small_mean());
  PhraseRepOptions options = small_mean();
  options.pr_comb_centered = true;
  const double centered = loss_after_training(options);
  EXPECT_LT(centered, 1.4);
  EXPECT_GT(of_paper, 1.7);
}

}  // namespace
}  // namespace phraseq::phrase_rep
