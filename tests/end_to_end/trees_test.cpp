// Parse trees through the commands: text is preprocessed, a model is trained, and then text is
// translated and scored with the checkpoint alone.

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A tree for every line except the first: its first word, and the others below one bracket.
std::string toy_trees(const std::string& text) {
  std::string trees;
  for (const std::string& line : lines_of(text)) {
    const size_t first_end = line.find(' ');
    if (trees.empty()) {
      trees = "\n";
    } else if (first_end == std::string::npos) {
      trees += "(X " + line + ")\n";
    } else {
      trees += "(S (X " + line.substr(0, first_end) + ") (Y" + line.substr(first_end) + "))\n";
    }
  }
  return trees;
}

class TreesOnTheCommandLine : public ::testing::Test {
 protected:
  TreesOnTheCommandLine() {
    write_toy_corpus(workspace_);
    for (const char* text : {"train.en", "dev.en", "test.en"})
      workspace_.write(std::string(text) + ".trees", toy_trees(workspace_.read(text)));
  }

  CommandResult run(const Arguments& arguments, std::string_view input = {}) {
    return workspace_.run(arguments, input);
  }

  Workspace workspace_;
};

TEST_F(TreesOnTheCommandLine, GoFromTextToTranslationWithOnlyACheckpoint) {
  const CommandResult preprocess =
      run(toy_preprocess() + words("--subwords 60 --joined-dictionary --trees"));
  ASSERT_EQ(preprocess.exit_code, kExitOk) << preprocess.errors;
  EXPECT_THAT(preprocess.errors, HasSubstr("train.en.trees: 199 trees; 1 × not parsed, line 1"));
  const CommandResult train = run(toy_train("checkpoints", 2) + words("--threads 1"));
  ASSERT_EQ(train.exit_code, kExitOk) << train.errors;

  const Arguments generate = words("generate --path checkpoints/checkpoint_last");
  const std::string text = workspace_.read("test.en");
  const CommandResult without = run(generate, text);
  const CommandResult with = run(generate + words("--trees test.en.trees"), text);
  EXPECT_EQ(with.exit_code, kExitOk) << with.errors;
  EXPECT_EQ(with.output, without.output);  // the Transformer does not use them
  EXPECT_THAT(with.errors, HasSubstr("--trees has no effect: the model does not use parse trees"));
  EXPECT_THAT(without.errors, Not(HasSubstr("--trees")));

  workspace_.write("short.trees", "\n\n");
  const CommandResult too_short = run(generate + words("--trees short.trees"), text);
  EXPECT_EQ(too_short.exit_code, kExitData);
  EXPECT_THAT(too_short.errors, AllOf(HasSubstr("short.trees:2: ends here, but standard input")));

  const std::string trees = workspace_.read("test.en.trees");
  workspace_.write("damaged.trees", "\xFF" + trees.substr(trees.find('\n')));
  const CommandResult damaged =
      run(generate + words("--trees damaged.trees --on-bad-line skip"), text);
  EXPECT_EQ(damaged.exit_code, kExitOk) << damaged.errors;
  EXPECT_THAT(damaged.errors,
              HasSubstr("damaged.trees:1: byte that is never in UTF-8: the line is treated as "
                        "empty"));
  EXPECT_EQ(damaged.output, without.output);

  const Arguments rescore =
      words("rescore --path checkpoints/checkpoint_last --source test.en --target test.de --trees");
  const CommandResult rescored = run(rescore + words("test.en.trees"));
  EXPECT_EQ(rescored.exit_code, kExitOk) << rescored.errors;
  EXPECT_THAT(rescored.errors, HasSubstr("--trees has no effect"));
  const CommandResult of_other_text = run(rescore + words("dev.en.trees"));
  EXPECT_EQ(of_other_text.exit_code, kExitData);
  EXPECT_THAT(of_other_text.errors, AllOf(HasSubstr("dev.en.trees:"), HasSubstr("leaf ")));
}

/// A tiny phrase_rep model whose phrases are constituents.
Arguments train_with_trees() {
  return words(
      "train data-bin --save-dir checkpoints --arch phrase_rep_base --pr-seg parse --seed 1 "
      "--encoder-embed-dim 16 --decoder-embed-dim 16 --encoder-ffn-embed-dim 16 "
      "--decoder-ffn-embed-dim 16 --encoder-layers 1 --decoder-layers 1 "
      "--encoder-attention-heads 2 --decoder-attention-heads 2 --optimizer adam --lr 0.001 "
      "--max-tokens 400 --max-epoch 1 --threads 1");
}

TEST_F(TreesOnTheCommandLine, AreMissedBeforeAModelIsBuilt) {
  ASSERT_EQ(run(toy_preprocess() + words("--joined-dictionary")).exit_code, kExitOk);
  const CommandResult indexed = run(train_with_trees());
  EXPECT_EQ(indexed.exit_code, kExitData);
  EXPECT_THAT(indexed.errors,
              AllOf(HasSubstr("data-bin: no parse trees of the en sentences of 'train', which "
                              "--pr-seg parse needs"),
                    HasSubstr("preprocess --trees"),
                    HasSubstr("--pr-seg ngram does not need them"),
                    Not(HasSubstr("parameters"))));
  EXPECT_FALSE(workspace_.exists("checkpoints/run.json"));
  const CommandResult ngrams = run(train_with_trees() + words("--pr-seg ngram"));
  EXPECT_EQ(ngrams.exit_code, kExitOk) << ngrams.errors;
}

