#include "core/convert/joeynmt/joeynmt_import.h"

#include <filesystem>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/convert/joeynmt/joeynmt_config.h"
#include "core/io/yaml/yaml_reader.h"
#include "tests/core/checkpoint/checkpoint_test_files.h"
#include "tests/core/convert/golden_torch_files.h"
#include "tests/core/io/temporary_folder.h"
#include "tests/support/file_content.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::golden_torch_file;
using ::testing::HasSubstr;
using testing::write_bytes;

const std::string kJoeyGolden = PHRASEQ_SOURCE_FOLDER "/tests/golden/joeynmt/";

TEST(JoeyImport, ReadsOptionsLanguagesAndVocabularies) {
  const ImportedModel model = import_joeynmt({.weights = kJoeyGolden + "pre"});
  EXPECT_EQ(model.texts.at("source_language"), "xx");
  EXPECT_EQ(model.texts.at("target_language"), "yy");
  EXPECT_EQ(model.texts.at("tokenizer"), "word");
  EXPECT_EQ(model.options.at("pos"), "interleaved");
  EXPECT_EQ(model.options.at("encoder_normalize_before"), true);
  EXPECT_EQ(model.options.at("decoder_attention_heads"), 2);
  EXPECT_EQ(model.options.at("max_source_positions"), 5000);
  const auto target = Dictionary::parse(model.texts.at("target_dictionary"), "dictionary");
  EXPECT_EQ(target.symbol(4), "t0");
  const ImportedModel shared = import_joeynmt({.weights = kJoeyGolden + "post/best.ckpt"});
  EXPECT_TRUE(shared.joined());
  EXPECT_EQ(shared.options.at("share_all_embeddings"), true);
  EXPECT_EQ(shared.options.at("activation_fn"), "gelu");
}

std::string rejection_of_whole(const std::function<void(json&)>& change, bool last_norm = true) {
  json config = parse_yaml(content_of(kJoeyGolden + "pre/config.yaml"), "config.yaml");
  change(config);
  return message_of([&] { options_from_joeynmt(config, {last_norm, last_norm}, "config.yaml"); });
}

std::string rejection_of_config(const std::function<void(json&)>& change, bool last_norm = true) {
  return rejection_of_whole([&](json& config) { change(config["model"]); }, last_norm);
}

TEST(JoeyConfig, NamesSettingsWithoutCounterpart) {
  EXPECT_EQ(rejection_of_config([](json&) {}), kNothingThrown);
  EXPECT_THAT(rejection_of_config([](json& model) { model["encoder"]["type"] = "recurrent"; }),
              HasSubstr("encoder.type: \"recurrent\""));
  EXPECT_THAT(rejection_of_config([](json& model) { model["decoder"]["alpha"] = 0.8; }),
              HasSubstr("decoder.alpha: 0.8"));
  EXPECT_THAT(rejection_of_config([](json& model) { model["encoder"]["activation"] = "tanh"; }),
              HasSubstr("encoder.activation: \"tanh\""));
  EXPECT_THAT(rejection_of_config([](json& model) { model["decoder"]["novelty"] = 1; }),
              HasSubstr("decoder.novelty: 1"));
  EXPECT_THAT(rejection_of_config([](json& model) { model["decoder"]["num_heads"] = 3; }),
              HasSubstr("decoder.num_heads: 3"));
  EXPECT_THAT(
      rejection_of_config([](json& model) { model["encoder"]["embeddings"]["scale"] = false; }),
      HasSubstr("different embeddings.scale"));
  const auto without_norm = [](json& model) { model["encoder"].erase("layer_norm"); };
  EXPECT_EQ(rejection_of_config(without_norm), kNothingThrown);  // version 1.x
  EXPECT_THAT(rejection_of_config(without_norm, /*last_norm=*/false),
              HasSubstr("encoder without layer_norm"));
  EXPECT_THAT(rejection_of_config([](json& model) { model.erase("decoder"); }),
              HasSubstr("model: 'decoder' is missing"));
}

