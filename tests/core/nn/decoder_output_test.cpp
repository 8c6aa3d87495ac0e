#include <gtest/gtest.h>

#include "core/nn/architecture.h"
#include "tests/core/nn/tensor_matchers.h"

namespace phraseq {
namespace {

using phraseq::testing::normal;

/// The score of a forbidden id does not fit in fp16.
TEST(DecoderOutput, ForbidsOutputsInEveryPrecision) {
  const at::NoGradGuard no_gradients;
  for (const nn::Precision precision :
       {nn::Precision::kFp64, nn::Precision::kFp32, nn::Precision::kBf16, nn::Precision::kFp16}) {
    nn::Context context(false, precision);
    DecoderOutput output;
    output.hidden = normal({3, 8}, 1, context.activation_type());
    output.output_weight =
        normal({5, 8}, 2, precision == nn::Precision::kFp64 ? at::kDouble : at::kFloat);
    output.forbidden = {0, 3};
    const at::Tensor exact =
        output.hidden.to(at::kDouble)
            .matmul(
                output.output_weight.to(context.activation_type()).to(at::kDouble).t());  // [3, 5]
    for (const at::Tensor& scores : {output.logits(context), output.unwidened_logits(context)}) {
      for (int64_t id = 0; id < 5; ++id) {
        const at::Tensor column = scores.select(1, id).to(at::kDouble);  // [3]
        if (id == 0 || id == 3)
          EXPECT_TRUE(column.lt(-9e8).all().item<bool>());
        else
          EXPECT_TRUE(at::allclose(column, exact.select(1, id), 2e-2, 2e-2));
      }
    }
  }
}

}  // namespace
}  // namespace phraseq
