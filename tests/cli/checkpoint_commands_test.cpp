// phraseq inspect, average and import as a user runs them.

#include <cstdlib>
#include <filesystem>
#include <tuple>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "tests/core/checkpoint/checkpoint_test_files.h"
#include "tests/support/file_content.h"
#include "tests/support/shell.h"

namespace phraseq {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::shell;
using testing::small_value;
using ::testing::StartsWith;
using testing::write_bytes;
using testing::write_small;

class Command : public ::testing::Test {
 protected:
  /// Runs "phraseq-" and `arguments` in the folder.
  Outcome run(const std::string& arguments) const {
    const std::string line =
        "cd " + folder.path() + " && " PHRASEQ_BUILD_FOLDER "/bin/phraseq-" + arguments + " 2>&1";
    return shell(line);
  }

  TemporaryFolder folder;
};

TEST_F(Command, InspectShowsAFileAPointerAndAFolder) {
  {
    CheckpointFolder run_folder(folder.path());
    write_small(run_folder.epoch_path(1), 1);
    run_folder.point(kLastPointer, run_folder.epoch_path(1));
  }
  const Outcome of_file = run("inspect checkpoint1.safetensors");
  EXPECT_EQ(of_file.code, kExitOk);
  EXPECT_THAT(of_file.text,
              AllOf(StartsWith("file          checkpoint1.safetensors\n"),
                    HasSubstr("parameters    3 in 1 tensor, 12 bytes\n")));
  EXPECT_EQ(run("inspect checkpoint_last").text, of_file.text);
  EXPECT_THAT(run("inspect .").text, HasSubstr("parameters    3 in 1 tensor"));
  const json report = json::parse(run("inspect checkpoint1.safetensors --json").text);
  EXPECT_EQ(report["tensors"][0]["name"], "weight");
}

TEST_F(Command, InspectFindsDamageAndReportsWhere) {
  write_small(folder.file("x"), 1);
  std::string bytes = content_of(folder.file("x"));
  bytes.back() = static_cast<char>(bytes.back() ^ 4);
  write_bytes(folder.file("x"), bytes);
  const Outcome outcome = run("inspect x");
  EXPECT_EQ(outcome.code, kExitFormat);
  EXPECT_THAT(outcome.text,
              StartsWith("phraseq inspect: error: x: tensor \"weight\" has the checksum"));
}

TEST_F(Command, InspectOfNothingIsAnIoError) {
  const Outcome outcome = run("inspect nowhere");
  EXPECT_EQ(outcome.code, kExitIo);
  EXPECT_THAT(outcome.text, HasSubstr("nowhere: cannot open: No such file or directory"));
}

TEST_F(Command, AverageTakesFilesOrTheLastOfAFolder) {
  for (int epoch = 1; epoch <= 4; ++epoch) {
    write_small(folder.file("checkpoint" + std::to_string(epoch) + ".safetensors"),
                static_cast<float>(epoch));
  }
  EXPECT_EQ(run("average checkpoint1.safetensors checkpoint4.safetensors --output a").code,
            kExitOk);
  EXPECT_EQ(small_value(folder.file("a")), 2.5F);
  EXPECT_EQ(run("average --inputs checkpoint1.safetensors checkpoint3.safetensors --output b").code,
            kExitOk);
  EXPECT_EQ(small_value(folder.file("b")), 2.0F);
  EXPECT_EQ(run("average . --num-epoch-checkpoints 3 --output c").code, kExitOk);
  EXPECT_EQ(small_value(folder.file("c")), 3.0F);
  EXPECT_EQ(run("average . --num-epoch-checkpoints 2 --checkpoint-upper-bound 3 --output d").code,
            kExitOk);
  EXPECT_EQ(small_value(folder.file("d")), 2.5F);
}

TEST_F(Command, AverageReportsAllProblemsAndWritesNothing) {
  write_small(folder.file("checkpoint1.safetensors"), 1);
  const Outcome outcome =
      run("average a b --num-epoch-checkpoints 1 --num-best-checkpoints 1 --output x");
  EXPECT_EQ(outcome.code, kExitUsage);
  EXPECT_THAT(outcome.text,
              AllOf(HasSubstr("at most one of the options --num-…-checkpoints can be given"),
                    HasSubstr("takes exactly one folder as input")));
  EXPECT_EQ(run("average . --num-epoch-checkpoints 2 --output x").code, kExitUsage);
  EXPECT_EQ(run("average checkpoint1.safetensors").code, kExitUsage);
  EXPECT_THAT(run("average . --output x").text,
              HasSubstr("a folder needs one of the options --num-…-checkpoints"));
  EXPECT_THAT(run("average . --num-epoch-checkpoints 1 --metric bleu --output x").text,
              HasSubstr("--metric needs --num-best-checkpoints"));
  EXPECT_THAT(
      run("average . --num-epoch-checkpoints 1 --maximize-best-checkpoint-metric --output x").text,
      HasSubstr("--maximize-best-checkpoint-metric needs --num-best-checkpoints"));
  EXPECT_THAT(folder.names(), ElementsAre("checkpoint1.safetensors"));
}

TEST_F(Command, AverageKeepsThePointersOfATraining) {
  {
    CheckpointFolder run_folder(folder.path());
    write_small(run_folder.epoch_path(1), 1);
    run_folder.point(kBestPointer, run_folder.epoch_path(1));
  }
  const std::string pointer = content_of(folder.file("checkpoint_best"));
  const Outcome outcome = run("average . --num-epoch-checkpoints 1 --output checkpoint_best");
  EXPECT_EQ(outcome.code, kExitUsage);
  EXPECT_THAT(outcome.text, HasSubstr("checkpoint_best: is a pointer of a training run"));
  EXPECT_EQ(content_of(folder.file("checkpoint_best")), pointer);
}

TEST_F(Command, AverageWritesToADeviceAsToAFile) {
  write_small(folder.file("x.safetensors"), 1);
  EXPECT_EQ(run("average x.safetensors --output /dev/null").code, kExitOk);
  const Outcome full = run("average x.safetensors --output /dev/full");
  EXPECT_EQ(full.code, kExitIo);
  EXPECT_THAT(full.text, HasSubstr("/dev/full: cannot write: No space left on device"));
}

TEST_F(Command, AverageDoesNotWriteToStandardOutput) {
  write_small(folder.file("x.safetensors"), 1);
  const Outcome outcome = run("average x.safetensors --output -");
  EXPECT_EQ(outcome.code, kExitUsage);
  EXPECT_THAT(outcome.text, HasSubstr("a checkpoint cannot be written to standard output"));
}

TEST_F(Command, ImportMakesATranslatorOfFairseqsModel) {
  const char* variable = std::getenv("PHRASEQ_DATA");
  if (variable == nullptr)
    GTEST_SKIP() << "PHRASEQ_DATA is not set";
  const std::string data = std::string(variable) + "/fairseq/";
  const std::string model =
      data + "model.safetensors " + data + "options.json " + data + "data-bin ";
  const Outcome outcome = run("import fairseq " + model + "--sentencepiece " + data +
                              "spm10k.model --output x.safetensors");
  ASSERT_EQ(outcome.code, kExitOk) << outcome.text;

  const auto weights = CheckpointFile::open(data + "model.safetensors");
  const auto imported = CheckpointFile::open(folder.file("x.safetensors"));
  for (const auto& tensor : weights.tensors()) {
    ASSERT_NE(imported.find(tensor.name), nullptr) << tensor.name;
    EXPECT_TRUE(std::ranges::equal(imported.find(tensor.name)->bytes, tensor.bytes)) << tensor.name;
  }
  const json texts = json::parse(imported.metadata("task_texts"));
  EXPECT_EQ(texts["source_language"], "en");
  EXPECT_EQ(texts["target_language"], "de");
  EXPECT_EQ(texts["joined_dictionary"], "yes");
  EXPECT_EQ(texts["source_dictionary"], content_of(data + "data-bin/dict.en.txt"));
  EXPECT_FALSE(texts.contains("target_dictionary"));
  EXPECT_EQ(texts["tokenizer"], "sentencepiece");
  EXPECT_EQ(texts["tokenizer_options"], "{}");
  const auto blob = imported.find("blob.source_tokenizer")->bytes;
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(blob.data()), blob.size()),
            content_of(data + "spm10k.model"));
}

