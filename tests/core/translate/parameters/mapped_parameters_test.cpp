#include "core/translate/parameters/mapped_parameters.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>

#include "core/checkpoint/checkpoint_writer.h"
#include "core/io/mapping/mapped_file.h"
#include "core/translate/parameters/tensor_bytes.h"
#include "tests/core/io/temporary_folder.h"

namespace phraseq {
namespace {

/// The names of its parameters are not in the order of registration.
struct MappedModel : torch::nn::Module {
  MappedModel(at::IntArrayRef matrix, int64_t length)
      : weight(register_parameter("weight", at::randn(matrix))),
        bias(register_parameter("bias", at::randn({length}))),
        tied(register_parameter("tied", weight)) {}
  at::Tensor weight, bias, tied;
};

class MappedParameters : public ::testing::Test {
 protected:
  std::string path() const { return folder_.file("model.safetensors"); }
  void write(const at::Tensor& weight, const at::Tensor& bias, int64_t others = 0) {
    HostTensors tensors;
    tensors.add("weight", weight);
    tensors.add("bias", bias);
    if (others > 0)
      tensors.add("optimizer.state", at::full({others}, 1.0, at::kFloat));  // between the two
    write_checkpoint(path(), {}, tensors.views());
  }

  std::unique_ptr<nn::FlatParameters> mapped() {
    return mapped_parameters(CheckpointFile::open(path()), model_, laid_out_);
  }

  TemporaryFolder folder_;
  const at::Tensor weight_ = at::randn({4, 16}), bias_ = at::randn({32});
  MappedModel model_{{4, 16}, 32};
  const nn::FlatParameters laid_out_{model_, false};
};

TEST_F(MappedParameters, AreTheMemoryOfTheFile) {
  write(weight_, bias_);
  std::unique_ptr<nn::FlatParameters> flat;
  {
    const auto file = CheckpointFile::open(path());
    flat = mapped_parameters(file, model_, laid_out_);
    ASSERT_NE(flat, nullptr);
    EXPECT_EQ(model_.weight.const_data_ptr(),
              static_cast<const void*>(file.find("weight")->bytes.data()));
  }
  EXPECT_TRUE(at::equal(model_.weight, weight_));
  EXPECT_TRUE(at::equal(model_.tied, weight_));
  EXPECT_TRUE(at::equal(model_.bias, bias_));
  EXPECT_EQ(flat->values().numel(), 96);
  EXPECT_EQ(flat->entries().front().name, "weight");
  EXPECT_EQ(flat->entries().front().offset, 32);
}

TEST_F(MappedParameters, ChangeWithoutTheFile) {
  write(weight_, bias_);
  const std::string before = read_file(path());
  const auto flat = mapped();
  flat->values().fill_(3.0);
  EXPECT_EQ(model_.bias[2].item<float>(), 3.0F);
  EXPECT_EQ(read_file(path()), before);
}

TEST_F(MappedParameters, AreCopiedWhenTheFileHasAnotherType) {
  write(weight_.to(at::kHalf), bias_);
  EXPECT_EQ(mapped(), nullptr);
}

TEST_F(MappedParameters, AreCopiedWhenMuchElseIsBetweenThem) {
  write(weight_, bias_, /*others=*/16);
  EXPECT_NE(mapped(), nullptr);
  write(weight_, bias_, /*others=*/48);
  EXPECT_EQ(mapped(), nullptr);
}

// With another alignment, the products of the model might add up in another order.
TEST_F(MappedParameters, AreCopiedWhenTheyBeginElsewhereInACacheLine) {
  MappedModel odd({3, 5}, 7);
  const nn::FlatParameters laid_out(odd, false);
  write(at::randn({3, 5}), at::randn({7}));  // the vector comes first
  EXPECT_EQ(mapped_parameters(CheckpointFile::open(path()), odd, laid_out), nullptr);
}

}  // namespace
}  // namespace phraseq
