// Checkpoints with valid checksums and hostile metadata: every entry with a value of another type,
// and documents nested 500,000 deep. The result must be a FormatError with exit code 4, and never a
// bug or a signal.

#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/checkpoint/checkpoint_writer.h"
#include "core/run/run_components.h"
#include "core/train/train_checkpoint.h"
#include "core/translate/translation_model.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

std::string nested(const std::string& open, const std::string& close) {
  std::string text;
  for (int i = 0; i < 500'000; ++i) text += open;
  for (int i = 0; i < 500'000; ++i) text += close;
  return text;
}

/// Values of every JSON type.
std::vector<json> values() {
  return {nullptr,
          true,
          -7,
          0.5,
          "text",
          json::array(),
          json::object(),
          json::array({json::array({1}), json::object({{"a", nullptr}})}),
          json::object({{"value", json::object({{"value", nullptr}})}})};
}

/// Whether `value` has another type than `now`, so that no reader may accept it.
bool is_of_another_type(const json& now, const json& value) {
  if (now.is_number_float() && value.is_number())
    return false;
  if (now.is_number_integer() && value.is_number_integer())
    return false;
  if (now.is_array() && value.is_array())
    return false;
  return now.type() != value.type();
}

/// Finds every place in a document, except inside lists.
void find_places(const json& document,
                 const json::json_pointer& at,
                 std::vector<json::json_pointer>& places) {
  places.push_back(at);
  if (!document.at(at).is_object())
    return;
  for (const auto& [name, value] : document.at(at).items())
    find_places(document, at / name, places);
}

class HostileCheckpoint : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    workspace_ = new Workspace;
    write_toy_corpus(*workspace_);
    ASSERT_EQ(workspace_->run(toy_preprocess()).exit_code, kExitOk);
    ASSERT_EQ(workspace_->run(toy_train("run", 2)).exit_code, kExitOk);
    plugins_ = load_plugins_for({}).release();
  }
  static void TearDownTestSuite() {
    delete workspace_;
    workspace_ = nullptr;
  }

  static std::string original() {
    const std::string pointer = workspace_->read("run/checkpoint_last");
    return workspace_->path("run/" + pointer.substr(0, pointer.find_first_of(" \n")));
  }

  /// The checkpoint with `text` as the metadata entry `key`, and valid checksums.
  static std::string with_entry(const std::string& key, const std::string& text) {
    const CheckpointFile file = CheckpointFile::open(original());
    auto metadata = file.metadata();
    metadata[key] = text;
    const std::string path = workspace_->path("hostile.safetensors");
    write_checkpoint(path, metadata, file.tensors());
    return path;
  }

  static void read_all_of_it(const std::string& path) {
    TranslationModel::load(plugins_->registry, path, {});
    read_train_record(CheckpointFile::open(path));
  }

  /// Reads the checkpoint with a value of every other type in every place of the entry.
  static int mutate(const std::string& key) {
    const json document = json::parse(CheckpointFile::open(original()).metadata(key));
    std::vector<json::json_pointer> places;
    find_places(document, json::json_pointer(), places);
    int tried = 0;
    for (const auto& place : places) {
      for (const json& value : values()) {
        if (!is_of_another_type(document.at(place), value) ||
            is_free(key, place.to_string(), value))
          continue;
        json changed = document;
        changed[place] = value;
        ++tried;
        EXPECT_THROW(read_all_of_it(with_entry(key, changed.dump())), FormatError)
            << key << " " << place.to_string() << " = " << value.dump();
      }
    }
    return tried;
  }

  /// Entries that are only compared when a run resumes, and the entry that may be null.
  static bool is_free(const std::string& key, const std::string& place, const json& value) {
    if (key == "train" && place == "/state/best")
      return value.is_null() || value.is_number();
    return key == "train" && (place.starts_with("/options/") || place.starts_with("/position/"));
  }

  static Workspace* workspace_;
  static LoadedPlugins* plugins_;
};

Workspace* HostileCheckpoint::workspace_ = nullptr;
LoadedPlugins* HostileCheckpoint::plugins_ = nullptr;

TEST_F(HostileCheckpoint, IsAFormatErrorForEveryTypeOfEveryEntry) {
  for (const char* key : {"architecture", "task", "task_texts", "train"})
    EXPECT_GT(mutate(key), 30) << key;
  EXPECT_GT(mutate("self_test"), 20);
}

TEST_F(HostileCheckpoint, IsAFormatErrorForWhatIsInsideATextOfTheTask) {
  json texts = json::parse(CheckpointFile::open(original()).metadata("task_texts"));
  for (const std::string& inner : {std::string("null"),
                                   std::string("[]"),
                                   std::string("7"),
                                   std::string("{\"lowercase\": null}"),
                                   std::string("{\"lowercase\": {\"a\": []}}"),
                                   std::string("{"),
                                   nested("[", "]"),
                                   nested("{\"a\":", "}")}) {
    texts["tokenizer_options"] = inner;
    EXPECT_THROW(read_all_of_it(with_entry("task_texts", texts.dump())), FormatError)
        << inner.substr(0, 40);
  }
}

