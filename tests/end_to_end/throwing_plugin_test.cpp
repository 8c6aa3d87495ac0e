// An exception of a plugin at work always names the plugin. The exit code is 1 for components that
// compute (architecture, criterion, decoder) and 5 for the others.

#include <algorithm>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/training_run.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ThrowingPlugin : public ::testing::Test {
 protected:
  ThrowingPlugin() {
    write_toy_corpus(workspace_);
    EXPECT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
  }

  CommandResult train(const std::string& options) {
    return workspace_.run(toy_train("run", 2) + Arguments{"--plugin-dir", THROWING_PLUGIN_FOLDER} +
                          words(options));
  }
  /// Trains with another schedule than that of the toy trainings.
  CommandResult train_with_schedule(const std::string& name, int updates) {
    Arguments arguments = toy_train("run", updates);
    const auto warmup = std::find(arguments.begin(), arguments.end(), "--warmup-updates");
    if (warmup != arguments.end())
      arguments.erase(warmup, warmup + 2);  // an option of the replaced schedule
    return workspace_.run(arguments + Arguments{"--plugin-dir", THROWING_PLUGIN_FOLDER} +
                          Arguments{"--lr-scheduler", name});
  }
  CommandResult generate(const std::string& options) {
    return workspace_.run(words("generate --path run") +
                              Arguments{"--plugin-dir", THROWING_PLUGIN_FOLDER} + words(options),
                          "one two\n");
  }

  /// Expects that the message names the plugin, its file, the component and its mistake.
  static void expect_named(const CommandResult& result,
                           const std::string& what,
                           int exit_code = kExitBug) {
    EXPECT_EQ(result.exit_code, exit_code) << result.errors;
    EXPECT_THAT(
        result.errors,
        AllOf(HasSubstr("plugin 'throwing' (" THROWING_PLUGIN_FOLDER "/libphraseq-throwing.so)"),
              HasSubstr(what),
              HasSubstr("report it to its author")));
  }

  Workspace workspace_;
};

/// There is only memory for 60 tokens, but batches have up to 400.
TEST_F(ThrowingPlugin, WithoutMemoryForABatchTrainsOnItInParts) {
  const std::string options = "--arch throwing --dropout 0 --max-update 5 --disable-validation ";
  const auto whole = train(options + "--save-dir whole");
  const auto divided =
      train(options + "--save-dir divided --throw-in forward --thrown memory --throw-above 60");
  ASSERT_EQ(whole.exit_code, kExitOk) << whole.errors;
  ASSERT_EQ(divided.exit_code, kExitOk) << divided.errors;
  EXPECT_THAT(divided.errors,
              AllOf(HasSubstr("divided a batch because of insufficient memory ("),
                    HasSubstr("reduce --max-tokens"),
                    Not(HasSubstr("skipped"))));
  const auto expected = losses(workspace_, "whole"), found = losses(workspace_, "divided");
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [update, loss] : expected)
    EXPECT_NEAR(std::stod(found.at(update)), std::stod(loss), 1e-4) << update;
}

/// The gradients of the last layers are already being sent to the other process when memory runs
/// out.
TEST_F(ThrowingPlugin, WithoutMemoryInTheBackwardPassSumsTheGradientsAgain) {
  const std::string options =
      "--arch throwing --max-update 5 --disable-validation --max-tokens 110 --threads 1 "
      "--throw-in backward --thrown memory --throw-above 60 --bucket-cap-mb 0.005 "
      "--nproc-per-node 2 ";
  const auto afterwards = train(options + "--save-dir afterwards --no-overlap");
  const auto overlapped = train(options + "--save-dir overlapped");
  ASSERT_EQ(afterwards.exit_code, kExitOk) << afterwards.errors;
  ASSERT_EQ(overlapped.exit_code, kExitOk) << overlapped.errors;
  EXPECT_THAT(overlapped.errors, HasSubstr("divided a batch because of insufficient memory ("));
  EXPECT_EQ(losses(workspace_, "overlapped"), losses(workspace_, "afterwards"));
  EXPECT_EQ(last_tensors(workspace_, "overlapped"), last_tensors(workspace_, "afterwards"));
}

/// The second share has fewer sentences, so sometimes only the first is too large.
TEST_F(ThrowingPlugin, WithoutMemoryForOneShareDividesThatOne) {
  const std::string options =
      "--arch throwing --dropout 0 --max-update 5 --disable-validation --threads 2 "
      "--batch-shares 2 ";
  const auto whole = train(options + "--save-dir whole");
  const auto divided =
      train(options + "--save-dir divided --throw-in forward --thrown memory --throw-above 150");
  ASSERT_EQ(whole.exit_code, kExitOk) << whole.errors;
  ASSERT_EQ(divided.exit_code, kExitOk) << divided.errors;
  EXPECT_THAT(divided.errors,
              AllOf(HasSubstr("divided a batch because of insufficient memory ("),
                    Not(HasSubstr("skipped"))));
  const auto expected = losses(workspace_, "whole"), found = losses(workspace_, "divided");
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [update, loss] : expected)
    EXPECT_NEAR(std::stod(found.at(update)), std::stod(loss), 1e-4) << update;
}

