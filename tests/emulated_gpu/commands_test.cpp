// The commands on the emulated GPU: their results, and how often the host waits.

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/training_run.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class CommandsOnTheEmulatedGpu : public ::testing::Test {
 protected:
  CommandsOnTheEmulatedGpu() {
    write_toy_corpus(workspace_);
    EXPECT_EQ(workspace_.run(toy_preprocess() + words("--joined-dictionary")).exit_code, kExitOk);
    setenv("LD_PRELOAD", EMULATED_GPU_LIBRARY, 1);
    setenv("PHRASEQ_EMULATED_GPU_WAITS", workspace_.path("waits").c_str(), 1);
  }
  ~CommandsOnTheEmulatedGpu() override {
    unsetenv("LD_PRELOAD");
    unsetenv("PHRASEQ_EMULATED_GPU_WAITS");
    unsetenv("PHRASEQ_EMULATED_GPU_MB");
    for (const char* const name : {"PHRASEQ_CUDA_KERNELS",
                                   "PHRASEQ_NVRTC",
                                   "PHRASEQ_CUDA_CACHE",
                                   "PHRASEQ_FAKE_CUDA_LAUNCHES"})
      unsetenv(name);
  }

  CommandResult run(const std::string& command) { return workspace_.run(words(command)); }
  CommandResult train(const std::string& save_dir, int updates, const std::string& more) {
    return workspace_.run(toy_train(save_dir, updates) + words("--threads 1 " + more));
  }
  double last_loss(const std::string& save_dir) const {
    return std::stod(losses(workspace_, save_dir).rbegin()->second);
  }
  /// From now on, uses the CUDA kernels with the driver of tests/fake_cuda.
  void use_kernels() const {
    const std::string build = PHRASEQ_BUILD_FOLDER "/tests/";
    const std::string driver = build + "fake_cuda/libcuda.so.1";
    setenv("LD_PRELOAD", (std::string(EMULATED_GPU_LIBRARY) + ":" + driver).c_str(), 1);
    setenv("PHRASEQ_NVRTC", (build + "fake_nvrtc/libnvrtc.so.97").c_str(), 1);
    setenv("PHRASEQ_CUDA_CACHE", workspace_.path("kernels").c_str(), 1);
    setenv("PHRASEQ_FAKE_CUDA_LAUNCHES", workspace_.path("launches").c_str(), 1);
  }
  /// The number of waits since the last call, for any reason.
  int64_t waits() const {
    const auto lines = lines_of(workspace_.read("waits"));
    workspace_.write("waits", "");
    return static_cast<int64_t>(lines.size());
  }
  /// The waits of `updates` updates in one epoch, after which one checkpoint is saved.
  int64_t waits_of_training(int updates,
                            const std::string& preset,
                            const std::string& data = "data-bin") {
    const auto result = run("train " + data +
                            " --max-tokens 30 --log-interval 1000 --disable-validation --no-plot "
                            "--threads 1 --save-dir ck" +
                            std::to_string(updates) + " --max-update " + std::to_string(updates) +
                            " --arch " + preset);
    EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
    EXPECT_THAT(result.errors, HasSubstr(" on cuda:0"));
    return waits();
  }
  std::string translation(const std::string& more) {
    const auto result = workspace_.run(words("generate --path ck/checkpoint_last " + more),
                                       workspace_.read("test.en"));
    EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
    return result.output;
  }

  Workspace workspace_;
};

/// One head has 32 columns, the size for which tests/fake_cuda has attention kernels.
const std::string kOneHead = "--encoder-attention-heads 1 --decoder-attention-heads 1 ";

TEST_F(CommandsOnTheEmulatedGpu, TrainAsTheCpuDoes) {
  for (const std::string more : {"", "--bf16", "--update-freq 2 --optimizer adafactor"}) {
    ASSERT_EQ(train("gpu", 25, more + " --log-interval 1").exit_code, kExitOk) << more;
    ASSERT_EQ(train("cpu", 25, more + " --log-interval 1 --cpu").exit_code, kExitOk) << more;
    EXPECT_NEAR(last_loss("gpu"), last_loss("cpu"), 0.02 * last_loss("cpu")) << more;
    ASSERT_EQ(
        std::system(("rm -r " + workspace_.path("gpu") + " " + workspace_.path("cpu")).c_str()), 0);
  }
}

TEST_F(CommandsOnTheEmulatedGpu, ResumeWithTheSameBits) {
  for (const std::string more : {"", "--bf16 --deterministic", "--fp16 --fp16-scale-window 3"}) {
    ASSERT_EQ(train("whole" + more.substr(0, 6), 14, more).exit_code, kExitOk);
    ASSERT_EQ(train("parts" + more.substr(0, 6), 6, more).exit_code, kExitOk);
    ASSERT_EQ(train("parts" + more.substr(0, 6), 14, more).exit_code, kExitOk);
    EXPECT_EQ(last_tensors(workspace_, "parts" + more.substr(0, 6)),
              last_tensors(workspace_, "whole" + more.substr(0, 6)));
  }
}

