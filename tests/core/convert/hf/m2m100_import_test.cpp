#include "core/convert/hf/m2m100_import.h"

#include <filesystem>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/checkpoint/checkpoint_writer.h"
#include "core/convert/hf/hf_folder.h"
#include "core/convert/hf/m2m100_config.h"
#include "core/convert/hf/m2m100_vocabulary.h"
#include "core/io/mapping/mapped_file.h"
#include "core/text/dictionary.h"
#include "tests/core/io/temporary_folder.h"
#include "tests/support/file_content.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;

const std::string kM2mGolden = PHRASEQ_SOURCE_FOLDER "/tests/golden/hf_m2m100/";

/// A copy of a golden model whose files can be changed.
class M2m100Copy {
 public:
  explicit M2m100Copy(const char* name) {
    fs::copy(kM2mGolden + name, folder_.path(), fs::copy_options::recursive);
  }

  void change(const char* file, const std::string& key, const json& value) const {
    json content = json::parse(content_of(folder_.file(file)));
    content[key] = value;
    folder_.write(file, content.dump());
  }
  HfFolder folder() const { return HfFolder(folder_.path()); }
  void remove(const char* file) const { fs::remove(folder_.file(file)); }

  template <class ErrorType>
  std::string refusal(const std::string& source = {}, const std::string& target = {}) const {
    return whole_message_of<ErrorType>([&] {
      import_m2m100({.weights = folder_.path(), .source_lang = source, .target_lang = target});
    });
  }

 private:
  TemporaryFolder folder_;
};

TEST(M2m100Import, HasTheIdsAndLanguagesOfTheModel) {
  const ImportedModel m2m =
      import_m2m100({.weights = kM2mGolden + "m2m100", .source_lang = "en", .target_lang = "fr"});
  const json ids = json::parse(content_of(kM2mGolden + "m2m100/vocab.json"));
  const auto dictionary = Dictionary::parse(m2m.texts.at("source_dictionary"), "dictionary");
  for (const auto& [symbol, id] : ids.items()) {
    if (id > kUnk) {
      EXPECT_EQ(dictionary.id(symbol), id) << symbol;
    }
  }
  const auto languages = json::parse(m2m.texts.at("languages")).get<std::vector<std::string>>();
  EXPECT_EQ(languages.size(), 100U);
  EXPECT_EQ(dictionary.id("__af__"), static_cast<int64_t>(ids.size()));
  EXPECT_EQ(dictionary.id("__zu__"), static_cast<int64_t>(ids.size()) + 99);
  EXPECT_EQ(m2m.task, "translation_multi_simple_epoch");
  EXPECT_EQ(m2m.task_options.at("source_lang"), "en");
  EXPECT_EQ(m2m.options.at("encoder_normalize_before"), true);

  const ImportedModel nllb = import_m2m100({.weights = kM2mGolden + "nllb"});
  EXPECT_EQ(nllb.task_options.at("lang_tok_style"), "plain");
  EXPECT_THAT(json::parse(nllb.texts.at("languages")).get<std::vector<std::string>>(),
              Contains("deu_Latn"));
}

/// tokenizer.add_special_tokens replaces the list of all languages by those that it adds.
TEST(M2m100Import, TakesTheIdsOfAddedLanguages) {
  const M2m100Copy model("m2m100");
  constexpr int64_t kFirst = 71, kAdded = 171;
  model.change("tokenizer_config.json",
               "added_tokens_decoder",
               {{"171", {{"content", "__xxa__"}}}, {"172", {{"content", "__xxb__"}}}});
  for (const char* list : {"additional_special_tokens", "extra_special_tokens"})
    model.change("tokenizer_config.json", list, {"__xxa__", "__xxb__"});
  const M2m100Vocabulary found = read_m2m100_vocabulary(model.folder(), 179);
  EXPECT_EQ(found.languages.size(), 102U);
  EXPECT_EQ(found.languages.back(), "xxb");
  EXPECT_EQ(found.dictionary.id("__af__"), kFirst);
  EXPECT_EQ(found.dictionary.id("__xxa__"), kAdded);
  EXPECT_EQ(found.dictionary.id("__xxb__"), kAdded + 1);
}