TEST_F(ThrowingPlugin, WithoutMemoryForASentenceSkipsItAndEndsWhenNoneFits) {
  const std::string options =
      "--arch throwing --disable-validation --throw-in forward --thrown memory --throw-above ";
  const auto some = train(options + "6 --max-bad-updates 1000 --save-dir some");
  EXPECT_EQ(some.exit_code, kExitOk) << some.errors;
  EXPECT_THAT(some.errors,
              HasSubstr("skipped a batch because of insufficient memory (1 sentence,"));
  const auto none = train(options + "0 --save-dir none --max-bad-updates 7");
  EXPECT_EQ(none.exit_code, kExitIo) << none.errors;
  EXPECT_THAT(none.errors, HasSubstr("out of memory: 7 sentences in a row, the last one with"));
}

TEST_F(ThrowingPlugin, IsNamedWhenForwardThrowsAnything) {
  const std::string in_forward = "--arch throwing --throw-in forward --thrown ";
  expect_named(train(in_forward + "std"),
               "architecture 'throwing' failed in forward: the flux capacitor is empty");
  const char* const strange =
      "architecture 'throwing' failed in forward: an exception that does not derive from "
      "std::exception was thrown";
  expect_named(train(in_forward + "own"), strange);
  expect_named(train(in_forward + "number"), strange);
}

TEST_F(ThrowingPlugin, IsNamedWhenItsCriterionThrows) {
  expect_named(train("--criterion throwing"),
               "criterion 'throwing' failed in loss: the flux capacitor is empty");
  expect_named(train("--criterion detached"),
               "criterion 'detached' failed in loss: LossReport::loss does not depend on the "
               "parameters of the model");
}

TEST_F(ThrowingPlugin, IsNamedWhenItsLoaderOptimizerOrScheduleThrows) {
  expect_named(train("--data-loader throwing"),
               "data_loader 'throwing' failed in get: the flux capacitor is empty",
               kExitPlugin);
  expect_named(train("--optimizer throwing"),
               "optimizer 'throwing' failed in step: an exception that does not derive from "
               "std::exception was thrown",
               kExitPlugin);
  expect_named(train_with_schedule("throwing", 2),
               "lr_scheduler 'throwing' failed in rate: the flux capacitor is empty",
               kExitPlugin);
  expect_named(train_with_schedule("negative", 2),
               "lr_scheduler 'negative' failed in rate: the learning rate after 0 updates is -0.5",
               kExitPlugin);
}

TEST_F(ThrowingPlugin, IsNamedWhenItsTokenizerThrows) {
  const std::string raw = "--data-loader text --tokenizer throwing --disable-validation";
  for (const char* language : {"en", "de"})
    workspace_.write(std::string("data-bin/train.") + language, "one\ntwo\n");
  ASSERT_EQ(train(raw).exit_code, kExitOk);

  const CommandResult missing = workspace_.run(words("generate --path run"), "one two\n");
  EXPECT_EQ(missing.exit_code, kExitPlugin);
  EXPECT_THAT(missing.errors,
              AllOf(HasSubstr("needs the tokenizer 'throwing', which is not installed"),
                    HasSubstr("Install the plugin"),
                    HasSubstr("--plugin-dir")));
  expect_named(generate(""),
               "tokenizer 'throwing' failed in decode: an exception that does not derive from "
               "std::exception was thrown",
               kExitPlugin);

  workspace_.write("data-bin/train.en", "one\nthrow\n");
  expect_named(train(raw + " --save-dir other"),
               "tokenizer 'throwing' failed in encode: the flux capacitor is empty",
               kExitPlugin);
}

TEST_F(ThrowingPlugin, IsNamedWhenDecodingThrows) {
  ASSERT_EQ(train("--arch throwing").exit_code, kExitOk);
  expect_named(generate("--model-overrides throw-in=start"),
               "architecture 'throwing' failed in start_decoding: the flux capacitor is empty");
  expect_named(generate("--model-overrides throw-in=step,thrown=number"),
               "architecture 'throwing' failed in a step: an exception that does not derive from "
               "std::exception was thrown");
  expect_named(generate("--decoder throwing"),
               "decoder 'throwing' failed in decode: an exception that does not derive from "
               "std::exception was thrown");
  expect_named(
      generate("--decoder undescribed"),
      "decoder 'undescribed' failed in describing its options: the flux capacitor is empty");
  EXPECT_EQ(generate("").exit_code, kExitOk);
}