TEST_F(CommandsOnTheEmulatedGpu, TrainWithKernelsAsWithOperators) {
  const std::string some =
      kOneHead + "--log-interval 1 --dropout 0.2 --activation-dropout 0.1 --attention-dropout 0.1 ";
  const std::vector<std::string> precisions = {"--precision fp32", "--bf16", "--fp16"};
  for (const std::string& precision : precisions) {
    const auto result = train("operators" + precision.substr(2, 4), 25, some + precision);
    ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  }
  use_kernels();
  for (const std::string& precision : precisions) {
    SCOPED_TRACE(precision);
    const std::string folder = precision.substr(2, 4);
    const auto result = train("kernels" + folder, 25, some + precision);
    ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
    const double expected = last_loss("operators" + folder);
    EXPECT_NEAR(last_loss("kernels" + folder), expected, 0.02 * expected);
  }
  const auto launches = lines_of(workspace_.read("launches"));
  for (const char* const kernel : {"adam",
                                   "relu_dropout",
                                   "relu_dropout_backward",
                                   "dropout_add_norm",
                                   "dropout_add_norm_backward",
                                   "embed",
                                   "embed_backward",
                                   "cross_entropy",
                                   "attention_of_sentences",
                                   "attention_backward_of_sentences"})
    EXPECT_THAT(launches, Contains(kernel));
}

TEST_F(CommandsOnTheEmulatedGpu, ResumeWithTheSameBitsWithKernels) {
  use_kernels();
  const std::string more = kOneHead + "--bf16 --dropout 0.2";
  for (const auto& [folder, updates] : {std::pair("whole", 14), {"parts", 6}, {"parts", 14}}) {
    const auto result = train(folder, updates, more);
    ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  }
  EXPECT_EQ(last_tensors(workspace_, "parts"), last_tensors(workspace_, "whole"));
}

/// Heads of these presets have 32 columns, too.
TEST_F(CommandsOnTheEmulatedGpu, TrainPhraseModelsWithKernelsAsWithOperators) {
  const std::string some =
      "train data-bin --bf16 --max-tokens 100 --max-update 4 --log-interval 1 "
      "--attention-dropout 0.1 --no-plot --threads 1 --arch ";
  const std::vector<std::string> presets = {"phrasal_tiny_interleaved_convkv_12",
                                            "phrase_transformer_tiny_3"};
  for (const std::string& preset : presets)
    ASSERT_EQ(run(some + preset + " --save-dir operators-" + preset).exit_code, kExitOk);
  use_kernels();
  for (const std::string& preset : presets) {
    SCOPED_TRACE(preset);
    ASSERT_EQ(run(some + preset + " --save-dir kernels-" + preset).exit_code, kExitOk);
    const double expected = last_loss("operators-" + preset);
    EXPECT_NEAR(last_loss("kernels-" + preset), expected, 0.01 * expected);
  }
  const auto launches = lines_of(workspace_.read("launches"));
  for (const char* const kernel : {"grouped_attention_backward_queries",
                                   "grouped_attention_backward_keys",
                                   "spread_windows",
                                   "lstm_step_backward"})
    EXPECT_THAT(launches, Contains(kernel));
}

TEST_F(CommandsOnTheEmulatedGpu, DoNotWaitInAnUpdateWithKernels) {
  use_kernels();
  for (const std::string preset : {"transformer_tiny", "phrasal_tiny_interleaved_queryk_12"}) {
    SCOPED_TRACE(preset);
    const int64_t few = waits_of_training(2, preset + " --bf16");
    EXPECT_EQ(waits_of_training(5, preset + " --bf16"), few);
    ASSERT_EQ(
        std::system(("rm -r " + workspace_.path("ck2") + " " + workspace_.path("ck5")).c_str()), 0);
  }
}

TEST_F(CommandsOnTheEmulatedGpu, TrainInTwoProcessesAsInOne) {
  const std::string more = "--disable-validation --max-tokens 100 ";
  const auto two = train("two", 6, more + "--nproc-per-node 2");
  ASSERT_EQ(two.exit_code, kExitOk) << two.errors;
  ASSERT_EQ(train("one", 6, more + "--update-freq 2").exit_code, kExitOk);
  EXPECT_EQ(losses(workspace_, "two"), losses(workspace_, "one"));
  EXPECT_EQ(last_tensors(workspace_, "two"), last_tensors(workspace_, "one"));
}

/// The sums have another order, because gradients of an embedding are added to the flat gradients.
TEST_F(CommandsOnTheEmulatedGpu, TrainInTwoProcessesAsInOneWithKernels) {
  use_kernels();
  const std::string more = "--disable-validation --max-tokens 100 ";
  const auto two = train("two", 6, more + "--nproc-per-node 2");
  ASSERT_EQ(two.exit_code, kExitOk) << two.errors;
  ASSERT_EQ(train("one", 6, more + "--update-freq 2").exit_code, kExitOk);
  EXPECT_NEAR(last_loss("two"), last_loss("one"), 1e-6);
}

