#include "core/convert/torch/tensor_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace phraseq {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kHuge = int64_t{1} << 62;

std::string problem_of(const TensorLayout& layout, int64_t storage) {
  return layout.problem(storage).value_or("none");
}

TEST(TensorLayout, FitsItsStorageToTheLastElement) {
  EXPECT_EQ(problem_of({4, {2, 3}, {3, 1}}, 10), "none");
  EXPECT_THAT(problem_of({5, {2, 3}, {3, 1}}, 10), HasSubstr("[2, 3] at 5"));
  EXPECT_EQ(problem_of({0, {3, 2}, {1, 3}}, 6), "none");
  EXPECT_THAT(problem_of({0, {3, 2}, {2, 3}}, 6), HasSubstr("with strides [2, 3]"));
  EXPECT_EQ(problem_of({0, {}, {}}, 1), "none");
  EXPECT_NE(problem_of({0, {}, {}}, 0), "none");
  EXPECT_EQ(problem_of({0, {0, 5}, {5, 1}}, 0), "none");
}

TEST(TensorLayout, RejectsNumbersThatOverflowOrRepeatElements) {
  EXPECT_NE(problem_of({0, {kHuge, 4}, {0, 0}}, 10), "none");
  EXPECT_NE(problem_of({0, {4, 4}, {kHuge, 1}}, 10), "none");
  EXPECT_NE(problem_of({kHuge, {kHuge}, {2}}, 10), "none");
  EXPECT_NE(problem_of({0, {11}, {0}}, 10), "none");
  EXPECT_THAT(problem_of({0, {2}, {-1}}, 10), HasSubstr("negative"));
  EXPECT_THAT(problem_of({-1, {2}, {1}}, 10), HasSubstr("negative"));
  EXPECT_THAT(problem_of({0, {2, 1}, {1}}, 10), HasSubstr("2 sizes and 1 strides"));
}

TEST(TensorLayout, GathersElementsInRowMajorOrder) {
  const std::string storage = "abcdefgh";
  const TensorLayout turned{1, {3, 2}, {1, 3}};
  EXPECT_FALSE(turned.is_contiguous());
  EXPECT_EQ(turned.gather(std::as_bytes(std::span(storage)), 1), "becfdg");
  EXPECT_TRUE((TensorLayout{0, {2, 1, 3}, {3, 77, 1}}).is_contiguous());
}

}  // namespace
}  // namespace phraseq