/// JoeyNMT forbids the tags in the output and takes them from the input line.
TEST(JoeyConfig, RejectsModelsThatNeedAPrompt) {
  const auto rejection = [](const json& symbols) {
    return rejection_of_whole([&](json& config) { config["data"]["special_symbols"] = symbols; });
  };
  EXPECT_EQ(rejection({{"sep_token", nullptr}, {"lang_tags", json::array()}}), kNothingThrown);
  EXPECT_THAT(rejection({{"sep_token", "<sep>"}, {"sep_id", 4}}),
              HasSubstr("data.special_symbols.sep_token: \"<sep>\""));
  EXPECT_THAT(rejection({{"lang_tags", {"<de>", "<en>"}}}),
              HasSubstr("data.special_symbols.lang_tags: [\"<de>\",\"<en>\"]"));
}

TEST(JoeyImport, FindsSpecialSymbolsUnderTheNamesOfTheConfiguration) {
  const TemporaryFolder folder;
  fs::copy(kJoeyGolden + "pre", folder.path());
  for (const char* name : {"src_vocab.txt", "trg_vocab.txt"}) {
    std::string vocabulary = content_of(folder.file(name));
    vocabulary.replace(vocabulary.find("<unk>"), 5, "[UNK]");
    vocabulary.replace(vocabulary.find("</s>"), 4, "[END]");
    write_bytes(folder.file(name), vocabulary);
  }
  std::string config = content_of(folder.file("config.yaml"));
  const std::string data = "data:\n";
  config.insert(config.find(data) + data.size(),
                "  special_symbols: {unk_token: \"[UNK]\", eos_token: \"[END]\"}\n");
  write_bytes(folder.file("config.yaml"), config);
  const ImportedModel renamed = import_joeynmt({.weights = folder.path()});
  const ImportedModel original = import_joeynmt({.weights = kJoeyGolden + "pre"});
  EXPECT_EQ(renamed.texts, original.texts);
}

TEST(JoeyImport, TakesNoMoreThanTwoVocabularies) {
  const std::string file = kJoeyGolden + "pre/src_vocab.txt";
  try {
    import_joeynmt({.weights = kJoeyGolden + "pre", .vocabs = {file, file, file}});
    FAIL();
  } catch (const UsageError& problem) {
    EXPECT_THAT(problem.message(), HasSubstr("3 vocabularies, expected two"));
  }
}

TEST(JoeyImport, RejectsOtherFilesAndVocabulariesThatDoNotFit) {
  const TemporaryFolder folder;
  const auto rejection = [&] {
    return message_of([&] { import_joeynmt({.weights = folder.path()}); });
  };
  for (const auto& entry : fs::directory_iterator(kJoeyGolden + "pre"))
    fs::copy(entry.path(), folder.file(entry.path().filename().string()));
  EXPECT_EQ(rejection(), kNothingThrown);
  write_bytes(folder.file("src_vocab.txt"), "<unk>\n<pad>\n<s>\n</s>\ns0\n");
  EXPECT_THAT(rejection(), HasSubstr("one row for each of the 5 symbols"));
  write_bytes(folder.file("src_vocab.txt"), "<unk>\n<pad>\ns0\n");
  EXPECT_THAT(rejection(), HasSubstr("one of <s>, <pad>, </s>, <unk> is missing"));
  write_bytes(folder.file("best.ckpt"), content_of(golden_torch_file("fairseq_cfg.pt")));
  EXPECT_THAT(rejection(), HasSubstr("it has no 'model_state'"));
  const std::string bytes = content_of(kJoeyGolden + "pre/best.ckpt");
  for (const size_t length : {size_t{0}, size_t{100}, bytes.size() / 2, bytes.size() - 1}) {
    write_bytes(folder.file("best.ckpt"), bytes.substr(0, length));
    EXPECT_NE(rejection(), kNothingThrown) << length;
  }
}

}  // namespace
}  // namespace phraseq