TEST(M2m100Import, FindsTheSymbolsOfNllbInItsSentencePieceModelToo) {
  const HfFolder whole(kM2mGolden + "nllb");
  const auto size = whole.json("config.json").at("vocab_size").get<int64_t>();
  const M2m100Vocabulary expected = read_m2m100_vocabulary(whole, size);
  const TemporaryFolder folder;
  fs::copy(whole.file("sentencepiece.bpe.model"), folder.path());
  folder.write("special_tokens_map.json",
               json{{"additional_special_tokens", expected.languages}}.dump());
  const M2m100Vocabulary found = read_m2m100_vocabulary(HfFolder(folder.path()), size);
  EXPECT_EQ(found.languages, expected.languages);
  const int64_t mask = expected.dictionary.id("<mask>");  // after the pieces
  for (int64_t id = kUnk; id < mask; ++id)
    EXPECT_EQ(found.dictionary.symbol(id), expected.dictionary.symbol(id));
  EXPECT_EQ(found.dictionary.id(expected.languages[0]), mask);
}

/// The tensors of a file in two files, with the index that Hugging Face writes.
void divide_weights(const std::string& file, const TemporaryFolder& folder) {
  const auto whole = CheckpointFile::open(file);
  const auto middle = whole.tensors().begin() + 5;
  const std::vector<TensorView> parts[] = {{whole.tensors().begin(), middle},
                                           {middle, whole.tensors().end()}};
  json map;
  for (const auto& part : parts) {
    const std::string name = part.size() == 5 ? "part1.safetensors" : "part2.safetensors";
    write_checkpoint(folder.file(name), {{"format", "pt"}}, part);
    for (const auto& tensor : part) map[tensor.name] = name;
  }
  folder.write("model.safetensors.index.json", json{{"weight_map", map}}.dump());
}

TEST(HfFolder, ReadsWeightsFromSeveralFiles) {
  const TemporaryFolder folder;
  divide_weights(kM2mGolden + "m2m100/model.safetensors", folder);
  ImportedModel owner;
  const auto names = [&](const HfFolder& given) {
    std::set<std::string> found;
    for (const auto& tensor : given.weights(owner)) found.insert(tensor.name);
    return found;
  };
  EXPECT_EQ(names(HfFolder(folder.path())), names(HfFolder(kM2mGolden + "m2m100")));
  folder.write("model.safetensors.index.json", R"({"weight_map": {"x": "../x.safetensors"}})");
  EXPECT_THROW(names(HfFolder(folder.path())), FormatError);
  fs::remove(folder.file("model.safetensors.index.json"));
  EXPECT_THROW(names(HfFolder(folder.path())), IoError);
}

TEST(HfFolder, RejectsATensorThatIsInTwoFiles) {
  const TemporaryFolder folder;
  divide_weights(kM2mGolden + "m2m100/model.safetensors", folder);
  fs::copy_file(folder.file("part1.safetensors"), folder.file("part3.safetensors"));
  folder.write("model.safetensors.index.json",
               R"({"weight_map": {"x": "part1.safetensors", "y": "part3.safetensors"}})");
  ImportedModel owner;
  EXPECT_THAT(message_of<FormatError>([&] { HfFolder(folder.path()).weights(owner); }),
              HasSubstr("part3.safetensors: another file also contains "));
}

TEST(HfFolder, NamesWeightsThatGitLfsHasNotDownloaded) {
  const TemporaryFolder folder;
  folder.write("model.safetensors",
               "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 310020544\n");
  ImportedModel owner;
  EXPECT_THAT(message_of<FormatError>([&] { HfFolder(folder.path()).weights(owner); }),
              HasSubstr("model.safetensors: Git LFS has not downloaded this file"));
  EXPECT_THAT(message_of<FormatError>([&] { read_file(folder.file("model.safetensors")); }),
              HasSubstr("model.safetensors: Git LFS has not downloaded this file"));
}

