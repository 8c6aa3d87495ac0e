#include "core/checkpoint/derived/replace_tensors.h"

#include <cstdint>
#include <filesystem>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/checkpoint/checkpoint_writer.h"
#include "tests/core/checkpoint/checkpoint_test_files.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::values_of;
using testing::view;

/// A checkpoint with two parameters, a blob and an optimizer's row, and files of tensors for it.
class ReplaceTensors : public ::testing::Test {
 protected:
  ReplaceTensors() {
    const std::vector<TensorView> tensors = {view("encoder.weight", DType::kF32, {3}, weight_),
                                             view("encoder.bias", DType::kF32, {2}, bias_),
                                             view("blob.source_tokenizer", DType::kU8, {2}, blob_),
                                             view("optimizer.exp_avg", DType::kF32, {3}, weight_)};
    write_checkpoint(folder_.file("model"), kMetadata, tensors);
  }

  ReplacedTensors replace(const std::vector<TensorView>& tensors) {
    write_checkpoint(folder_.file("tensors"), {}, tensors);
    return replace_tensors(folder_.file("model"), folder_.file("tensors"), folder_.file("output"));
  }

  std::string refusal_of(const std::vector<TensorView>& tensors) {
    return message_of<FormatError>([&] { replace(tensors); });
  }

  CheckpointFile output() const { return CheckpointFile::open(folder_.file("output")); }

  inline static const std::map<std::string, std::string> kMetadata = {
      {"architecture", R"({"name":"a"})"}, {"task", R"({"name":"t"})"}, {"task_texts", "{}"}};
  std::vector<float> weight_ = {1, 2, 3}, bias_ = {4, 5};
  std::vector<uint8_t> blob_ = {0, 255};
  TemporaryFolder folder_;
};

TEST_F(ReplaceTensors, PutsNewValuesInTheirPlacesAndKeepsTheRest) {
  const std::vector<float> values = {-1, 0.5, 7};
  const auto replaced = replace({view("encoder.weight", DType::kF32, {3}, values)});
  EXPECT_THAT(replaced.changed, ElementsAre("encoder.weight"));
  EXPECT_THAT(replaced.equal, IsEmpty());
  const auto file = output();
  EXPECT_FALSE(file.is_foreign());
  EXPECT_EQ(values_of<float>(*file.find("encoder.weight")), values);
  EXPECT_EQ(values_of<float>(*file.find("encoder.bias")), bias_);
  EXPECT_EQ(values_of<uint8_t>(*file.find("blob.source_tokenizer")), blob_);
  EXPECT_EQ(values_of<float>(*file.find("optimizer.exp_avg")), weight_);
  for (const auto& [name, text] : kMetadata) EXPECT_EQ(file.metadata(name), text);
  EXPECT_EQ(json::parse(file.metadata("replaced")),
            json::parse(R"([{"file":")" + folder_.file("tensors") +
                        R"(","tensors":["encoder.weight"]}])"));
}

TEST_F(ReplaceTensors, RoundsOtherFloatingPointTypesToTheCheckpoints) {
  const std::vector<double> doubles = {0.1, 1e-3, -2};
  const std::vector<uint16_t> halves = {0x3C00, 0xC000};  // 1, -2
  replace({view("encoder.weight", DType::kF64, {3}, doubles),
           view("encoder.bias", DType::kF16, {2}, halves)});
  const auto file = output();
  EXPECT_EQ(file.find("encoder.weight")->dtype, DType::kF32);
  EXPECT_THAT(values_of<float>(*file.find("encoder.weight")), ElementsAre(0.1F, 1e-3F, -2.0F));
  EXPECT_THAT(values_of<float>(*file.find("encoder.bias")), ElementsAre(1, -2));
}