TEST_F(HostileCheckpoint, EndsACommandWithExitCode4) {
  json train = json::parse(CheckpointFile::open(original()).metadata("train"));
  std::vector<std::pair<std::string, std::string>> entries;
  for (const char* key : {"architecture", "task", "task_texts", "train"}) {
    for (const std::string& text : {std::string("null"), std::string("[[]]"), nested("[", "]")})
      entries.emplace_back(key, text);
  }
  std::vector<json::json_pointer> places;
  find_places(train["position"], json::json_pointer(), places);
  size_t turn = 0;
  for (const auto& place : places) {
    json changed = train;
    do {
      turn = (turn + 1) % values().size();
    } while (!is_of_another_type(train["position"].at(place), values()[turn]));
    changed["position"][place] = values()[turn];
    entries.emplace_back("train", changed.dump());
  }
  for (const auto& [key, text] : entries) {
    const std::string path = with_entry(key, text);
    const CommandResult result = workspace_->run(
        key == "train" ? toy_train("other", 3) + Arguments{"--restore-file", path}
                       : Arguments{"generate", "--path", path, "--input", "test.en"});
    EXPECT_EQ(result.exit_code, kExitFormat) << key << " " << text.substr(0, 300) << result.errors;
    EXPECT_LT(result.errors.size(), 2000U);
    EXPECT_EQ(workspace_->run({"inspect", path}).exit_code, kExitOk);
  }
}

TEST_F(HostileCheckpoint, NamesTheWrongEntry) {
  json train = json::parse(CheckpointFile::open(original()).metadata("train"));
  train["state"]["interval"]["tokens"] = "many";
  const std::string path = with_entry("train", train.dump());
  const auto result = workspace_->run(toy_train("other", 3) + Arguments{"--restore-file", path});
  EXPECT_THAT(result.errors,
              HasSubstr(path + ": the metadata entry 'train': state.interval.tokens: \"many\", "
                               "expected a whole number"));
}

TEST_F(HostileCheckpoint, IsRejectedWhenThisMachineComputesOtherResults) {
  json test = json::parse(CheckpointFile::open(original()).metadata("self_test"));
  json& first = test["log_probabilities"][0];
  const double value = first;
  first = value + 0.1;
  const std::string path = with_entry("self_test", test.dump());
  for (const char* command :
       {"generate --input test.en", "validate data-bin --valid-subset test"}) {
    const Arguments arguments = words(command) + Arguments{"--path", path};
    const auto result = workspace_->run(arguments);
    EXPECT_EQ(result.exit_code, kExitFormat) << command;
    EXPECT_THAT(result.errors,
                HasSubstr(path + ": the self-test failed: the log-probability of token 1 is"));
    EXPECT_THAT(result.errors, HasSubstr("--skip-self-test"));
    EXPECT_EQ(workspace_->run(arguments + Arguments{"--skip-self-test"}).exit_code, kExitOk);
  }
  first = value + 0.001;  // as with another processor or another number of threads
  const Arguments near = {"generate", "--path", with_entry("self_test", test.dump())};
  EXPECT_EQ(workspace_->run(near + words("--input test.en")).exit_code, kExitOk);
}

TEST_F(HostileCheckpoint, HasASelfTestThatSeesAChangedParameter) {
  const CheckpointFile file = CheckpointFile::open(original());
  std::vector<TensorView> tensors = file.tensors();
  std::vector<float> changed;
  for (TensorView& tensor : tensors) {
    if (!tensor.name.ends_with("decoder.layers.0.fc1.weight") || tensor.name.starts_with("opt"))
      continue;
    changed.resize(tensor.bytes.size() / sizeof(float));
    std::memcpy(changed.data(), tensor.bytes.data(), tensor.bytes.size());
    for (float& element : changed) element = 1 - element;
    tensor.bytes = std::as_bytes(std::span(changed));
  }
  ASSERT_FALSE(changed.empty());
  const std::string path = workspace_->path("changed.safetensors");
  write_checkpoint(path, file.metadata(), tensors);
  EXPECT_THROW(TranslationModel::load(plugins_->registry, path, {}), FormatError);
  LoadOptions skipped;
  skipped.skip_self_test = true;
  EXPECT_NO_THROW(TranslationModel::load(plugins_->registry, path, skipped));
}

TEST_F(HostileCheckpoint, HasRelativesInOtherFiles) {
  const std::string manifest = workspace_->read("data-bin/manifest.json");
  std::vector<std::string> texts = {nested("[", "]"), nested("{\"a\":", "}"), "null", "7"};
  const json document = json::parse(manifest);
  std::vector<json::json_pointer> places;
  find_places(document, json::json_pointer(), places);
  size_t turn = 0;
  for (const auto& place : places) {
    const std::string at = place.to_string();
    if (at.starts_with("/options") || at.starts_with("/tokenizer/options/") || at == "/phraseq" ||
        at.ends_with("/input") || at.ends_with("_bytes") || at.ends_with("input_crc32c") ||
        at.ends_with("tokens") || at.ends_with("replaced") || at.empty())
      continue;  // these are only for people
    do {
      turn = (turn + 1) % values().size();
    } while (!is_of_another_type(document.at(place), values()[turn]));
    json changed = document;
    changed[place] = values()[turn];
    texts.push_back(changed.dump());
  }
  for (const std::string& text : texts) {
    workspace_->write("data-bin/manifest.json", text);
    const auto result =
        workspace_->run({"validate", "data-bin", "--path", "run", "--valid-subset", "test"});
    EXPECT_EQ(result.exit_code, kExitFormat) << text.substr(0, 3000) << result.errors;
  }
  workspace_->write("data-bin/manifest.json", manifest);

  for (const std::string& text : {nested("[", "]"), nested("{\"a\":", "}"), std::string("null")}) {
    workspace_->write("options.json", text);
    EXPECT_EQ(
        workspace_
            ->run({"import", "fairseq", original(), "options.json", "data-bin", "--output", "o"})
            .exit_code,
        kExitFormat);
  }
  EXPECT_EQ(workspace_
                ->run(toy_train("other", 3) +
                      Arguments{"--eval-bleu", "--eval-bleu-args", std::string(50'000, '[')})
                .exit_code,
            kExitUsage);
}

}  // namespace
}  // namespace phraseq::end_to_end
