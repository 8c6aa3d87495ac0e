#include <filesystem>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/checkpoint/safetensors/float_values.h"
#include "core/convert/fairseq/fairseq_import.h"
#include "core/convert/imported_model.h"
#include "tests/core/checkpoint/checkpoint_test_files.h"
#include "tests/core/convert/golden_torch_files.h"
#include "tests/core/io/temporary_folder.h"
#include "tests/support/file_content.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::ElementsAre;
using testing::golden_torch_file;
using ::testing::HasSubstr;
using ::testing::Pair;
using testing::write_bytes;

ImportedModel import_golden(const std::string& name) {
  return import_fairseq({.weights = golden_torch_file(name)});
}

TEST(FairseqCheckpoint, IsImportedWithOptionsWeightsAndDictionaries) {
  const json weights = json::parse(content_of(golden_torch_file("fairseq_weights.json")));
  for (const char* name : {"fairseq_cfg.pt", "fairseq_args.pt"}) {
    const ImportedModel model = import_golden(name);
    EXPECT_EQ(model.options["encoder_ffn_embed_dim"], 6) << name;
    EXPECT_EQ(model.options["decoder_attention_heads"], 4) << name;
    EXPECT_EQ(model.options["decoder_normalize_before"], true) << name;
    EXPECT_EQ(model.options["dropout"], 0.3) << name;
    EXPECT_EQ(model.texts.at("source_language"), "xx") << name;
    EXPECT_EQ(model.texts.at("target_dictionary"), "u 1\nv 1\nw 1\nx 1\ny 1\n") << name;
    EXPECT_EQ(model.tensors.size(), 48u) << name;
    for (const auto& tensor : model.tensors)
      EXPECT_EQ(json(float_values(tensor)), weights.at(tensor.name)) << name << " " << tensor.name;
  }
}

TEST(FairseqCheckpoint, FindsItsDictionariesOrNamesTheMissingFile) {
  const TemporaryFolder folder;
  write_bytes(folder.file("m.pt"), content_of(golden_torch_file("fairseq_cfg.pt")));
  EXPECT_THROW(
      try { import_fairseq({.weights = folder.file("m.pt")}); } catch (const IoError& problem) {
        EXPECT_THAT(problem.message(), HasSubstr("dict.xx.txt"));
        throw;
      },
      IoError);
  fs::create_directory(folder.file("data-bin"));
  for (const char* name : {"dict.xx.txt", "dict.yy.txt"})
    write_bytes(folder.file(std::string("data-bin/") + name), content_of(golden_torch_file(name)));
  EXPECT_EQ(import_fairseq({.weights = folder.file("m.pt")}).texts.at("source_dictionary"),
            "a 1\nb 1\nc 1\n");
  write_bytes(folder.file("data-bin/dict.xx.txt"), "a 1\nb 1\n");
  EXPECT_THROW(
      try { import_fairseq({.weights = folder.file("m.pt")}); } catch (const FormatError& problem) {
        EXPECT_THAT(problem.message(),
                    HasSubstr("encoder.embed_tokens.weight is [7, 8], not [6, 8]"));
        throw;
      },
      FormatError);
}

TEST(FairseqCheckpoint, TakesTheTokenizerOfItsDataFolder) {
  const TemporaryFolder folder;
  for (const char* name : {"dict.xx.txt", "dict.yy.txt"})
    write_bytes(folder.file(name), content_of(golden_torch_file(name)));
  write_bytes(folder.file("codes.xx"), "#version: 0.2\na b\n");
  write_bytes(folder.file("codes.yy"), "#version: 0.2\nu v\n");
  write_bytes(
      folder.file("manifest.json"),
      R"({"version": 1, "complete": true, "tokenizer": {"name": "bpe", "options": {"language": "xx"},
                  "models": {"xx": "codes.xx", "yy": "codes.yy"}}})");
  const ImportedModel model =
      import_fairseq({.weights = golden_torch_file("fairseq_cfg.pt"), .data = folder.file(".")});
  EXPECT_EQ(model.texts.at("tokenizer"), "bpe");
  EXPECT_EQ(json::parse(model.texts.at("tokenizer_options")), json({{"language", "xx"}}));
  std::map<std::string, std::string> models;
  for (const TensorView& tensor : model.tensors) {
    if (tensor.name.starts_with("blob."))
      models[tensor.name].assign(reinterpret_cast<const char*>(tensor.bytes.data()),
                                 tensor.bytes.size());
  }
  EXPECT_THAT(models,
              ElementsAre(Pair("blob.source_tokenizer", "#version: 0.2\na b\n"),
                          Pair("blob.target_tokenizer", "#version: 0.2\nu v\n")));
}

TEST(FairseqLanguageModel, TakesItsLanguageFromTheOptionAndItsDictionaryUnderEitherName) {
  const std::string golden = PHRASEQ_SOURCE_FOLDER "/tests/golden/fairseq_lm/";
  for (const char* name : {"dict.txt", "dict.en.txt", "data-bin/dict.txt"}) {
    const TemporaryFolder folder;
    fs::create_directory(folder.file("data-bin"));
    write_bytes(folder.file("m.pt"), content_of(golden + "lm.pt"));
    write_bytes(folder.file(name), content_of(golden + "dict.txt"));
    const ImportedModel model =
        import_fairseq({.weights = folder.file("m.pt"), .source_lang = "en"});
    EXPECT_EQ(model.texts.at("source_language"), "en") << name;
    EXPECT_EQ(model.texts.at("target_language"), "en") << name;
  }
}

TEST(FairseqCheckpoint, NamesLanguagesAndNoPaths) {
  const TemporaryFolder folder;
  std::string bytes = content_of(golden_torch_file("fairseq_args.pt"));
  const std::string language = "X\x02" + std::string(3, '\0') + "xx";
  for (size_t at = 0; (at = bytes.find(language, at)) != std::string::npos; ++at)
    bytes.replace(at, language.size(), language.substr(0, 5) + "/x");
  write_bytes(folder.file("m.pt"), bytes);
  EXPECT_THROW(
      try { import_fairseq({.weights = folder.file("m.pt")}); } catch (const FormatError& problem) {
        EXPECT_THAT(problem.message(),
                    HasSubstr("source_lang is '/x', which is not the name of a language"));
        throw;
      },
      FormatError);
}

TEST(CheckLanguages, NamesALanguageThatTheModelDoesNotHave) {
  const std::vector<std::string> languages = {"de", "en"};
  check_languages(languages, "", "en");
  try {
    check_languages(languages, "de", "tlh");
    FAIL();
  } catch (const UsageError& problem) {
    EXPECT_EQ(problem.message(), "'tlh' is not one of the model's 2 languages (de, en)");
  }
}

TEST(FairseqCheckpoint, IsRejectedWhenItHoldsNoModelOfFairseqs) {
  EXPECT_THROW(
      try { import_golden("tensors.pt"); } catch (const FormatError& problem) {
        EXPECT_THAT(problem.message(), HasSubstr("neither 'args' nor 'cfg'"));
        throw;
      },
      FormatError);
}

}  // namespace
}  // namespace phraseq