class UpdatesOnTheEmulatedGpu : public CommandsOnTheEmulatedGpu,
                                public ::testing::WithParamInterface<const char*> {};

/// An update is settled while the next one is running, and no model reads from the GPU.
TEST_P(UpdatesOnTheEmulatedGpu, DoNotWait) {
  const int64_t few = waits_of_training(4, GetParam());
  EXPECT_GT(few, 0);  // one checkpoint is saved
  EXPECT_EQ(waits_of_training(10, GetParam()), few);
}

INSTANTIATE_TEST_SUITE_P(Presets,
                         UpdatesOnTheEmulatedGpu,
                         ::testing::Values("transformer_tiny",
                                           "transformer_tiny --bf16",
                                           "phrase_rep_tiny",
                                           "phrasal_tiny_homogeneous_convkv_22",
                                           "phrasal_tiny_interleaved_queryk_12",
                                           "phrase_transformer_tiny_2_3",
                                           "ssru_transformer_tiny",
                                           "rnnsearch_tiny"));

TEST_F(CommandsOnTheEmulatedGpu, DoNotWaitInAnUpdateWithAPhraseMemory) {
  workspace_.write("table",
                   "seven ||| sieben ||| numbers ||| 1 ||| 1\n"
                   "one two ||| eins zwei ||| numbers ||| 1 ||| 1\n");
  const auto preprocess = workspace_.run(
      words("preprocess -s en -t de --trainpref train --validpref dev --destdir data-phrases "
            "--phrase-table table --pn-slots 3"));
  ASSERT_EQ(preprocess.exit_code, kExitOk) << preprocess.errors;
  const std::string preset =
      "phrasenet_tiny_gate --task translation_with_phrase_memory --criterion phrase_mixture";
  const int64_t few = waits_of_training(4, preset, "data-phrases");
  EXPECT_EQ(waits_of_training(10, preset, "data-phrases"), few);
}

TEST_F(CommandsOnTheEmulatedGpu, TranslateAndScoreAsTheCpuDoes) {
  ASSERT_EQ(train("ck", 60, "").exit_code, kExitOk);
  for (const std::string more : {"--beam 4",
                                 "--beam 1",
                                 "--beam 3 --no-repeat-ngram-size 2 --min-len 3",
                                 "--sampling --sampling-topk 3 --seed 5",
                                 "--diverse-beam-groups 2 --beam 4"}) {
    SCOPED_TRACE(more);
    EXPECT_EQ(translation(more), translation(more + " --cpu"));
  }
  const std::string scores = "rescore --path ck/checkpoint_last --source test.en --target test.de";
  const auto on_gpu = lines_of(run(scores).output),
             on_cpu = lines_of(run(scores + " --cpu").output);
  ASSERT_EQ(on_gpu.size(), on_cpu.size());
  for (size_t i = 0; i < on_gpu.size(); ++i)
    EXPECT_NEAR(std::stod(on_gpu[i]), std::stod(on_cpu[i]), 1e-3);
}

/// Steps have many rows or few, and one batch or several run at a time.
TEST_F(CommandsOnTheEmulatedGpu, TranslateWithKernelsAsTheCpuDoes) {
  ASSERT_EQ(train("ck", 60, kOneHead).exit_code, kExitOk);
  use_kernels();
  for (const std::string more : {"--beam 4",
                                 "--beam 1 --batch-size 3",
                                 "--beam 4 --batch-size 1",
                                 "--beam 4 --batch-size 2 --workers 3 --threads 1",
                                 "--beam 3 --no-repeat-ngram-size 2 --min-len 20",
                                 "--sampling --sampling-topk 3 --seed 5",
                                 "--diverse-beam-groups 2 --beam 4"}) {
    SCOPED_TRACE(more);
    EXPECT_EQ(translation(more), translation(more + " --cpu"));
  }
  const auto launches = lines_of(workspace_.read("launches"));
  for (const char* const kernel :
       {"attend_to_past", "best_columns", "few_rows_product", "dropout_add_norm", "embed"})
    EXPECT_THAT(launches, Contains(kernel));
}

/// --batch-size 30 makes one batch of all sentences.
TEST_F(CommandsOnTheEmulatedGpu, WaitAboutOncePerStepOfASearch) {
  ASSERT_EQ(train("ck", 60, "").exit_code, kExitOk);
  waits();
  translation("--beam 4 --batch-size 30 --max-len-a 0 --max-len-b 2 --min-len 2");
  const int64_t short_search = waits();
  translation("--beam 4 --batch-size 30 --max-len-a 0 --max-len-b 12 --min-len 12");
  EXPECT_LE(waits() - short_search, 10 + 2);
}

TEST_F(CommandsOnTheEmulatedGpu, DivideABatchThatDoesNotFit) {
  setenv("PHRASEQ_EMULATED_GPU_MB", "3", 1);
  const auto result = train("ck", 3, "--max-tokens 4000 --disable-validation");
  EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("--max-tokens"));
}

}  // namespace
}  // namespace phraseq::end_to_end