TEST_F(TreesOnTheCommandLine, AreMissedInTheValidationSetBeforeTheFirstUpdate) {
  ASSERT_EQ(run(toy_preprocess() + words("--joined-dictionary --trees")).exit_code, kExitOk);
  for (const char* part : {"bin", "idx"})
    std::filesystem::remove(workspace_.path("data-bin/valid.en-de.en.trees.") + part);
  const CommandResult result = run(train_with_trees());
  EXPECT_EQ(result.exit_code, kExitData);
  EXPECT_THAT(result.errors, HasSubstr("no parse trees of the en sentences of 'valid'"));
  const CommandResult without = run(train_with_trees() + words("--disable-validation"));
  EXPECT_EQ(without.exit_code, kExitOk) << without.errors;
}

TEST_F(TreesOnTheCommandLine, AreAskedForWithOptionsThatTheCommandKnows) {
  ASSERT_EQ(run(toy_preprocess() + words("--joined-dictionary --trees")).exit_code, kExitOk);
  ASSERT_EQ(run(train_with_trees()).exit_code, kExitOk);
  const std::string text = workspace_.read("test.en");
  const Arguments path = words("--path checkpoints/checkpoint_last");
  const Arguments ngrams = words("--model-overrides pr-seg=ngram");
  const auto asks_for_known_options =
      AllOf(HasSubstr("--model-overrides pr-seg=ngram"), Not(HasSubstr("--pr-seg ngram")));

  for (const char* command : {"generate", "interactive"}) {
    const CommandResult lines = run(words(command) + path, text);
    EXPECT_EQ(lines.exit_code, kExitUsage);
    EXPECT_THAT(lines.errors, AllOf(HasSubstr("--trees FILE"), asks_for_known_options));
    EXPECT_EQ(run(words(command) + path + ngrams, text).exit_code, kExitOk);
    EXPECT_EQ(run(words(command) + path + words("--trees test.en.trees"), text).exit_code, kExitOk);
  }

  EXPECT_THAT(run(words("generate --model-overrides pr-seg=ngram,2") + path, text).errors,
              AllOf(HasSubstr("--model-overrides '2' is not NAME=VALUE"),
                    HasSubstr("within a value, write '\\,'")));
  const CommandResult contradiction = run(
      words("generate --trees test.en.trees --model-overrides pr-seg-min=5,pr-seg-max=4") + path,
      text);
  EXPECT_EQ(contradiction.exit_code, kExitUsage);
  EXPECT_THAT(contradiction.errors,
              AllOf(HasSubstr("--model-overrides pr-seg-min=5,pr-seg-max=4: "),
                    HasSubstr("--pr-seg-min 5 is greater than --pr-seg-max 4")));

  ASSERT_EQ(run(toy_preprocess() + words("--joined-dictionary --destdir no-trees")).exit_code,
            kExitOk);
  for (const char* command : {"generate no-trees", "validate no-trees"}) {
    const CommandResult folder = run(words(command) + path);
    EXPECT_EQ(folder.exit_code, kExitData);
    EXPECT_THAT(folder.errors,
                AllOf(HasSubstr("no-trees: no parse trees of the en sentences of"),
                      asks_for_known_options));
    EXPECT_EQ(run(words(command) + path + ngrams).exit_code, kExitOk);
  }

  const Arguments rescore = words("rescore --source test.en --target test.de") + path;
  const CommandResult pairs = run(rescore);
  EXPECT_EQ(pairs.exit_code, kExitData);
  EXPECT_THAT(pairs.errors, AllOf(HasSubstr("--trees FILE"), asks_for_known_options));
  EXPECT_EQ(run(rescore + ngrams).exit_code, kExitOk);
}

TEST_F(TreesOnTheCommandLine, StopAtAWrongLeafAndLeaveNothing) {
  workspace_.write("train.en.trees", workspace_.read("dev.en.trees"));
  const CommandResult counts = run(toy_preprocess() + words("--trees"));
  EXPECT_EQ(counts.exit_code, kExitData);
  EXPECT_THAT(counts.errors,
              AllOf(HasSubstr("train.en has 200 lines"), HasSubstr("train.en.trees has 20")));
  std::string trees = toy_trees(workspace_.read("train.en"));
  workspace_.write("train.en.trees", trees.replace(trees.find("(S"), 2, "(S)"));
  const CommandResult no_tree = run(toy_preprocess() + words("--trees"));
  EXPECT_EQ(no_tree.exit_code, kExitData);
  EXPECT_THAT(no_tree.errors, HasSubstr("contains no word"));
  EXPECT_FALSE(workspace_.exists("data-bin"));
}

TEST_F(TreesOnTheCommandLine, CannotBeGivenWithAFolderThatHasItsOwn) {
  const CommandResult result = run(words("generate data-bin --path x --trees test.en.trees"));
  EXPECT_EQ(result.exit_code, kExitUsage);
  EXPECT_THAT(result.errors, HasSubstr("--trees is for lines of text; DATA has its own"));
}

}  // namespace
}  // namespace phraseq::end_to_end