TEST_F(Command, ImportReadsTheCheckpointThatFairseqWrote) {
  const char* variable = std::getenv("PHRASEQ_DATA");
  if (variable == nullptr)
    GTEST_SKIP() << "PHRASEQ_DATA is not set";
  const std::string data = std::string(variable) + "/fairseq/";
  Outcome outcome = run("import " + data + "model.pt x.safetensors");
  ASSERT_EQ(outcome.code, kExitOk) << outcome.text;
  outcome = run("import fairseq " + data + "model.safetensors " + data + "options.json " + data +
                "data-bin --output y.safetensors");
  ASSERT_EQ(outcome.code, kExitOk) << outcome.text;

  // The model whose translations tests/end_to_end/fairseq_parity_test.cpp compares with fairseq's.
  const auto read = CheckpointFile::open(folder.file("x.safetensors"));
  const auto expected = CheckpointFile::open(folder.file("y.safetensors"));
  for (const char* entry : {"architecture", "task", "task_texts"})
    EXPECT_EQ(read.metadata(entry), expected.metadata(entry)) << entry;
  ASSERT_EQ(read.tensors().size(), expected.tensors().size());
  for (const auto& tensor : expected.tensors())
    EXPECT_TRUE(std::ranges::equal(read.find(tensor.name)->bytes, tensor.bytes)) << tensor.name;
}

