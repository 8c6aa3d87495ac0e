#include "core/convert/vector_values.h"

#include <cstdint>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/checkpoint/checkpoint_test_files.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

using ::testing::ElementsAre;
using testing::view;

const std::vector<float> kTwoNumbers = {0.5F, -2.0F};

std::string rejection_of(const TensorView& tensor) {
  return message_of<FormatError>([&] { vector_values(tensor, "m.pt"); });
}

TEST(VectorValues, AreThoseOfAVectorOrOfAMatrixOfOneRow) {
  EXPECT_THAT(vector_values(view("b", DType::kF32, {2}, kTwoNumbers), "m.pt"),
              ElementsAre(0.5, -2.0));
  EXPECT_THAT(vector_values(view("b", DType::kF32, {1, 2}, kTwoNumbers), "m.pt"),
              ElementsAre(0.5, -2.0));
}

TEST(VectorValues, NameATensorThatIsSomethingElse) {
  EXPECT_EQ(rejection_of(view("b", DType::kF32, {2, 1}, kTwoNumbers)),
            "m.pt: b is [2, 1], not a vector");
  EXPECT_EQ(rejection_of(view("b", DType::kF32, {0}, std::vector<float>())),
            "m.pt: b is [0], not a vector");
  EXPECT_EQ(rejection_of(view("b", DType::kF32, {}, std::vector<float>{1.0F})),
            "m.pt: b is [], not a vector");
  EXPECT_EQ(rejection_of(view("b", DType::kI64, {2}, std::vector<int64_t>{1, 2})),
            "m.pt: b is I64");
}

}  // namespace
}  // namespace phraseq
