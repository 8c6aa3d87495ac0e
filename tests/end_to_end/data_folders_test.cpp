// Training data in several folders and in several splits.

#include <string>

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

/// Folders A, B and C with a third of the training set each, as `preprocess --num-shards 3` writes
/// them; and `data-bin` with all of it.
class DataFolders : public ::testing::Test {
 protected:
  DataFolders() {
    write_toy_corpus(workspace_, 100);
    run(toy_preprocess());
    for (const char* shard : {"0", "1", "2"})
      run(toy_preprocess() +
          words("--srcdict data-bin/dict.en.txt --tgtdict data-bin/dict.de.txt "
                "--num-shards 3 --shard-id") +
          Arguments{shard});
  }

  CommandResult run(const Arguments& arguments) {
    CommandResult result = workspace_.run(arguments);
    EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
    return result;
  }

  static std::string shard(int number) {
    return "data-bin.shard-" + std::to_string(number) + "-of-3";
  }
  static std::string all_folders() { return shard(0) + ":" + shard(1) + ":" + shard(2); }

  /// Trains on `data`.
  static Arguments train(const std::string& data,
                         const std::string& save_dir,
                         int updates,
                         const std::string& more = {}) {
    Arguments arguments = toy_train(save_dir, updates);
    arguments[1] = data;
    return arguments + words("--threads 1 --max-tokens 60 " + more);
  }

  Workspace workspace_;
};

TEST_F(DataFolders, EachEpochUsesOneAndAResumeInTheMiddleOfAnyContinues) {
  const CommandResult whole = run(train(all_folders(), "unbroken", 1000, "--max-epoch 4"));
  EXPECT_THAT(whole.errors,
              AllOf(HasSubstr("epoch 1: 34 sentences of " + shard(0)),
                    HasSubstr("epoch 2: 33 sentences of " + shard(1)),
                    HasSubstr("epoch 3: 33 sentences of " + shard(2)),
                    HasSubstr("epoch 4: 34 sentences of " + shard(0)),
                    HasSubstr("phraseq generate " + shard(0) + " --path")));
  const auto expected = losses(workspace_, "unbroken");
  ASSERT_EQ(expected.size(), 12U) << "not three updates per epoch; change the stops";
  run(train(all_folders(), "resumed", 4, "--max-epoch 4"));
  const CommandResult second = run(train(all_folders(), "resumed", 8, "--max-epoch 4"));
  EXPECT_THAT(second.errors, HasSubstr("at update 4, epoch 2, batch 1"));
  const CommandResult third = run(train(all_folders(), "resumed", 1000, "--max-epoch 4"));
  EXPECT_THAT(third.errors, HasSubstr("at update 8, epoch 3, batch 2"));
  EXPECT_EQ(losses(workspace_, "resumed"), expected);
  EXPECT_EQ(last_tensors(workspace_, "resumed"), last_tensors(workspace_, "unbroken"));
}

TEST_F(DataFolders, AResumeWithOtherFoldersIsRejected) {
  run(train(all_folders(), "run", 5));
  const CommandResult result = workspace_.run(train(shard(0) + ":" + shard(1), "run", 10));
  EXPECT_EQ(result.exit_code, kExitFormat);
  EXPECT_THAT(result.errors,
              AllOf(HasSubstr("corpus: was"),
                    HasSubstr("3 folders"),
                    HasSubstr("2 folders"),
                    HasSubstr("--reset-dataloader")));
}

TEST_F(DataFolders, AResumeWithOtherWordsInSentencesOfTheSameLengthsIsRejected) {
  run(train("data-bin", "run", 3));
  std::string text = workspace_.read("train.en");
  ASSERT_NE(text.find("one"), std::string::npos);
  for (size_t at = 0; (at = text.find("one", at)) != std::string::npos; ++at)
    text.replace(at, 3, "two");
  workspace_.write("other.en", text);
  workspace_.write("other.de", workspace_.read("train.de"));
  run(
      words("preprocess -s en -t de --srcdict data-bin/dict.en.txt --tgtdict data-bin/dict.de.txt "
            "--trainpref other --validpref dev --destdir other-bin"));
  const CommandResult result = workspace_.run(train("other-bin", "run", 6));
  EXPECT_EQ(result.exit_code, kExitFormat);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("corpus: was"), HasSubstr("ids ")));
}

TEST_F(DataFolders, SentencesThatAreSkippedAreAnnouncedInTheirEpoch) {
  std::string longer;
  for (int i = 0; i < 40; ++i) longer += "one ";
  const auto make = [&](const std::string& name, const std::string& lines) {
    for (const char* language : {".en", ".de"}) workspace_.write(name + language, lines);
    run(
        words("preprocess -s en -t de --srcdict data-bin/dict.en.txt --tgtdict "
              "data-bin/dict.de.txt --trainpref " +
              name + " --destdir " + name));
  };
  make("some", longer + "\none\n");
  make("all", longer + "\n");
  const std::string limits = "--max-epoch 2 --max-source-positions 30 --max-target-positions 30";
  EXPECT_THAT(run(train(shard(0) + ":some", "first", 1000, limits)).errors,
              HasSubstr("skipped in training, epoch 2: "));
  const CommandResult none = workspace_.run(train(shard(0) + ":all", "second", 1000, limits));
  EXPECT_EQ(none.exit_code, kExitData);
  EXPECT_THAT(none.errors, HasSubstr("epoch 2: there are no sentence pairs to train on: "));
}