TEST_F(ReplaceTensors, RoundsToTheSixteenBitsOfAQuantizedCheckpoint) {
  const std::vector<uint16_t> ones = {0x3C00, 0x3C00};
  const std::vector<TensorView> tensors = {view("weight", DType::kF16, {2}, ones)};
  write_checkpoint(folder_.file("model"), kMetadata, tensors);
  const std::vector<float> values = {-2, 0.5}, large = {1, 1e6};
  replace({view("weight", DType::kF32, {2}, values)});
  EXPECT_EQ(output().find("weight")->dtype, DType::kF16);
  EXPECT_THAT(values_of<uint16_t>(*output().find("weight")), ElementsAre(0xC000, 0x3800));
  EXPECT_THAT(refusal_of({view("weight", DType::kF32, {2}, large)}),
              HasSubstr("weight holds values too large for F16"));
}

TEST_F(ReplaceTensors, RejectsAFileWithoutTensors) {
  EXPECT_THAT(refusal_of({}), HasSubstr("there are no tensors"));
}

TEST_F(ReplaceTensors, DistinguishesChangedFromEqualOnesAndRecordsEveryReplacement) {
  const std::vector<float> values = {9, 9};
  const auto replaced = replace({view("encoder.weight", DType::kF32, {3}, weight_),
                                 view("encoder.bias", DType::kF32, {2}, values)});
  EXPECT_THAT(replaced.changed, ElementsAre("encoder.bias"));
  EXPECT_THAT(replaced.equal, ElementsAre("encoder.weight"));
  replace_tensors(folder_.file("output"), folder_.file("tensors"), folder_.file("again"));
  const auto again = CheckpointFile::open(folder_.file("again"));
  const json record = json::parse(again.metadata("replaced"));
  ASSERT_EQ(record.size(), 2U);
  EXPECT_THAT(record[0]["tensors"], ElementsAre("encoder.bias"));
  EXPECT_THAT(record[1]["tensors"], IsEmpty());
}

TEST_F(ReplaceTensors, RejectsAllThatDoesNotFitAtOnceAndWritesNothing) {
  const std::vector<float> two = {1, 2};
  const std::vector<int64_t> integers = {1, 2};
  const std::string message = refusal_of({view("encoder.weight", DType::kF32, {2}, two),
                                          view("encoder.bias", DType::kI64, {2}, integers),
                                          view("encoder.wieght", DType::kF32, {2}, two)});
  EXPECT_THAT(message,
              AllOf(HasSubstr("encoder.weight has shape [2], in the checkpoint it has [3]"),
                    HasSubstr("encoder.bias is I64, in the checkpoint it is F32"),
                    HasSubstr("encoder.wieght is not in the checkpoint; did you mean "
                              "'encoder.weight'")));
  EXPECT_FALSE(std::filesystem::exists(folder_.file("output")));
}

TEST_F(ReplaceTensors, RejectsValuesThatAreNotFiniteOrTooLarge) {
  const std::vector<float> bad = {1, std::numeric_limits<float>::quiet_NaN()};
  EXPECT_THAT(refusal_of({view("encoder.bias", DType::kF32, {2}, bad)}),
              HasSubstr("encoder.bias holds values that are not finite"));
  const std::vector<double> large = {1, 1e39};
  EXPECT_THAT(refusal_of({view("encoder.bias", DType::kF64, {2}, large)}),
              HasSubstr("encoder.bias holds values too large for F32"));
}

TEST_F(ReplaceTensors, WritesOverNeitherOfItsInputs) {
  const std::vector<float> values = {-1, 0.5, 7};
  replace({view("encoder.weight", DType::kF32, {3}, values)});
  const std::string model = folder_.file("model"), tensors = folder_.file("tensors");
  for (const std::string& output : {model, tensors})
    EXPECT_THROW(replace_tensors(model, tensors, output), UsageError);
}

TEST_F(ReplaceTensors, RejectsAFileOfWeightsAsTheCheckpoint) {
  const std::string header = R"({"weight":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})";
  testing::write_bytes(folder_.file("weights"), testing::raw_file(header, "x"));
  EXPECT_THROW(
      replace_tensors(folder_.file("weights"), folder_.file("weights"), folder_.file("output")),
      FormatError);
  EXPECT_FALSE(std::filesystem::exists(folder_.file("output")));
}

}  // namespace
}  // namespace phraseq
