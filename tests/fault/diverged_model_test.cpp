// A model with a parameter that is NaN: every command that computes with it reports that.

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/checkpoint/checkpoint_writer.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

using ::testing::HasSubstr;

class DivergedModel : public ::testing::TestWithParam<float> {
 protected:
  DivergedModel() {
    write_toy_corpus(workspace_);
    EXPECT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
    EXPECT_EQ(workspace_.run(toy_train("run", 2)).exit_code, kExitOk);
    spoil_one_value();
  }

  /// Writes the checkpoint with NaN in one value of one parameter and valid checksums.
  void spoil_one_value() {
    const std::string pointer = workspace_.read("run/checkpoint_last");
    const std::string name = pointer.substr(0, pointer.find_first_of(" \n"));
    const auto file = CheckpointFile::open(workspace_.path("run/" + name));
    std::vector<TensorView> tensors = file.tensors();
    std::vector<std::byte> bytes;
    for (TensorView& tensor : tensors) {
      if (tensor.name.starts_with("optimizer.") || tensor.dtype != DType::kF32 || !bytes.empty())
        continue;
      bytes.assign(tensor.bytes.begin(), tensor.bytes.end());
      const float value = GetParam();
      std::memcpy(bytes.data() + bytes.size() - sizeof value, &value, sizeof value);
      tensor.bytes = bytes;
    }
    ASSERT_FALSE(bytes.empty());
    write_checkpoint(workspace_.path("nan"), file.metadata(), tensors);
  }

  Workspace workspace_;
};

TEST_P(DivergedModel, EndsEveryCommandThatComputesWithIt) {
  const std::vector<Arguments> commands = {
      words("generate --path nan --input test.en"),
      words("interactive --path nan --input test.en"),
      words("rescore --path nan --source test.en --target test.de"),
      words("rescore --path nan --source test.en --target test.de --format jsonl"),
      words("validate data-bin --path nan"),
      words("validate data-bin --path nan --format json"),
      words("analyze dump --path nan --source test.en --target test.de --output dump"),
      words("average nan nan --output mean"),
      words("export nan exported --format ctranslate2"),
      words("export nan exported --format onnx"),
      toy_train("other", 3) + words("--finetune-from-model nan"),
      toy_train("other", 3) + Arguments{"--restore-file", workspace_.path("nan")},
  };
  for (const Arguments& command : commands) {
    const CommandResult result = workspace_.run(command);
    EXPECT_EQ(result.exit_code, kExitDivergence)
        << ::testing::PrintToString(command) << result.output << result.errors;
    EXPECT_THAT(result.errors, HasSubstr("not finite"));
    EXPECT_EQ(result.output, "");
  }
  EXPECT_FALSE(workspace_.exists("mean"));
  EXPECT_FALSE(workspace_.exists("exported"));
}

INSTANTIATE_TEST_SUITE_P(Values,
                         DivergedModel,
                         ::testing::Values(std::numeric_limits<float>::quiet_NaN(),
                                           std::numeric_limits<float>::infinity()));

}  // namespace
}  // namespace phraseq::end_to_end