TEST_F(ThrowingPlugin, IsNamedWhenItReturnsWhatDoesNotFit) {
  const std::pair<std::string, std::string> biases[] = {{"few-words", " and undefined"},
                                                        {"short-bias", " and [3]"}};
  for (const auto& [gives, bias] : biases) {
    const CommandResult trained = train("--arch throwing --gives " + gives);
    expect_named(trained, "architecture 'throwing' failed in forward: expected hidden [");
    EXPECT_THAT(trained.errors, HasSubstr(bias));
  }
  expect_named(train("--arch throwing --gives fp32-rows --precision bf16"),
               "architecture 'throwing' failed in forward: expected hidden of type BFloat16, the "
               "Context's activation_type(); got Float");
  ASSERT_EQ(train("--arch throwing").exit_code, kExitOk);
  expect_named(generate("--model-overrides gives=no-session"),
               "architecture 'throwing' failed in start_decoding: it returned no session");
  const CommandResult narrow = generate("--model-overrides gives=narrow-scores");
  expect_named(narrow, "architecture 'throwing' failed in a step: expected scores [1, ");
  EXPECT_THAT(narrow.errors, HasSubstr("], real; got [1, 10] of type Float"));
  expect_named(
      generate("--decoder strange"),
      "decoder 'strange' failed in decode: a hypothesis contains id 1000000, but there are ");
  expect_named(train("--save-dir other --data-loader empty"),
               "data_loader 'empty' failed in open: it returned no corpus",
               kExitPlugin);
  expect_named(train("--save-dir other --data-loader unended"),
               "data_loader 'unended' failed in get: sentence ",
               kExitPlugin);
  expect_named(train("--save-dir other --criterion countless"),
               "criterion 'countless' failed in loss: LossReport counts 0 sentences and ");
}

TEST_F(ThrowingPlugin, ResumesWithNumbersThatAreNotFinite) {
  const std::string odd = "--criterion odd --disable-validation --save-dir odd --max-update ";
  EXPECT_EQ(train(odd + "2").exit_code, kExitOk);
  const CommandResult further = train(odd + "4");
  EXPECT_EQ(further.exit_code, kExitOk) << further.errors;
  EXPECT_EQ(train_with_schedule("infinite", 2).exit_code, kExitOk);
  const CommandResult later = train_with_schedule("infinite", 4);
  EXPECT_EQ(later.exit_code, kExitOk) << later.errors;
}

TEST_F(ThrowingPlugin, IsToldTheNumberOfUpdates) {
  const std::string counting = "--criterion updates --save-dir counted --max-update ";
  ASSERT_EQ(train(counting + "3").exit_code, kExitOk);
  const CommandResult resumed = train(counting + "5");
  ASSERT_EQ(resumed.exit_code, kExitOk) << resumed.errors;
  const auto found = losses(workspace_, "counted");
  ASSERT_EQ(found.size(), 5U);
  for (const auto& [update, loss] : found) EXPECT_EQ(std::stod(loss), update - 1);
  EXPECT_THAT(resumed.errors, HasSubstr("'valid' subset | loss 0.000"));
}

TEST_F(ThrowingPlugin, HasItsDataLoadersOptionsInEveryCommandOfTheModel) {
  const std::string sized = "--data-loader sized --sized-pairs ";
  const CommandResult trained = train(sized + "7");
  ASSERT_EQ(trained.exit_code, kExitOk) << trained.errors;
  const auto command = [&](const std::string& options) {
    return workspace_.run(words(options) + Arguments{"--plugin-dir", THROWING_PLUGIN_FOLDER});
  };
  const CommandResult validated = command("validate data-bin --path run --format json");
  EXPECT_THAT(validated.output, HasSubstr("\"tokens\":14")) << validated.errors;
  const CommandResult generated = command("generate data-bin --path run --format plain");
  EXPECT_EQ(lines_of(generated.output).size(), 7U) << generated.errors;
  const CommandResult resumed = train(sized + "8 --max-update 4");
  EXPECT_EQ(resumed.exit_code, kExitUsage);
  EXPECT_THAT(resumed.errors, HasSubstr("sized-pairs: was 7, now 8"));
  EXPECT_THAT(train("--sized-pairs 7").errors, HasSubstr("it is an option of --data-loader sized"));
  const CommandResult without = workspace_.run(words("validate data-bin --path run"));
  EXPECT_EQ(without.exit_code, kExitPlugin);
  EXPECT_THAT(without.errors, HasSubstr("needs the data_loader 'sized', which is not installed"));
}

TEST_F(ThrowingPlugin, IsNeededToValidateWithItsCriterion) {
  ASSERT_EQ(train("--criterion updates").exit_code, kExitOk);
  const CommandResult without = workspace_.run(words("validate data-bin --path run"));
  EXPECT_EQ(without.exit_code, kExitPlugin);
  EXPECT_THAT(without.errors,
              AllOf(HasSubstr("run needs the criterion 'updates', which is not installed"),
                    HasSubstr("--plugin-dir")));
  EXPECT_EQ(
      workspace_.run(words("validate data-bin --path run --criterion cross_entropy")).exit_code,
      kExitOk);
}

TEST_F(ThrowingPlugin, DoesNotResumeWithoutTheStateOfItsOptimizer) {
  ASSERT_EQ(train("--optimizer lazy --max-update 2").exit_code, kExitOk);
  const CommandResult resumed = train("--optimizer lazy --max-update 4");
  EXPECT_EQ(resumed.exit_code, kExitFormat) << resumed.errors;
  EXPECT_THAT(resumed.errors,
              HasSubstr("optimizer.moment is in the checkpoint, but not in Optimizer::state()"));
}

}  // namespace
}  // namespace phraseq::end_to_end