TEST_F(Command, ImportOfADamagedOrHostileFileWritesNothing) {
  const std::string golden = PHRASEQ_SOURCE_FOLDER "/tests/golden/torch_files/";
  const std::string whole = content_of(golden + "fairseq_cfg.pt");
  write_bytes(folder.file("cut.pt"), whole.substr(0, whole.size() / 2));
  write_bytes(folder.file("call.pt"),
              "\x80\x02"
              "cos\nsystem\nX\x07" +
                  std::string(3, '\0') + "touch x\x85R.");
  for (const auto& [file, problem] :
       {std::pair("cut.pt", "ZIP archive"), {"call.pt", "os.system"}}) {
    const Outcome outcome =
        run(std::string("import ") + file + " out.safetensors --data " + golden);
    EXPECT_EQ(outcome.code, kExitFormat) << outcome.text;
    EXPECT_THAT(outcome.text, HasSubstr(problem));
  }
  EXPECT_THAT(folder.names(), ::testing::UnorderedElementsAre("call.pt", "cut.pt"));
}

TEST_F(Command, ImportKeepsItsInputsAndThePointersOfATraining) {
  const std::string golden = PHRASEQ_SOURCE_FOLDER "/tests/golden/";
  const std::string model = content_of(golden + "torch_files/fairseq_cfg.pt");
  write_bytes(folder.file("m.pt"), model);
  Outcome outcome = run("import m.pt m.pt --data " + golden + "torch_files");
  EXPECT_EQ(outcome.code, kExitUsage);
  EXPECT_THAT(outcome.text, HasSubstr("m.pt: is one of the inputs"));
  EXPECT_EQ(content_of(folder.file("m.pt")), model);

  std::filesystem::copy(golden + "hf_marian", folder.file("hf"));
  outcome = run("import hf hf/model.safetensors");
  EXPECT_EQ(outcome.code, kExitUsage);
  EXPECT_THAT(outcome.text, HasSubstr("hf/model.safetensors: is one of the inputs"));
  EXPECT_EQ(content_of(folder.file("hf/model.safetensors")),
            content_of(golden + "hf_marian/model.safetensors"));

  for (const std::string part :
       {"model.safetensors", "model-00001-of-00002.safetensors", "model.safetensors.index.json"}) {
    outcome = run("import hf/" + part + " imported");
    EXPECT_EQ(outcome.code, kExitUsage);
    EXPECT_THAT(outcome.text, HasSubstr("hf/" + part + ": is only a part of a model"));
    EXPECT_THAT(outcome.text, HasSubstr("Give the folder 'hf'."));
  }

  {
    CheckpointFolder run_folder(folder.path());
    write_small(run_folder.epoch_path(1), 1);
    run_folder.point(kBestPointer, run_folder.epoch_path(1));
  }
  outcome = run("import m.pt checkpoint_best --data " + golden + "torch_files");
  EXPECT_EQ(outcome.code, kExitUsage);
  EXPECT_THAT(outcome.text, HasSubstr("checkpoint_best: is a pointer of a training run"));
}

