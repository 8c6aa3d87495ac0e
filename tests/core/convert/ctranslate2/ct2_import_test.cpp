#include "core/convert/ctranslate2/ct2_import.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/checkpoint/safetensors/float_values.h"
#include "core/convert/ctranslate2/ct2_export.h"
#include "core/convert/fairseq/fairseq_import.h"
#include "core/convert/hf/marian_mt_import.h"
#include "tests/core/checkpoint/checkpoint_test_files.h"
#include "tests/core/convert/float_tensors.h"
#include "tests/core/convert/golden_torch_files.h"
#include "tests/core/convert/learned_positions.h"
#include "tests/core/io/temporary_folder.h"
#include "tests/support/file_content.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::float_tensors;
using testing::golden_torch_file;
using ::testing::HasSubstr;
using testing::write_bytes;

constexpr const char* kCt2Golden = PHRASEQ_SOURCE_FOLDER "/tests/golden/ctranslate2";

TEST(Ct2Import, OfTheFileThatCTranslate2WroteIsTheOriginalModel) {
  const ImportedModel original = import_fairseq({.weights = golden_torch_file("fairseq_cfg.pt")});
  const ImportedModel model =
      import_ctranslate2({.weights = kCt2Golden, .source_lang = "xx", .target_lang = "yy"});
  EXPECT_EQ(float_tensors(model), float_tensors(original));
  EXPECT_EQ(model.texts, original.texts);
  json expected = original.options;
  expected["dropout"] = 0.1;  // only used in training
  EXPECT_EQ(model.options, expected);
}

TEST(Ct2Import, ReadsLearnedPositionsAsTheExportWritesThem) {
  const TemporaryFolder folder;
  ImportedModel original = import_fairseq({.weights = golden_torch_file("fairseq_cfg.pt")});
  testing::use_learned_positions(original, 9);
  original.write(folder.file("m.safetensors"));
  export_to_ctranslate2(ExportModel::open(folder.file("m.safetensors")), folder.file("out"));
  const ImportedModel model =
      import_ctranslate2({.weights = folder.file("out"), .source_lang = "xx", .target_lang = "yy"});
  EXPECT_EQ(float_tensors(model), float_tensors(original));
  EXPECT_EQ(model.options.at("pos"), "learned");
  EXPECT_EQ(model.options.at("max_target_positions"), 9);
}

/// Changes the config so that the tokenizer of another program ends the source, as in a folder that
/// CTranslate2's converter makes of a Hugging Face model.
void leave_source_eos_to_the_tokenizer(const std::string& config_path) {
  json config = json::parse(content_of(config_path));
  config["add_source_eos"] = false;
  write_bytes(config_path, config.dump());
}

TEST(Ct2Import, AddsTheSymbolsThatAVocabularyLacks) {
  const TemporaryFolder folder;
  const ImportedModel marian =
      import_marian_mt({.weights = PHRASEQ_SOURCE_FOLDER "/tests/golden/hf_marian"});
  marian.write(folder.file("m.safetensors"));
  export_to_ctranslate2(ExportModel::open(folder.file("m.safetensors")), folder.file("out"));
  // As after CTranslate2's converter of Marian: <s> is another symbol, and decoding starts from
  // zeros.
  const std::string path = folder.file("out/shared_vocabulary.json");
  json symbols = json::parse(content_of(path));
  symbols[0] = "other";
  write_bytes(path, symbols.dump());
  std::string bytes = content_of(folder.file("out/model.bin"));
  const std::string name = "start_from_zero_embedding";
  const size_t value = bytes.find(name) + name.size() + 1 + 1 + 1 + 4;  // zero, rank, type, size
  ASSERT_EQ(bytes.at(value), '\0');
  bytes[value] = '\1';
  write_bytes(folder.file("out/model.bin"), bytes);
  leave_source_eos_to_the_tokenizer(folder.file("out/config.json"));

  const ImportedModel model =
      import_ctranslate2({.weights = folder.file("out"), .source_lang = "xx", .target_lang = "yy"});
  const auto found = float_tensors(model);
  const auto& embedding = found.at("encoder.embed_tokens.weight");
  EXPECT_EQ(std::vector<double>(embedding.begin(), embedding.begin() + 16),
            std::vector<double>(16, 0.0));
  EXPECT_EQ(found.at("decoder.output_bias")[kBos], -1e9);
  EXPECT_EQ(model.options.at("start_token"), "bos");
  EXPECT_EQ(model.options.at("source_eos"), true);
  EXPECT_EQ(model.options.at("pos"), "marian");
  const auto ours = Dictionary::parse(model.texts.at("source_dictionary"), "dictionary");
  EXPECT_EQ(ours.id("other"), 4);
}

std::string rejection_of_folder(const std::string& path) {
  return message_of(
      [&] { import_ctranslate2({.weights = path, .source_lang = "xx", .target_lang = "yy"}); });
}

std::string rejection_of_model(const std::string& bytes) {
  const TemporaryFolder folder;
  fs::copy(kCt2Golden, folder.path());
  write_bytes(folder.file("model.bin"), bytes);
  return rejection_of_folder(folder.path());
}