TEST(M2m100Import, NamesWhatItDoesNotSupport) {
  const M2m100Copy copy("m2m100");
  EXPECT_THAT(copy.refusal<UsageError>("tlh", "en"),
              HasSubstr("'tlh' is not one of the model's 100 languages (af, am …)"));
  copy.change("config.json", "activation_function", "tanh");
  EXPECT_THAT(copy.refusal<UsageError>(), HasSubstr("activation_function = \"tanh\""));
  const M2m100Copy other_start("m2m100");
  other_start.change("config.json", "decoder_start_token_id", 0);
  EXPECT_THAT(other_start.refusal<UsageError>(), HasSubstr("decoder_start_token_id = 0"));
  const M2m100Copy list("m2m100");
  list.change("config.json", "eos_token_id", json::array({2}));
  EXPECT_EQ(list.refusal<UsageError>(), kNothingThrown);
  list.change("config.json", "eos_token_id", json::array({2, 3}));
  EXPECT_THAT(list.refusal<UsageError>(), HasSubstr("eos_token_id = [2,3]"));
  const M2m100Copy legacy("nllb");
  legacy.change("tokenizer_config.json", "legacy_behaviour", true);
  EXPECT_THAT(legacy.refusal<UsageError>(), HasSubstr("after the sentence"));
}

TEST(M2m100Import, RejectsTokensThatAreNeverProducedInBothFiles) {
  for (const char* file : {"config.json", "generation_config.json"}) {
    for (const char* name : {"bad_words_ids", "suppress_tokens", "begin_suppress_tokens"}) {
      const M2m100Copy copy("m2m100");
      copy.change(file, name, json::array());
      EXPECT_EQ(copy.refusal<UsageError>(), kNothingThrown);
      copy.change(file, name, json::array({5}));
      const std::string refusal = copy.refusal<UsageError>();
      EXPECT_THAT(refusal, HasSubstr(fmt::format("{} = [5]", name)));
      EXPECT_THAT(refusal, HasSubstr(file));
    }
  }
}

TEST(M2m100Config, ScalesEmbeddingsByDefault) {
  json config = json::parse(content_of(kM2mGolden + "m2m100/config.json"));
  config.erase("scale_embedding");
  EXPECT_EQ(options_from_m2m100_config(config, "config.json").at("no_scale_embedding"), false);
  config["scale_embedding"] = false;
  EXPECT_EQ(options_from_m2m100_config(config, "config.json").at("no_scale_embedding"), true);
}

TEST(M2m100Import, NamesWhatIsDamagedOrMissing) {
  for (const int64_t size : {int64_t{90}, int64_t{1} << 40}) {
    const M2m100Copy other("m2m100");
    other.change("config.json", "vocab_size", size);
    EXPECT_THAT(other.refusal<FormatError>(),
                HasSubstr(fmt::format("config.json: vocab_size is {}, but ", size)));
  }
  const M2m100Copy far("m2m100");
  far.change("vocab.json", "far", std::numeric_limits<int64_t>::max());
  EXPECT_THAT(far.refusal<FormatError>(), HasSubstr("far: 9223372036854775807, expected a whole"));
  const M2m100Copy more("m2m100");
  more.change("vocab.json", "more", 1000);
  EXPECT_THAT(more.refusal<FormatError>(), HasSubstr("but vocab_size is "));
  const M2m100Copy moved("m2m100");
  moved.change("vocab.json", "</s>", 1);
  EXPECT_THAT(moved.refusal<FormatError>(), HasSubstr("the id 1 means"));
  const M2m100Copy unknown("m2m100");
  unknown.change("tokenizer_config.json", "language_codes", "klingon");
  EXPECT_THAT(unknown.refusal<FormatError>(), HasSubstr("languages are not recorded"));
  const M2m100Copy without("m2m100");
  without.remove("sentencepiece.bpe.model");
  EXPECT_THAT(without.refusal<IoError>(), HasSubstr("sentencepiece.bpe.model"));
}

}  // namespace
}  // namespace phraseq
