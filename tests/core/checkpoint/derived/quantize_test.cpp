#include "core/checkpoint/derived/quantize.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/checkpoint/checkpoint_writer.h"
#include "core/checkpoint/derived/average.h"
#include "tests/core/checkpoint/checkpoint_test_files.h"

namespace phraseq {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Pair;
using testing::values_of;
using testing::view;

/// A model in the middle of training: a matrix of two rows, a vector, a subword model, moments.
std::string write_model(const TemporaryFolder& folder, std::vector<float> matrix) {
  const std::vector<float> vector = {0.1F, -3};
  const std::vector<uint8_t> blob = {7, 200};
  const std::vector<TensorView> tensors = {
      view("matrix", DType::kF32, {2, static_cast<int64_t>(matrix.size() / 2)}, matrix),
      view("vector", DType::kF32, {2}, vector),
      view("blob.source_tokenizer", DType::kU8, {2}, blob),
      view("optimizer.exp_avg", DType::kF32, {2}, vector)};
  const std::string path = folder.file("model");
  write_checkpoint(path,
                   {{"architecture", "{}"},
                    {"task", "{}"},
                    {"task_texts", "{}"},
                    {"train", "{}"},
                    {"self_test", "{}"}},
                   tensors);
  return path;
}

CheckpointFile quantized(const TemporaryFolder& folder,
                         const std::vector<float>& matrix,
                         StoredType type) {
  quantize_checkpoint(write_model(folder, matrix), folder.file("small"), type);
  return CheckpointFile::open(folder.file("small"));
}

TEST(Quantize, StoresEachRowOfAMatrixAsWholeNumbersAndItsScale) {
  const TemporaryFolder folder;
  const auto file = quantized(folder, {1, -0.5, 0.25, 0, 0, 0}, StoredType::kInt8);
  ASSERT_NE(file.find("matrix"), nullptr);
  EXPECT_EQ(file.find("matrix")->dtype, DType::kI8);
  EXPECT_THAT(values_of<int8_t>(*file.find("matrix")), ElementsAre(127, -64, 32, 0, 0, 0));
  EXPECT_THAT(values_of<float>(*file.find("scales.matrix")), ElementsAre(1.0F / 127.0F, 0.0F));
}

TEST(Quantize, RoundsToTheNearestEvenNumber) {
  const TemporaryFolder folder;
  const auto file = quantized(folder, {127, 0.5, 1.5, 254, 5, -7}, StoredType::kInt8);
  EXPECT_THAT(values_of<int8_t>(*file.find("matrix")), ElementsAre(127, 0, 2, 127, 2, -4));
}

TEST(Quantize, KeepsVectorsAndBlobsAndLeavesOutTheStateOfTraining) {
  const TemporaryFolder folder;
  const auto file = quantized(folder, {1, 2, 3, 4}, StoredType::kInt8);
  EXPECT_THAT(values_of<float>(*file.find("vector")), ElementsAre(0.1F, -3));
  EXPECT_THAT(values_of<uint8_t>(*file.find("blob.source_tokenizer")), ElementsAre(7, 200));
  EXPECT_EQ(file.find("optimizer.exp_avg"), nullptr);
  EXPECT_THAT(file.metadata(),
              ElementsAre(Key("architecture"),
                          Key("quantization"),
                          Key("task"),
                          Key("task_texts"),
                          Pair("training_options", "{}")));
  EXPECT_TRUE(is_quantized_to_int8(file));
}

TEST(Quantize, RoundsAllParametersToSixteenBits) {
  const TemporaryFolder folder;
  const auto half = quantized(folder, {1, -2, 65504, 0}, StoredType::kFp16);
  EXPECT_THAT(values_of<uint16_t>(*half.find("matrix")),
              ElementsAre(0x3C00, 0xC000, 0x7BFF, 0x0000));
  EXPECT_EQ(half.find("vector")->dtype, DType::kF16);
  EXPECT_FALSE(is_quantized_to_int8(half));
  const auto brain = quantized(folder, {1, -3, 0, 1e30F}, StoredType::kBf16);
  EXPECT_THAT(values_of<uint16_t>(*brain.find("matrix")),
              ElementsAre(0x3F80, 0xC040, 0x0000, 0x714A));
}

TEST(Quantize, RejectsWhatIsNotFiniteOrTooLargeForHalfPrecision) {
  const TemporaryFolder folder;
  EXPECT_THROW(quantized(folder, {1, std::nanf(""), 3, 4}, StoredType::kInt8), DivergenceError);
  EXPECT_THROW(quantized(folder, {1, 70000, 3, 4}, StoredType::kFp16), DivergenceError);
  EXPECT_THROW(quantized(folder, {1, 3.4e38F, 3, 4}, StoredType::kBf16), DivergenceError);
  EXPECT_NO_THROW(quantized(folder, {1, 0x1.FEp127F, 3, 4}, StoredType::kBf16));
}

TEST(Quantize, RejectsAQuantizedCheckpoint) {
  const TemporaryFolder folder;
  const auto file = quantized(folder, {1, 2, 3, 4}, StoredType::kInt8);
  EXPECT_THROW(quantize_checkpoint(file.path(), folder.file("again"), StoredType::kInt8),
               UsageError);
}

TEST(Quantize, DoesNotWriteOverItsInput) {
  const TemporaryFolder folder;
  quantized(folder, {1, 2, 3, 4}, StoredType::kInt8);
  const std::string model = folder.file("model");
  EXPECT_THROW(quantize_checkpoint(model, model, StoredType::kInt8), UsageError);
  EXPECT_NO_THROW(reject_quantized(CheckpointFile::open(model), "to train from"));
}

TEST(Quantize, LeavesACheckpointThatTrainingAndAverageReject) {
  const TemporaryFolder folder;
  const auto file = quantized(folder, {1, 2, 3, 4}, StoredType::kInt8);
  EXPECT_THROW(reject_quantized(file, "to train from"), FormatError);
  const std::string model = folder.file("model");
  EXPECT_NO_THROW(reject_quantized(CheckpointFile::open(model), "to train from"));
  const std::vector<std::string> inputs = {file.path(), model};
  try {
    average_checkpoints(inputs, folder.file("mean"));
    ADD_FAILURE();
  } catch (const FormatError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("are quantized to int8, which is too coarse for an average"));
  }
}

TEST(Quantize, SaysHowManyBytesTheParametersTake) {
  const TemporaryFolder folder;
  const std::string model = write_model(folder, std::vector<float>(2000, 0.5F));
  const QuantizedSize size = quantize_checkpoint(model, folder.file("small"), StoredType::kInt8);
  EXPECT_EQ(size.before, 2000 * 4 + 2 * 4);
  EXPECT_EQ(size.after, 2000 + 2 * 4 + 2 * 4);
}

}  // namespace
}  // namespace phraseq