TEST_F(Command, ImportRejectsOptionsThatTheToolkitsModelsDoNotUse) {
  const std::string golden = PHRASEQ_SOURCE_FOLDER "/tests/golden/";
  for (const auto& [model, option, toolkit] :
       {std::tuple("hf_marian", "sentencepiece", "hf"),
        {"hf_marian", "vocabs", "hf"},
        {"ctranslate2", "data", "ctranslate2"},
        {"torch_files/fairseq_cfg.pt", "vocabs", "fairseq"}}) {
    const Outcome outcome =
        run(fmt::format("import {}{} x.safetensors -s a -t b --{} y", golden, model, option));
    EXPECT_EQ(outcome.code, kExitUsage) << outcome.text;
    EXPECT_THAT(outcome.text,
                HasSubstr(fmt::format("--{} is not used for a model of {}", option, toolkit)));
  }
  EXPECT_FALSE(std::filesystem::exists(folder.file("x.safetensors")));
}

TEST_F(Command, ImportNamesWhatIsMissingOrTooMuch) {
  Outcome outcome = run("import m.pt");
  EXPECT_EQ(outcome.code, kExitUsage);
  EXPECT_THAT(outcome.text, HasSubstr("the checkpoint to write is missing"));
  outcome = run("import m.pt x y");
  EXPECT_EQ(outcome.code, kExitUsage);
  EXPECT_THAT(outcome.text, HasSubstr("unexpected argument 'y'"));
  outcome = run("import fairseq w.safetensors --output x");
  EXPECT_EQ(outcome.code, kExitUsage);
  EXPECT_THAT(outcome.text, HasSubstr("OPTIONS and DATA-BIN are missing"));
}

TEST_F(Command, ImportOfAFolderWithoutAModelSaysWhatItLooksFor) {
  std::filesystem::create_directory(folder.file("data"));
  const Outcome outcome = run("import data out.safetensors");
  EXPECT_EQ(outcome.code, kExitUsage);
  EXPECT_THAT(outcome.text,
              AllOf(HasSubstr("data: the folder contains no model: expected config.json"),
                    HasSubstr("give its .pt file")));
}

TEST_F(Command, ImportRejectsBeforeItWrites) {
  const char* variable = std::getenv("PHRASEQ_DATA");
  if (variable == nullptr)
    GTEST_SKIP() << "PHRASEQ_DATA is not set";
  const std::string data = std::string(variable) + "/fairseq/";
  json options = json::parse(content_of(data + "options.json"));
  options["quant_noise_pq"] = 0.2;
  write_bytes(folder.file("options.json"), options.dump());
  Outcome outcome = run("import fairseq " + data + "model.safetensors options.json " + data +
                        "data-bin --output x");
  EXPECT_EQ(outcome.code, kExitUsage);
  EXPECT_THAT(outcome.text, HasSubstr("quant_noise_pq = 0.2"));

  outcome = run("import fairseq " + data + "model.pt " + data + "options.json " + data +
                "data-bin --output x");
  EXPECT_EQ(outcome.code, kExitFormat);
  EXPECT_THAT(outcome.text, HasSubstr(".pt, .ckpt or .npz file of another toolkit"));
  EXPECT_THAT(folder.names(), ElementsAre("options.json"));
}

}  // namespace
}  // namespace phraseq
