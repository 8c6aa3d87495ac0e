// The tokenizers moses and bpe from raw text to a checkpoint that needs no other file.

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class TextProcessing : public ::testing::Test {
 protected:
  TextProcessing() { write_toy_corpus(workspace_, 200); }

  CommandResult run(const Arguments& arguments, std::string_view input = {}) {
    CommandResult result = workspace_.run(arguments, input);
    EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
    return result;
  }

  Workspace workspace_;
};

TEST_F(TextProcessing, OfTheTrainingIsInTheCheckpoint) {
  run(words("learn-bpe train.en train.de --moses en,de --merges 12 --output codes"));
  EXPECT_THAT(workspace_.read("codes"), StartsWith("#version: 0.2\n"));
  run(toy_preprocess() + words("--joined-dictionary --tokenizer moses --bpe subword_nmt "
                               "--bpe-codes codes --bpe-vocabulary-threshold 0"));
  run(toy_train("checkpoints", 4) + words("--share-all-embeddings --threads 1"));
  std::filesystem::remove_all(workspace_.path("data-bin"));
  std::filesystem::remove(workspace_.path("codes"));

  const Arguments generate = words("generate --path checkpoints --threads 1");
  const auto lines =
      lines_of(run(generate + words("--format fairseq"), "one two.\n\nzero\n").output);
  ASSERT_EQ(lines.size(), 12U);
  EXPECT_THAT(lines[0], StartsWith("S-0\t"));
  EXPECT_THAT(lines[0], HasSubstr("@@ "));
  for (const std::string& line : lines) {
    if (line.starts_with("D-")) {
      EXPECT_EQ(line.find("@@"), std::string::npos) << line;
    }
  }
  const CommandResult twice = workspace_.run(generate + words("--tokenizer moses"), "one\n");
  EXPECT_EQ(twice.exit_code, kExitUsage);
  EXPECT_THAT(twice.errors, HasSubstr("contains the tokenizer 'moses' of its training"));
  for (const char* options : {"", "--tokenizer space "}) {
    const auto subwords = words(options + std::string("--bpe sentencepiece"));
    EXPECT_THAT(workspace_.run(generate + subwords, "one\n").errors,
                HasSubstr("contains no SentencePiece model"));
  }
}

TEST_F(TextProcessing, NamesFilesThatNothingUses) {
  const auto rejection = [&](const std::string& options) {
    const CommandResult result = workspace_.run(toy_preprocess() + words(options));
    EXPECT_EQ(result.exit_code, kExitUsage) << options;
    return result.errors;
  };
  EXPECT_THAT(rejection("--bpe-codes codes"), HasSubstr("error: --bpe-codes needs --bpe"));
  EXPECT_THAT(rejection("--tokenizer moses --bpe-codes codes"),
              HasSubstr("error: --bpe-codes needs --bpe"));
  EXPECT_THAT(rejection("--bpe subword_nmt --bpe-codes codes --bpe-vocabulary-threshold 5"),
              HasSubstr("--bpe-vocabulary-threshold needs --bpe-vocabulary"));
}

TEST_F(TextProcessing, MayHaveCodesForEachLanguage) {
  run(words("learn-bpe train.en --merges 5 --output codes.en"));
  run(words("learn-bpe train.de --merges 9 --output codes.de"));
  run(toy_preprocess() + words("--bpe subword_nmt --bpe-codes codes.{lang}"));
  EXPECT_THAT(workspace_.read("data-bin/manifest.json"), HasSubstr("bpe.de.model"));
  for (const std::string language : {".en", ".de"}) {
    workspace_.write("data-bin/train" + language, workspace_.read("train" + language));
    workspace_.write("data-bin/valid" + language, workspace_.read("dev" + language));
  }
  run(toy_train("checkpoints", 2) + words("--data-loader text --bpe-dropout 0.5 --threads 1"));
  std::filesystem::remove_all(workspace_.path("data-bin"));
  EXPECT_THAT(run(words("generate --path checkpoints --format jsonl"), "one two\n").output,
              HasSubstr("@@ "));
}

TEST_F(TextProcessing, OfTextWithoutWordsGivesAWarning) {
  workspace_.write("blank", "\n \n");
  EXPECT_THAT(run(words("learn-bpe blank --output codes")).errors,
              HasSubstr("the text has no words: the codes are empty"));
  workspace_.write("returns", "a\rb a\rb\n");  // words are separated by a carriage return, too
  EXPECT_EQ(run(words("learn-bpe returns --output -")).output, "#version: 0.2\n");
  EXPECT_THAT(run(words("truecase learn blank --output model")).errors,
              HasSubstr("the text has no words to learn the spelling of: the model is empty"));
}

}  // namespace
}  // namespace phraseq::end_to_end
