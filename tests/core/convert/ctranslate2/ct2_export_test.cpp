#include "core/convert/ctranslate2/ct2_export.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/convert/fairseq/fairseq_import.h"
#include "core/convert/hf/marian_mt_export.h"
#include "core/convert/marian/npz_export.h"
#include "core/convert/onnx/onnx_export.h"
#include "tests/core/checkpoint/checkpoint_test_files.h"
#include "tests/core/convert/golden_torch_files.h"
#include "tests/core/io/temporary_folder.h"
#include "tests/support/file_content.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using testing::golden_torch_file;
using ::testing::HasSubstr;
using testing::write_bytes;

class ExportOfTheTinyModel : public ::testing::Test {
 protected:
  ExportOfTheTinyModel() {
    import_fairseq({.weights = golden_torch_file("fairseq_cfg.pt")}).write(checkpoint_);
  }

  TemporaryFolder folder_;
  std::string checkpoint_ = folder_.file("m.safetensors");
};

TEST_F(ExportOfTheTinyModel, IsWhatCTranslate2WritesByteForByte) {
  const std::string golden = PHRASEQ_SOURCE_FOLDER "/tests/golden/ctranslate2/";
  const std::string out = folder_.file("out");
  export_to_ctranslate2(ExportModel::open(checkpoint_), out);
  EXPECT_EQ(content_of(out + "/model.bin"), content_of(golden + "model.bin"));
  EXPECT_EQ(content_of(out + "/config.json"), content_of(golden + "config.json"));
  for (const char* name : {"/source_vocabulary.json", "/target_vocabulary.json"})
    EXPECT_EQ(json::parse(content_of(out + name)), json::parse(content_of(golden + name)));
}

TEST_F(ExportOfTheTinyModel, NeverReplacesFiles) {
  fs::create_directory(folder_.file("out"));
  write_bytes(folder_.file("out/model.bin"), "old");
  EXPECT_THROW(export_to_ctranslate2(ExportModel::open(checkpoint_), folder_.file("out")),
               UsageError);
  EXPECT_EQ(content_of(folder_.file("out/model.bin")), "old");
}

TEST_F(ExportOfTheTinyModel, RejectsAModelWhoseLayersWereLeftOut) {
  ImportedModel model = import_fairseq({.weights = golden_torch_file("fairseq_cfg.pt")});
  model.options["encoder_layers"] = 2;
  model.options["encoder_layers_to_keep"] = "0";
  model.write(folder_.file("kept.safetensors"));
  try {
    ExportModel::open(folder_.file("kept.safetensors"));
    FAIL() << "a part of the layers was exported";
  } catch (const UsageError& problem) {
    EXPECT_THAT(problem.message(), HasSubstr("encoder_layers_to_keep = 0"));
  }
}

TEST_F(ExportOfTheTinyModel, TakesAListOfAllLayersToKeep) {
  ImportedModel model = import_fairseq({.weights = golden_torch_file("fairseq_cfg.pt")});
  std::string all = "0";
  for (int64_t layer = 1; layer < model.options["encoder_layers"].get<int64_t>(); ++layer)
    all += "," + std::to_string(layer);
  model.options["encoder_layers_to_keep"] = all;
  model.write(folder_.file("kept.safetensors"));
  EXPECT_NO_THROW(ExportModel::open(folder_.file("kept.safetensors")));
}

/// CTranslate2 does not load such a model, as it finds no layer 0.
TEST_F(ExportOfTheTinyModel, RejectsAnEncoderWithoutLayers) {
  ImportedModel model = import_fairseq({.weights = golden_torch_file("fairseq_cfg.pt")});
  model.options["encoder_layers"] = 0;
  model.write(folder_.file("flat.safetensors"));
  try {
    ct2_variables_of(ExportModel::open(folder_.file("flat.safetensors")));
    FAIL() << "an encoder without layers was exported";
  } catch (const UsageError& problem) {
    EXPECT_THAT(problem.message(), HasSubstr("an encoder without layers"));
  }
}

