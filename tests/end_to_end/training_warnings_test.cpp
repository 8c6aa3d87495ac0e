// Warnings about a model that has learned little: at the end of `train`, and by `generate`.

#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kFlatLoss = "the training loss has not fallen";
constexpr const char* kSameTranslation = "different sentences have the same translation";
constexpr const char* kUnknownInput = "tokens of the input are not in the dictionary of the model";

class TrainingWarnings : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    space = new Workspace;
    write_toy_corpus(*space);
    ASSERT_EQ(space->run(toy_preprocess()).exit_code, kExitOk);
  }
  static void TearDownTestSuite() { delete space; }

  static CommandResult train(const std::string& run, int updates, const std::string& more) {
    return space->run(toy_train(run, updates) + words("--threads 1 --log-interval 50 " + more));
  }

  static Workspace* space;
};

Workspace* TrainingWarnings::space = nullptr;

TEST_F(TrainingWarnings, ReportALossThatHasNotMovedAndWhatToDo) {
  const auto still = train("still", 100, "--lr 1e-9 --disable-validation");
  ASSERT_EQ(still.exit_code, kExitOk) << still.errors;
  EXPECT_THAT(still.errors,
              AllOf(HasSubstr("warning | the training loss has not fallen: "),
                    ContainsRegex("bits per token over the first 10 updates and [0-9.]+ over the "
                                  "last 10. Try another --lr \\(now ")));
}

TEST_F(TrainingWarnings, AreAnErrorWhereNoValidationGaveAFiniteLoss) {
  const auto run = train("diverged", 1, "--lr 1e36 --lr-scheduler fixed --clip-norm 0");
  EXPECT_EQ(run.exit_code, kExitDivergence) << run.errors;
  EXPECT_THAT(
      run.errors,
      AllOf(HasSubstr("warning | the validation at update 1 gave the loss nan: the model has "
                      "diverged"),
            HasSubstr("error: training diverged: no validation gave a finite loss"),
            HasSubstr("Reduce --lr"),
            Not(HasSubstr("best_loss")),
            Not(HasSubstr("translate with it"))));
  EXPECT_THAT(run.errors, HasSubstr("checkpoint not written: the model may have diverged"));
  EXPECT_FALSE(space->exists("diverged/checkpoint_last"));
  EXPECT_FALSE(space->exists("diverged/checkpoint_best"));
}

TEST_F(TrainingWarnings, AreAnErrorWhereTheWorstCheckpointWouldBeKept) {
  const auto run = train(
      "worst", 1, "--eval-bleu --best-checkpoint-metric ter --maximize-best-checkpoint-metric");
  EXPECT_EQ(run.exit_code, kExitUsage);
  EXPECT_THAT(run.errors, HasSubstr("would keep the worst checkpoint: a lower ter is better"));
}

TEST_F(TrainingWarnings, AreAnErrorWhereNoValidationCouldTranslate) {
  const auto run = train("speechless",
                         1,
                         "--lr 1e36 --lr-scheduler fixed --clip-norm 0 --eval-bleu "
                         "--best-checkpoint-metric bleu");
  EXPECT_EQ(run.exit_code, kExitDivergence) << run.errors;
  EXPECT_THAT(run.errors, HasSubstr("training diverged: no validation gave a finite bleu"));
}

/// The best checkpoint is the one with the finite loss, which is usable.
TEST_F(TrainingWarnings, ReportThatALaterValidationHasDiverged) {
  const auto run = train("later",
                         2,
                         "--lr 0,1e36 --lr-scheduler fixed --clip-norm 0 --max-tokens 100000 "
                         "--max-epoch 2");
  ASSERT_EQ(run.exit_code, kExitOk) << run.errors;
  EXPECT_THAT(run.errors,
              AllOf(HasSubstr("the validation at update 2 gave the loss nan"),
                    HasSubstr("best checkpoint: later/checkpoint_best (loss "),
                    HasSubstr("| valid on 'valid' subset | num_updates 2"),
                    Not(HasSubstr("nan);"))));
}

/// --stop-min-lr does not count as a limit; here, it ends the run after its first update.
TEST_F(TrainingWarnings, ReportThatPatienceIsNotALimitWithoutValidation) {
  const std::string options = "--patience 3 --stop-min-lr 1 --lr-scheduler fixed ";
  constexpr const char* kWarning = "training continues until it is stopped";
  EXPECT_THAT(
      train("blind", 0, options + "--disable-validation").errors,
      AllOf(HasSubstr(kWarning), HasSubstr("no effect with --disable-validation: --patience\n")));
  EXPECT_THAT(train("patient", 0, options).errors,
              Not(::testing::AnyOf(HasSubstr(kWarning), HasSubstr("no effect with"))));
}