TEST(Ct2Import, RejectsSpecialTokensWithOtherNames) {
  const TemporaryFolder folder;
  fs::copy(kCt2Golden, folder.path());
  const std::string path = folder.file("config.json");
  const json original = json::parse(content_of(path));
  for (const char* setting : {"eos_token", "unk_token"}) {
    json config = original;
    config[setting] = "end";
    write_bytes(path, config.dump());
    EXPECT_THAT(rejection_of_folder(folder.path()), HasSubstr(setting + std::string(" is 'end'")));
  }
  json config = original;
  config["bos_token"] = "begin";
  write_bytes(path, config.dump());
  EXPECT_EQ(rejection_of_folder(folder.path()), kNothingThrown);
  config["add_source_bos"] = true;
  write_bytes(path, config.dump());
  EXPECT_THAT(rejection_of_folder(folder.path()), HasSubstr("bos_token is 'begin'"));
}

TEST(Ct2Import, NamesPositionsThatItDoesNotSupport) {
  std::string bytes = content_of(std::string(kCt2Golden) + "/model.bin");
  const std::string name = "position_encodings/encodings";
  for (size_t at = bytes.find(name); at != std::string::npos; at = bytes.find(name))
    bytes.replace(at, name.size(), "position_encodings/relatives");
  EXPECT_THAT(rejection_of_model(bytes),
              HasSubstr("only sinusoidal and learned positions are supported"));
}

TEST(Ct2Import, NamesASymbolThatOccursTwice) {
  const TemporaryFolder folder;
  fs::copy(kCt2Golden, folder.path());
  const std::string path = folder.file("source_vocabulary.json");
  json symbols = json::parse(content_of(path));
  symbols[6] = symbols[5];
  write_bytes(path, symbols.dump());
  EXPECT_THAT(rejection_of_folder(folder.path()),
              HasSubstr(path + ": there are two symbols '" + symbols[5].get<std::string>() + "'"));
}

/// Multilingual models of Hugging Face begin their sources with the token of a language.
TEST(Ct2Import, RejectsSourcesThatBeginWithTheTokenOfALanguage) {
  const TemporaryFolder folder;
  fs::copy(kCt2Golden, folder.path());
  const std::string path = folder.file("source_vocabulary.json");
  for (const char* token : {"__en__", "eng_Latn", "en_XX"}) {
    json symbols = json::parse(content_of(path));
    symbols[5] = token;
    write_bytes(path, symbols.dump());
    EXPECT_EQ(rejection_of_folder(folder.path()), kNothingThrown);
    leave_source_eos_to_the_tokenizer(folder.file("config.json"));
    EXPECT_THAT(rejection_of_folder(folder.path()), HasSubstr(token));
    fs::copy(std::string(kCt2Golden) + "/config.json",
             folder.path(),
             fs::copy_options::overwrite_existing);
  }
}

TEST(Ct2Import, RejectsSourcesOfBartWhoseEndsTheTokenizerAdds) {
  const TemporaryFolder folder;
  fs::copy(kCt2Golden, folder.path());
  leave_source_eos_to_the_tokenizer(folder.file("config.json"));
  EXPECT_EQ(rejection_of_folder(folder.path()), kNothingThrown);
  const std::string path = folder.file("source_vocabulary.json");
  json symbols = json::parse(content_of(path));
  symbols[5] = "<mask>";
  write_bytes(path, symbols.dump());
  EXPECT_THAT(rejection_of_folder(folder.path()), HasSubstr("a model like BART"));
}

TEST(Ct2Import, TakesTheGivenSubwordModel) {
  const std::string model = PHRASEQ_SOURCE_FOLDER "/tests/golden/hf_marian/source.spm";
  const ImportedModel imported = import_ctranslate2(
      {.weights = kCt2Golden, .sentencepiece = model, .source_lang = "xx", .target_lang = "yy"});
  EXPECT_EQ(imported.texts.at("tokenizer"), "sentencepiece");
}

TEST(Ct2Import, KeepsTheTokensThatSelectATargetLanguage) {
  const TemporaryFolder folder;
  fs::copy(kCt2Golden, folder.path());
  const std::string path = folder.file("source_vocabulary.json");
  json symbols = json::parse(content_of(path));
  symbols[5] = ">>fra<<";
  write_bytes(path, symbols.dump());
  const std::string pieces = PHRASEQ_SOURCE_FOLDER "/tests/golden/hf_marian/source.spm";
  const ImportedModel imported = import_ctranslate2({.weights = folder.path(),
                                                     .sentencepiece = pieces,
                                                     .source_lang = "xx",
                                                     .target_lang = "yy"});
  EXPECT_EQ(json::parse(imported.texts.at("tokenizer_options")), json({{"language_token", true}}));
}

TEST(Ct2Import, RejectsEveryCutAndNamesUnknownVariables) {
  const std::string bytes = content_of(std::string(kCt2Golden) + "/model.bin");
  EXPECT_EQ(rejection_of_model(bytes), kNothingThrown);
  for (size_t length = 0; length < bytes.size(); length += 101)
    EXPECT_THAT(rejection_of_model(bytes.substr(0, length)), HasSubstr("not a readable model"));
  EXPECT_THAT(rejection_of_model(bytes + "x"), HasSubstr("1 bytes follow the last variable"));
  std::string other = bytes;
  other.replace(other.find("decoder/alibi"), 13, "decoder/novel");
  EXPECT_THAT(rejection_of_model(other), HasSubstr("decoder/novel"));
  other = bytes;
  for (const std::string name : {"encoder/activation", "decoder/activation"})
    other.at(other.find(name) + name.size() + 1 + 1 + 1 + 4) = '\4';  // zero, rank, type, size
  EXPECT_THAT(rejection_of_model(other), HasSubstr("gelu approximated by a sigmoid"));
}

}  // namespace
}  // namespace phraseq