TEST_F(ExportOfTheTinyModel, RejectsASymbolWithTheNameOfPadding) {
  ImportedModel model = import_fairseq({.weights = golden_torch_file("fairseq_cfg.pt")});
  for (const char* side : {"source_dictionary", "target_dictionary"}) {
    std::string& text = model.texts.at(side);
    text = "<blank>" + text.substr(text.find(' '));
  }
  model.write(folder_.file("blank.safetensors"));
  try {
    ct2_variables_of(ExportModel::open(folder_.file("blank.safetensors")));
    FAIL() << "two symbols '<blank>' were exported";
  } catch (const UsageError& problem) {
    EXPECT_THAT(problem.message(), HasSubstr("the symbol '<blank>'"));
  }
}

TEST_F(ExportOfTheTinyModel, NamesWhatAFormatCannotExpressAndWritesNothing) {
  try {
    export_to_marian_mt(ExportModel::open(checkpoint_), folder_.file("out"));
    FAIL() << "a pre-norm model was exported as a MarianMTModel";
  } catch (const UsageError& problem) {
    EXPECT_THAT(problem.message(),
                AllOf(HasSubstr("the format hf cannot express"),
                      HasSubstr("encoder_normalize_before = yes"),
                      HasSubstr("text without a SentencePiece model")));
  }
  EXPECT_FALSE(fs::exists(folder_.file("out")));
}

TEST_F(ExportOfTheTinyModel, RejectsATokenizerThatLowercasesInEveryFormat) {
  ImportedModel model = import_fairseq({.weights = golden_torch_file("fairseq_cfg.pt")});
  model.texts["tokenizer_options"] = R"({"lowercase":true})";
  model.write(folder_.file("lower.safetensors"));
  const auto opened = ExportModel::open(folder_.file("lower.safetensors"));
  for (const auto export_to :
       {export_to_ctranslate2, export_to_marian_mt, export_to_marian_npz, export_to_onnx}) {
    try {
      export_to(opened, folder_.file("out"));
      FAIL() << "a tokenizer that lowercases was left out";
    } catch (const UsageError& problem) {
      EXPECT_THAT(problem.message(), HasSubstr("tokenizer option lowercase = yes"));
    }
  }
  EXPECT_FALSE(fs::exists(folder_.file("out")));
}

TEST_F(ExportOfTheTinyModel, WritesNoOtherSubwordsThanThoseOfSentencePiece) {
  ImportedModel model = import_fairseq({.weights = golden_torch_file("fairseq_cfg.pt")});
  model.texts["tokenizer"] = "bpe";
  model.add_tensor("blob.source_tokenizer", DType::kU8, {2}, "{}");
  model.write(folder_.file("bpe.safetensors"));
  const auto opened = ExportModel::open(folder_.file("bpe.safetensors"));
  export_to_ctranslate2(opened, folder_.file("out"));
  EXPECT_TRUE(fs::exists(folder_.file("out/model.bin")));
  EXPECT_FALSE(fs::exists(folder_.file("out/source.spm")));
  EXPECT_FALSE(fs::exists(folder_.file("out/target.spm")));
  try {
    export_to_marian_mt(opened, folder_.file("hf"));
    FAIL() << "a model of BPE codes was exported as a MarianMTModel";
  } catch (const UsageError& problem) {
    EXPECT_THAT(problem.message(), HasSubstr("text without a SentencePiece model"));
  }
}

TEST(Ct2Variables, AreWrittenInTheOrderOfTheirNamesWithEqualArraysAsAliases) {
  Ct2Variables variables;
  variables.add_floats("b", {2}, {1.0F, 2.0F});
  variables.add_floats("c", {2}, {1.0F, 2.0F});
  variables.add_int8("a", 3);
  using namespace std::string_literals;
  EXPECT_EQ(variables.serialize("S", 7),
            "\6\0\0\0"
            "\2\0S\0"
            "\7\0\0\0"
            "\2\0\0\0"
            "\2\0a\0"
            "\0"
            "\1"
            "\1\0\0\0"
            "\3"
            "\2\0b\0"
            "\1"
            "\2\0\0\0"
            "\0"
            "\x8\0\0\0"
            "\0\0\x80\x3f\0\0\0\x40"
            "\1\0\0\0"
            "\2\0c\0"
            "\2\0b\0"s);
}

}  // namespace
}  // namespace phraseq
