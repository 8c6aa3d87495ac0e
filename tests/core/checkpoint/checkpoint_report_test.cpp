#include "core/checkpoint/checkpoint_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/checkpoint/checkpoint_writer.h"
#include "phraseq/abi_stamp.h"
#include "tests/core/checkpoint/checkpoint_test_files.h"

namespace phraseq {
namespace {

using testing::view;

class Report : public ::testing::Test {
 protected:
  CheckpointFile open(std::map<std::string, std::string> metadata) {
    const std::vector<float> weights(1260);
    const std::vector<uint8_t> blob = {1, 2, 3};
    const std::vector<TensorView> tensors = {
        view("decoder.weight", DType::kF32, {630, 2}, weights),
        view("blob.source_tokenizer", DType::kU8, {3}, blob),
        view("optimizer.moment", DType::kF32, {1260}, weights)};
    write_checkpoint(folder.file("x"), metadata, tensors);
    return CheckpointFile::open(folder.file("x"));
  }

  TemporaryFolder folder;
};

const std::map<std::string, std::string> kTrained = {
    {"architecture",
     R"({"name":"transformer","plugin":"transformer","plugin_version":"0.1.0","options":{"dropout":0.25,"pos":"learned"}})"},
    {"task",
     R"({"name":"translation","plugin":"translation","plugin_version":"0.2.0","options":{}})"},
    {"task_texts",
     R"({"source_language":"en","target_language":"de","source_dictionary":"a 2\nb 1\n","joined_dictionary":"yes"})"},
    {"train", R"({"state":{"updates":1200,"finished_epochs":3}})"}};

TEST_F(Report, DescribesTheCheckpointInText) {
  const auto file = open(kTrained);
  EXPECT_EQ(checkpoint_summary(file),
            "file          " + (folder.file("x")) +
                "\n"
                "format        checkpoint format 1, written by phraseq " PHRASEQ_VERSION
                ", fingerprint " +
                file.fingerprint() +
                "\n"
                "architecture  transformer (plugin transformer 0.1.0)\n"
                "task          translation (plugin translation 0.2.0)\n"
                "languages     en to de\n"
                "vocabulary    6 symbols, joined\n"
                "parameters    1,260 in 1 tensor, 5,040 bytes\n"
                "blobs         3 in 1 tensor, 3 bytes\n"
                "optimizer     1,260 in 1 tensor, 5,040 bytes\n"
                "training      updates: 1200, finished epochs: 3\n"
                "metadata      architecture (113), task (83), task_texts (106), train (46)\n");
}

TEST_F(Report, ListsOptionsAndTensors) {
  const auto file = open(kTrained);
  EXPECT_EQ(options_list(file),
            "# architecture transformer\ndropout = 0.25\npos = learned\n# task translation\n");
  EXPECT_EQ(tensor_list(file),
            "F32  [630, 2]                 5,040  decoder.weight\n"
            "F32  [1260]                   5,040  optimizer.moment\n"
            "U8   [3]                          3  blob.source_tokenizer\n");
}

TEST_F(Report, GivesProgramsTheSameInformation) {
  const auto file = open({{"train", R"({"state":7})"}, {"note", "12"}});
  const auto report = checkpoint_report(file);
  EXPECT_EQ(report["parameters"], 1260);
  EXPECT_EQ(report["fingerprint"], file.fingerprint());
  EXPECT_EQ(report["metadata"]["train"]["state"], 7);
  EXPECT_EQ(report["metadata"]["note"], "12");  // a text that looks like a number stays a text
  EXPECT_EQ(report["tensors"][0].dump(),
            R"({"name":"decoder.weight","dtype":"F32","shape":[630,2],"bytes":5040})");
}

// Opens what anyone may have written: entries of other shapes than ours only leave lines out.
TEST_F(Report, AcceptsEntriesOfOtherShapes) {
  const auto file = open({{"architecture", "[1]"},
                          {"averaged", "[1,{}]"},
                          {"task", R"({"name":1,"options":[]})"},
                          {"task_texts", "{"},
                          {"train", R"({"state":[]})"},
                          {"deep", std::string(100'000, '[') + std::string(100'000, ']')}});
  EXPECT_EQ(options_list(file), "");
  EXPECT_NE(checkpoint_summary(file), "");
  EXPECT_LT(checkpoint_report(file).dump().size(), 2000U);
}

TEST(QuantizedReport, CountsTheScalesOfTheRows) {
  const TemporaryFolder folder;
  const std::vector<int8_t> weights(12);
  const std::vector<float> scales(3);
  const std::vector<TensorView> tensors = {view("decoder.weight", DType::kI8, {3, 4}, weights),
                                           view("scales.decoder.weight", DType::kF32, {3}, scales)};
  write_checkpoint(folder.file("x"), {{"quantization", R"({"type":"int8"})"}}, tensors);
  EXPECT_THAT(checkpoint_summary(CheckpointFile::open(folder.file("x"))),
              ::testing::HasSubstr("parameters    12 in 1 tensor, 12 bytes\n"
                                   "quantization  int8\n"
                                   "scales        3 in 1 tensor, 12 bytes\n"));
}

TEST(ForeignReport, HasNoFormat) {
  const auto file =
      CheckpointFile::open(PHRASEQ_SOURCE_FOLDER "/tests/golden/checkpoint/foreign.safetensors");
  EXPECT_TRUE(checkpoint_report(file)["format_version"].is_null());
  EXPECT_EQ(options_list(file), "");
  EXPECT_NE(checkpoint_summary(file).find("a plain safetensors file, without checksums"),
            std::string::npos);
}

TEST(LanguagesSummary, ListsAllOfAMultilingualModel) {
  EXPECT_EQ(languages_summary({{"source_language", "en"},
                               {"target_language", "de"},
                               {"languages", R"(["de", "en", "fr"])"}}),
            "de, en, fr");
  EXPECT_EQ(languages_summary({{"source_language", "en"}, {"target_language", "de"}}), "en to de");
  EXPECT_EQ(languages_summary({{"source_language", "en"}, {"target_language", "en"}}), "en");
  EXPECT_EQ(languages_summary({{"source_language", ""}, {"target_language", "de"}}), "");
}

}  // namespace
}  // namespace phraseq