/// As in fairseq, the learning rate is compared after it has been set for the next epoch.
TEST_F(TrainingWarnings, DoNotReportASmallestRateThatTheNextEpochExceedsAgain) {
  const std::string options =
      "--lr-scheduler fixed --lr 0.001,0.1,0.001 --warmup-updates 0 --stop-min-lr 0.01 "
      "--max-tokens 100000 ";
  const CommandResult run = train("again", 0, options + "--disable-validation --max-epoch 9");
  ASSERT_EQ(run.exit_code, kExitOk) << run.errors;
  EXPECT_THAT(run.errors,
              AllOf(HasSubstr("num_updates=2"),
                    Not(HasSubstr("num_updates=4")),
                    HasSubstr("training stops: the learning rate reached --stop-min-lr 0.01")));
}

TEST_F(TrainingWarnings, ReportALossWithoutTokens) {
  const std::string options = "--ignore-prefix-size 100 --max-tokens 100000 --disable-validation";
  EXPECT_THAT(train("none", 2, options).errors, HasSubstr("no target token is part of it"));
}

TEST_F(TrainingWarnings, ReportAnAverageThatIsMainlyTheUntrainedModel) {
  constexpr const char* kWarning =
      "of the moving average (--store-ema) would still be the initial parameters";
  EXPECT_THAT(train("slow", 20, "--store-ema").errors, HasSubstr("100 % " + std::string(kWarning)));
  EXPECT_THAT(train("fast", 20, "--ema-decay 0.8").errors, Not(HasSubstr(kWarning)));
}

TEST_F(TrainingWarnings, ReportIdenticalTranslations) {
  Workspace alike;  // every target sentence is the same
  for (const auto& [name, pairs] :
       {std::pair("train", 200), std::pair("dev", 40), std::pair("test", 41)}) {
    alike.write(std::string(name) + ".en", toy_text(pairs, static_cast<uint64_t>(pairs)).english);
    std::string german;
    for (int i = 0; i < pairs; ++i) german += "eins zwei\n";
    alike.write(std::string(name) + ".de", german);
  }
  ASSERT_EQ(alike.run(toy_preprocess()).exit_code, kExitOk);
  const auto trained = alike.run(toy_train("run", 60) + words("--threads 1 --eval-bleu"));
  ASSERT_EQ(trained.exit_code, kExitOk) << trained.errors;
  EXPECT_THAT(trained.errors,
              AllOf(ContainsRegex("warning \\| [0-9]+ of [0-9]+ different sentences have the same "
                                  "translation, 'eins zwei': the model has not learned"),
                    HasSubstr("phraseq plot"),
                    Not(HasSubstr(kFlatLoss))));
  const auto result = alike.run(words("generate data-bin --path run --threads 1"));
  ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  EXPECT_THAT(result.errors,
              AllOf(HasSubstr(kSameTranslation), HasSubstr("in the form of the training text")));
}

TEST_F(TrainingWarnings, ReportInputInAnotherForm) {
  ASSERT_EQ(train("few", 1, "").exit_code, kExitOk);
  std::string pieces;
  for (int i = 0; i < 10; ++i) pieces += "\u2581one \u2581two\n";
  const Arguments generate = words("generate --path few --threads 1 --max-len-b 3");
  EXPECT_THAT(space->run(generate, pieces).errors,
              HasSubstr("warning | 20 of 20 " + std::string(kUnknownInput)));
  EXPECT_THAT(space->run(generate, "\u2581one \u2581two\n").errors, Not(HasSubstr(kUnknownInput)));
}

TEST_F(TrainingWarnings, AreNotGivenForAModelThatLearns) {
  const auto trained = train("learns", 150, "--eval-bleu");
  ASSERT_EQ(trained.exit_code, kExitOk) << trained.errors;
  EXPECT_THAT(trained.errors, AllOf(Not(HasSubstr(kFlatLoss)), Not(HasSubstr(kSameTranslation))));
  const auto result = space->run(words("generate data-bin --path learns --threads 1"));
  EXPECT_THAT(result.errors,
              AllOf(Not(HasSubstr(kSameTranslation)), Not(HasSubstr(kUnknownInput))));
  // A converged model that is trained further does not change much either.
  const auto again = train("learns", 260, "--lr 1e-9 --allow-changed lr");
  ASSERT_EQ(again.exit_code, kExitOk) << again.errors;
  EXPECT_THAT(again.errors, Not(HasSubstr(kFlatLoss)));
}

}  // namespace
}  // namespace phraseq::end_to_end
