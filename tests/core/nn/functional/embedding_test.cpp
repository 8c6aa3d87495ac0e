#include "core/nn/functional/embedding.h"

#include <torch/nn/module.h>

#include "core/base/error.h"
#include "core/nn/flat_parameters.h"
#include "core/nn/functional/reference/functional_reference.h"
#include "core/nn/loss/projected_loss.h"
#include "tests/core/nn/tensor_matchers.h"

namespace phraseq::nn {
namespace {

using phraseq::testing::close;
using phraseq::testing::leaf;
using phraseq::testing::normal;

const at::Tensor kIds = at::tensor({4, 1, 4, 0, 6, 4, 1}, at::kLong);
const at::Tensor kPositions = at::tensor({0, 1, 2, 0, 1, 0, 1}, at::kLong);

TEST(Embed, EqualsTheOperatorsWithGradients) {
  for (const double p : {0.0, 0.4}) {
    at::Tensor tables[2], places[2], outputs[2];
    for (int side = 0; side < 2; ++side) {
      tables[side] = leaf(normal({7, 19}, 1));
      places[side] = leaf(normal({3, 19}, 2));
      Context context(true, Precision::kFp64, 3), twin(true, Precision::kFp64, 3);
      outputs[side] = side == 0
                          ? embed(kIds, kPositions, tables[0], places[0], {1.5, p, 1}, context)
                          : reference::embed(kIds,
                                             kPositions,
                                             tables[1],
                                             places[1],
                                             {1.5, p, 1},
                                             p > 0.0 ? twin.next_dropout_key() : 0,
                                             at::kDouble);
      outputs[side].backward(normal({7, 19}, 4));
    }
    EXPECT_TRUE(close(outputs[0], outputs[1], 1e-14));
    EXPECT_TRUE(close(tables[0].grad(), tables[1].grad(), 1e-13));
    EXPECT_TRUE(close(places[0].grad(), places[1].grad(), 1e-13));
  }
}

TEST(Embed, GivesPaddingRowsNoGradient) {
  const at::Tensor table = leaf(normal({7, 5}, 1));
  Context context(true, Precision::kFp64);
  embed(kIds, kPositions, table, {}, {2.0, 0.0, 1}, context).sum().backward();
  const at::Tensor per_row = at::tensor({2.0, 0.0, 0.0, 0.0, 6.0, 0.0, 2.0}, at::kDouble);
  EXPECT_TRUE(at::equal(table.grad(), per_row.unsqueeze(1).expand({7, 5})));
}

TEST(Embed, WritesBf16FromFp32Tables) {
  const at::Tensor table = normal({7, 5}, 1, at::kFloat);
  Context context(false, Precision::kBf16);
  const at::Tensor rows = embed(kIds, kPositions, table, {}, {3.0, 0.0, -1}, context);
  EXPECT_TRUE(at::equal(rows, (table.index_select(0, kIds) * 3.0).to(at::kBFloat16)));
}

TEST(Embed, RejectsIdsOutsideTheTable) {
  Context context(false, Precision::kFp32);
  EXPECT_THROW(embed(kIds, kPositions, at::ones({6, 5}), {}, {1.0, 0.0, 1}, context), UsageError);
  EXPECT_THROW(embed(kIds, kPositions, at::ones({7, 5}), at::ones({2, 5}), {1.0, 0.0, 1}, context),
               UsageError);
}

/// One matrix as embedding and as output layer.
struct Tied : torch::nn::Module {
  at::Tensor table = register_parameter("table", normal({9, 6}, 1));
  at::Tensor output = register_parameter("output", table);
};

TEST(TiedParameters, CollectTheGradientsOfAllTheirUses) {
  Tied loose, packed;
  FlatParameters flat(packed, true);
  const auto loss = [](const Tied& model, Context& context) {
    const at::Tensor rows = embed(kIds, kPositions, model.table, {}, {1.5, 0.0, 1}, context);
    return projected_cross_entropy(
               rows, model.output, {}, kIds, {0.1, Smoothing::kFairseq}, context)
        .loss;
  };
  Context plain(true, Precision::kFp64), collecting(true, Precision::kFp64, 0, &flat);
  loss(loose, plain).backward();
  loss(packed, collecting).backward();
  EXPECT_TRUE(close(packed.table.grad(), loose.table.grad(), 1e-13));

  const at::Tensor table = leaf(normal({9, 6}, 1));
  const at::Tensor log_p =
      at::log_softmax(at::mm(at::embedding(table, kIds, 1) * 1.5, table.t()), 1);
  (-0.9 * log_p.gather(1, kIds.unsqueeze(1)).sum() - 0.1 / 9.0 * log_p.sum()).backward();
  EXPECT_TRUE(close(loose.table.grad(), table.grad(), 1e-13));
}

}  // namespace
}  // namespace phraseq::nn