TEST_F(DataFolders, SeveralProcessesUseTheSameFolderInAnEpoch) {
  run(train(all_folders(), "one", 1000, "--max-epoch 3 --update-freq 2"));
  run(train(all_folders(), "two", 1000, "--max-epoch 3 --nproc-per-node 2"));
  EXPECT_EQ(losses(workspace_, "one"), losses(workspace_, "two"));
  EXPECT_EQ(last_tensors(workspace_, "one"), last_tensors(workspace_, "two"));
}

TEST_F(DataFolders, WithOtherDictionariesOrAMissingOneAreRejectedAtTheStart) {
  run(words("preprocess -s en -t de --trainpref test --destdir other"));
  workspace_.write("other/dict.en.txt", "zebra 1\n" + workspace_.read("data-bin/dict.en.txt"));
  run(
      words("preprocess -s en -t de --trainpref test --destdir other2 --srcdict "
            "other/dict.en.txt --tgtdict data-bin/dict.de.txt"));
  const CommandResult different = workspace_.run(train(shard(0) + ":other2", "run", 5));
  EXPECT_EQ(different.exit_code, kExitData);
  EXPECT_THAT(different.errors,
              AllOf(HasSubstr("other2: dict.en.txt is not that of " + shard(0)),
                    HasSubstr("the first difference is id 4: 'zebra'")));
  const CommandResult missing = workspace_.run(train(shard(0) + ":nowhere", "run", 5));
  EXPECT_EQ(missing.exit_code, kExitIo);
  EXPECT_THAT(missing.errors, HasSubstr("nowhere"));
  EXPECT_EQ(workspace_.run(train(shard(0) + ":", "run", 5)).exit_code, kExitUsage);
}

TEST_F(DataFolders, LimitsOfDictionariesThatHaveNoEffectOrLeaveNothingGiveAWarning) {
  const CommandResult given =
      workspace_.run(words("preprocess -s en -t de --trainpref train --destdir given --srcdict "
                           "data-bin/dict.en.txt --thresholdsrc 5 --nwordstgt 4"));
  EXPECT_EQ(given.exit_code, kExitOk);
  EXPECT_THAT(given.errors,
              AllOf(HasSubstr("--thresholdsrc and --nwordssrc have no effect on a given "
                              "dictionary, data-bin/dict.en.txt"),
                    HasSubstr("--thresholdtgt and --nwordstgt leave no word in the dictionary")));
  EXPECT_EQ(workspace_.read("given/dict.en.txt"), workspace_.read("data-bin/dict.en.txt"));
  const CommandResult joined = workspace_.run(
      words("preprocess -s en -t de --trainpref train --destdir joined --joined-dictionary "
            "--thresholdtgt 2"));
  EXPECT_EQ(joined.exit_code, kExitOk);
  EXPECT_THAT(joined.errors, HasSubstr("--thresholdtgt and --nwordstgt have no effect"));
}

TEST_F(DataFolders, WordsSpelledAsControlSymbolsGiveAWarning) {
  workspace_.write("odd.en", "a </s> b\n<unk> a\n");
  workspace_.write("odd.de", "c <s> </s> <pad>\nd\n");
  // With dictionaries of the text, and with given ones.
  for (const std::string options :
       {"counted", "given --srcdict data-bin/dict.en.txt --tgtdict data-bin/dict.de.txt"}) {
    const CommandResult result =
        workspace_.run(words("preprocess -s en -t de --trainpref odd --destdir " + options));
    EXPECT_EQ(result.exit_code, kExitOk);
    EXPECT_THAT(result.errors,
                AllOf(HasSubstr("odd.en: the text contains <s>, <pad> or </s> (1 in all)"),
                      HasSubstr("odd.de: the text contains <s>, <pad> or </s> (3 in all)")));
  }
}

TEST_F(DataFolders, ADirectionThatTheModelDoesNotHaveIsRejected) {
  run(train("data-bin", "run", 2));
  const std::string turned = " --path run --source-lang de --target-lang en";
  const CommandResult split = workspace_.run(words("generate data-bin" + turned));
  EXPECT_EQ(split.exit_code, kExitUsage);
  EXPECT_THAT(split.errors,
              HasSubstr("--source-lang de --target-lang en: the model translates only from en to "
                        "de"));
  const CommandResult text = workspace_.run(words("generate" + turned), "one two\n");
  EXPECT_EQ(text.exit_code, kExitOk);
  EXPECT_THAT(text.errors, HasSubstr("have no effect: the model translates only from en to de"));
}

TEST_F(DataFolders, SplitsOfAListAreOneTrainingSet) {
  // The text of train, divided into the two splits a and b.
  const ToyText both = toy_text(100, 1);
  const auto half = [](const std::string& text, bool second) {
    const auto lines = lines_of(text);
    std::string result;
    for (size_t i = second ? 50 : 0; i < (second ? 100U : 50U); ++i) result += lines[i] + "\n";
    return result;
  };
  for (const bool second : {false, true}) {
    const std::string name = second ? "b" : "a";
    workspace_.write(name + ".en", half(both.english, second));
    workspace_.write(name + ".de", half(both.german, second));
  }
  run(
      words("preprocess -s en -t de --trainpref train --validpref dev,a,b --destdir parts "
            "--srcdict data-bin/dict.en.txt --tgtdict data-bin/dict.de.txt"));
  run(train("data-bin", "whole", 30));
  run(train("parts", "list", 30, "--train-subset valid1,valid2"));
  EXPECT_EQ(losses(workspace_, "list"), losses(workspace_, "whole"));
  const CommandResult missing =
      workspace_.run(train("parts", "run", 5, "--train-subset valid1,valid7"));
  EXPECT_NE(missing.exit_code, kExitOk);
  EXPECT_THAT(missing.errors, HasSubstr("valid7"));
}

}  // namespace
}  // namespace phraseq::end_to_end
