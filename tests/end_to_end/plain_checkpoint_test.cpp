// Checkpoints that another program rewrote as plain safetensors files, and weights of other
// programs in checkpoints.

#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "tests/core/checkpoint/checkpoint_test_files.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/training_run.h"
#include "tests/end_to_end/workspace.h"
#include "tests/support/file_content.h"

namespace phraseq::end_to_end {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Metadata = std::map<std::string, std::string>;

constexpr const char* kWeight = "decoder.layers.0.fc1.weight";
constexpr const char* kWarning = "a plain safetensors file without checksums";

/// The bytes of a plain safetensors file with these entries and tensors, as written by the Python
/// package, with the weight `kWeight` multiplied by `factor`.
std::string plain_file(const CheckpointFile& file, const Metadata& metadata, float factor) {
  nlohmann::json header = {{"__metadata__", metadata}};
  std::string data;
  for (const TensorView& tensor : file.tensors()) {
    std::string bytes(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
    if (tensor.name == kWeight) {
      auto values = testing::values_of<float>(tensor);
      for (float& value : values) value *= factor;
      std::memcpy(bytes.data(), values.data(), bytes.size());
    }
    header[tensor.name] = {{"dtype", to_string(tensor.dtype)},
                           {"shape", tensor.shape},
                           {"data_offsets", {data.size(), data.size() + bytes.size()}}};
    data += bytes;
  }
  return testing::raw_file(header.dump(), data);
}

class PlainCheckpoint : public ::testing::Test {
 protected:
  PlainCheckpoint() {
    write_toy_corpus(workspace_);
    EXPECT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
    EXPECT_EQ(workspace_.run(toy_train("run", 60) + words("--threads 1")).exit_code, kExitOk);
  }

  CheckpointFile trained() const {
    return CheckpointFile::open(resolve_checkpoint(workspace_.path("run/checkpoint_last")));
  }

  /// Writes the trained checkpoint as `name`, as another program would.
  void write_plain(
      const std::string& name,
      float factor,
      const std::function<void(Metadata&)>& edit = [](Metadata&) {}) {
    const CheckpointFile file = trained();
    Metadata metadata = file.metadata();
    edit(metadata);
    workspace_.write(name, plain_file(file, metadata, factor));
  }

  CommandResult run(const std::string& arguments) { return workspace_.run(words(arguments)); }
  CommandResult generate(const std::string& path) {
    return workspace_.run(words("generate --cpu --beam 3 --format jsonl --path " + path),
                          workspace_.read("test.en"));
  }

  Workspace workspace_;
};

TEST_F(PlainCheckpoint, TranslatesAsTheOriginalAndReportsThatItHasNoChecksums) {
  write_plain("plain.safetensors", 1);
  const CommandResult original = generate("run/checkpoint_last");
  const CommandResult plain = generate("plain.safetensors");
  ASSERT_EQ(original.exit_code, kExitOk) << original.errors;
  ASSERT_EQ(plain.exit_code, kExitOk) << plain.errors;
  EXPECT_EQ(plain.output, original.output);
  EXPECT_THAT(plain.errors, HasSubstr(kWarning));
  EXPECT_THAT(original.errors, Not(HasSubstr(kWarning)));

  write_plain("edited.safetensors", -3);
  const CommandResult edited = generate("edited.safetensors");
  ASSERT_EQ(edited.exit_code, kExitOk) << edited.errors;
  EXPECT_NE(edited.output, original.output);
}

TEST_F(PlainCheckpoint, IsTakenByTheOtherCommands) {
  write_plain("plain.safetensors", 1);
  for (const char* command :
       {"validate data-bin --path plain.safetensors",
        "average plain.safetensors plain.safetensors --output mean.safetensors",
        "rescore --path plain.safetensors --source test.en --target test.de"}) {
    const CommandResult result = run(command);
    EXPECT_EQ(result.exit_code, kExitOk) << command << "\n" << result.errors;
    EXPECT_THAT(result.errors, HasSubstr(kWarning)) << command;
  }
  const CommandResult inspected = run("inspect plain.safetensors");
  EXPECT_EQ(inspected.exit_code, kExitOk);
  EXPECT_THAT(inspected.output,
              AllOf(HasSubstr("a plain safetensors file, without checksums"),
                    HasSubstr("architecture  transformer")));
}

TEST_F(PlainCheckpoint, ContinuesTrainingFromItsPosition) {
  write_plain("plain.safetensors", 1);
  ASSERT_EQ(workspace_.run(toy_train("run", 70) + words("--threads 1")).exit_code, kExitOk);
  const auto expected = last_tensors(workspace_, "run");
  const CommandResult resumed = workspace_.run(
      toy_train("other", 70) + words("--threads 1 --restore-file ./plain.safetensors"));
  ASSERT_EQ(resumed.exit_code, kExitOk) << resumed.errors;
  EXPECT_THAT(resumed.errors, HasSubstr(kWarning));
  EXPECT_TRUE(last_tensors(workspace_, "other") == expected);
}

TEST_F(PlainCheckpoint, IsRejectedWithoutTheModelsEntriesOrWithBadOnes) {
  write_plain("weights.safetensors", 1, [](Metadata& entries) { entries.clear(); });
  const CommandResult weights = generate("weights.safetensors");
  EXPECT_EQ(weights.exit_code, kExitFormat);
  EXPECT_THAT(weights.errors,
              AllOf(HasSubstr("without the metadata of a phraseq model"),
                    HasSubstr("phraseq replace-tensors")));
  struct BadEntry {
    const char *name, *text, *problem;
  };
  constexpr BadEntry kBad[] = {
      {"architecture", "[1]", "'architecture': a list of 1 entries, expected an object"},
      {"architecture", R"({"name": 3})", "'architecture': name: 3, expected a text"},
      {"architecture",
       R"({"name": "x", "options": {}, "plugin": 1})",
       "'architecture': plugin: 1, expected a text"},
      {"task", "no JSON", "'task': not JSON"},
      {"task_texts", R"({"tokenizer": 3})", "'task_texts': tokenizer: 3, expected a text"},
      {"task_texts", "{}", "bad.safetensors: task_texts do not contain"}};
  for (const BadEntry& entry : kBad) {
    write_plain("bad.safetensors", 1, [&](Metadata& entries) { entries[entry.name] = entry.text; });
    const CommandResult bad = generate("bad.safetensors");
    EXPECT_EQ(bad.exit_code, kExitFormat) << entry.text << "\n" << bad.errors;
    EXPECT_THAT(bad.errors, HasSubstr(entry.problem)) << entry.text;
  }
}

TEST_F(PlainCheckpoint, WithTheEntriesOfItsFormerContentIsDamaged) {
  const std::string bytes = content_of(trained().path());
  // A program changed the tensors, but kept the "phraseq." entries of the header.
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  const auto header = nlohmann::json::parse(bytes.substr(sizeof length, length));
  write_plain("kept.safetensors", 2, [&](Metadata& entries) {
    entries = header["__metadata__"].get<Metadata>();
  });
  const CommandResult kept = generate("kept.safetensors");
  EXPECT_EQ(kept.exit_code, kExitFormat);
  EXPECT_THAT(kept.errors,
              AllOf(HasSubstr("Another program rewrote the file"), HasSubstr("replace-tensors")));
}

TEST_F(PlainCheckpoint, TheTensorsOfOneGoIntoACheckpointWithChecksums) {
  write_plain("edited.safetensors", -3);
  const CommandResult replaced =
      run("replace-tensors run edited.safetensors --output sealed.safetensors");
  ASSERT_EQ(replaced.exit_code, kExitOk) << replaced.errors;
  EXPECT_THAT(replaced.errors, HasSubstr("tensors replaced: 1,"));
  const CommandResult sealed = generate("sealed.safetensors");
  ASSERT_EQ(sealed.exit_code, kExitOk) << sealed.errors;
  EXPECT_THAT(sealed.errors, Not(HasSubstr(kWarning)));
  EXPECT_EQ(sealed.output, generate("edited.safetensors").output);

  const CommandResult rejected =
      run("replace-tensors run data-bin/dict.en.txt --output other.safetensors");
  EXPECT_EQ(rejected.exit_code, kExitFormat);
  EXPECT_FALSE(workspace_.exists("other.safetensors"));
}

}  // namespace
}  // namespace phraseq::end_to_end
