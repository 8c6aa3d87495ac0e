#include <string>
#include <utility>

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

/// Replaces line `number` (from 1) of a text.
std::string with_line(const std::string& text, size_t number, const std::string& replacement) {
  std::string result;
  auto lines = lines_of(text);
  lines.at(number - 1) = replacement;
  for (const std::string& line : lines) result += line + '\n';
  return result;
}

class BadInput : public ::testing::Test {
 protected:
  BadInput() { write_toy_corpus(workspace_); }

  /// Expects that preprocessing fails with `code`, and that a partial data folder is not accepted.
  CommandResult expect_refusal(ExitCode code) {
    CommandResult result = workspace_.run(toy_preprocess());
    EXPECT_EQ(result.exit_code, code) << result.errors;
    EXPECT_FALSE(workspace_.exists("data-bin/manifest.json"));
    return result;
  }

  Workspace workspace_;
};

TEST_F(BadInput, DifferentLineCountsAreAnErrorWithBothCounts) {
  workspace_.write("train.de", workspace_.read("train.de") + "eins\n");
  EXPECT_THAT(expect_refusal(kExitData).errors,
              AllOf(HasSubstr("200"), HasSubstr("201"), HasSubstr("train.de")));
}

TEST_F(BadInput, InvalidUtf8IsNamedByFileLineAndByte) {
  workspace_.write("train.de", with_line(workspace_.read("train.de"), 42, "eins \xC3( zwei"));
  EXPECT_THAT(expect_refusal(kExitData).errors, HasSubstr("train.de:42:6"));
}

TEST_F(BadInput, ResultsDoNotReplaceTheModel) {
  ASSERT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
  ASSERT_EQ(workspace_.run(toy_train("run", 2)).exit_code, kExitOk);
  const std::string pointed = workspace_.read("run/checkpoint_last");
  const std::string model = "run/" + pointed.substr(0, pointed.find_first_of(" \n"));
  const std::string before = workspace_.read(model);
  for (const std::string& path : {model, std::string("run"), std::string("run/checkpoint_last")}) {
    for (const char* command : {"generate --input", "rescore --target train.de --source"}) {
      const CommandResult result = workspace_.run(
          words(std::string(command) + " train.en --path " + path + " --output " + model));
      EXPECT_EQ(result.exit_code, kExitUsage) << path << result.errors;
      EXPECT_THAT(result.errors, HasSubstr("is one of the inputs"));
    }
  }
  EXPECT_EQ(workspace_.read(model), before);
  const CommandResult pointer =
      workspace_.run(words("generate --input train.en --path run --output run/checkpoint_best"));
  EXPECT_EQ(pointer.exit_code, kExitUsage);
  EXPECT_THAT(pointer.errors, HasSubstr("checkpoint_best: is a pointer of a training run"));
  const std::string dictionary = workspace_.read("data-bin/dict.en.txt");
  const CommandResult data = workspace_.run(
      words("generate data-bin --gen-subset valid --path run --output ./data-bin/dict.en.txt"));
  EXPECT_EQ(data.exit_code, kExitUsage);
  EXPECT_THAT(data.errors, HasSubstr("is one of the inputs"));
  EXPECT_EQ(workspace_.read("data-bin/dict.en.txt"), dictionary);
}

TEST_F(BadInput, InvalidLinesThatGenerateSkipsOrMendsAreNamed) {
  ASSERT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
  ASSERT_EQ(workspace_.run(toy_train("run", 2)).exit_code, kExitOk);
  const Arguments generate = words("generate --path run --max-len-b 3 --on-bad-line skip");
  const CommandResult skipped = workspace_.run(generate, "one \xFF\ntwo\nthree \x01\n");
  EXPECT_EQ(skipped.exit_code, kExitOk);
  const auto lines = lines_of(skipped.output);
  ASSERT_EQ(lines.size(), 3u) << skipped.output;
  EXPECT_EQ(lines[0] + lines[2], "");
  EXPECT_THAT(skipped.errors,
              AllOf(HasSubstr("standard input:1: byte that is never in UTF-8: the line is treated "
                              "as empty\n"),
                    HasSubstr("standard input:3: control byte: the line is treated as empty\n")));
  EXPECT_THAT(workspace_.run(generate, "two\n").errors, Not(HasSubstr("as empty")));
  const CommandResult many =
      workspace_.run(words("generate --path run --max-len-b 3 --on-bad-line replace"),
                     "one \xFF\n\xFF\n\xFF\n\xFF\n\xFF\n\xFF\n\xFF\n\xFF\n\xFF\n\xFF\n\xFF\n");
  EXPECT_THAT(many.errors,
              AllOf(HasSubstr("standard input:10: byte that is never in UTF-8: replaced; further"),
                    Not(HasSubstr("standard input:11:"))));
}

TEST_F(BadInput, AnEmptyTrainingFileIsAnError) {
  workspace_.write("train.en", "");
  workspace_.write("train.de", "");
  EXPECT_THAT(expect_refusal(kExitData).errors, HasSubstr("train.en"));
}

TEST_F(BadInput, EmbeddingsOfTwoDictionariesAreNotSharedAndTheAdviceHelps) {
  ASSERT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
  const Arguments train = words(
      "train data-bin --save-dir checkpoints --arch phrase_transformer_tiny_3 --optimizer adam "
      "--lr 0.001 --max-tokens 400 --max-update 1 --threads 1");
  const CommandResult rejected = workspace_.run(train);
  EXPECT_EQ(rejected.exit_code, kExitUsage);
  EXPECT_THAT(rejected.errors, HasSubstr("--share-all-embeddings no"));
  EXPECT_FALSE(workspace_.exists("checkpoints"));
  const CommandResult advised = workspace_.run(train + words("--share-all-embeddings no"));
  EXPECT_EQ(advised.exit_code, kExitOk) << advised.errors;
}

TEST_F(BadInput, ATrainingWithoutItsDataLeavesNoFolder) {
  const CommandResult result = workspace_.run(
      words("train absent --save-dir new/run --arch transformer_tiny --max-tokens 400"));
  EXPECT_NE(result.exit_code, kExitOk);
  EXPECT_THAT(result.errors, HasSubstr("absent"));
  EXPECT_FALSE(workspace_.exists("new"));
}

TEST_F(BadInput, ImpossibleOptionsOfArchitecturesAreNamed) {
  ASSERT_EQ(workspace_.run(toy_preprocess() + words("--joined-dictionary")).exit_code, kExitOk);
  const std::pair<const char*, const char*> cases[] = {
      {"phrasal_tiny --pa-type heterogeneous --pa-ngrams 1,2000000000", "--pa-ngrams"},
      {"phrasal_tiny --pa-where=", "--pa-where"},
      {"phrasal_tiny --pa-ngrams 22 --decoder-attention-heads 8", "--pa-ngrams"},
      {"phrase_rep_base --pr-attn-hidden 99999999999d", "--pr-attn-hidden"},
      {"phrase_rep_base --pr-comb-hidden 2000000000", "--pr-comb-hidden"},
      {"phrase_rep_base --pr-seg-max 2000000000", "--pr-seg-max"},
      {"phrase_transformer_tiny_3 --pt-grams 2000000000", "--pt-grams"},
      {"phrase_transformer_tiny_3 --pt-layers 5", "--pt-layers"},
      {"phrasenet_tiny_gate --task translation_with_phrase_memory --pn-slots 2000000000",
       "--pn-slots"},
      {"transformer_tiny --encoder-embed-dim 33 --encoder-attention-heads 3",
       "--encoder-embed-dim 33: --pos"}};
  for (const auto& [options, named] : cases) {
    const CommandResult result =
        workspace_.run(words(std::string("train data-bin --arch ") + options));
    EXPECT_EQ(result.exit_code, kExitUsage) << options;
    EXPECT_THAT(result.errors, HasSubstr(named)) << options;
  }
}

TEST_F(BadInput, AMissingFileIsNamed) {
  std::filesystem::remove(workspace_.path("dev.de"));
  EXPECT_THAT(expect_refusal(kExitIo).errors, HasSubstr("dev.de"));
}

TEST_F(BadInput, AnEmptyPrefixIsNotAFile) {
  const auto result = workspace_.run(
      words("preprocess -s en -t de --trainpref train --validpref dev, --destdir out"));
  EXPECT_EQ(result.exit_code, kExitUsage);
  EXPECT_THAT(result.errors, HasSubstr("--validpref contains an empty prefix"));
}

TEST_F(BadInput, AnOverLongLineIsNamed) {
  workspace_.write("train.en",
                   with_line(workspace_.read("train.en"), 17, std::string(2 << 20, 'x')));
  EXPECT_THAT(expect_refusal(kExitData).errors, HasSubstr("train.en:17"));
}

TEST_F(BadInput, CarriageReturnsAtLineEndsChangeNothing) {
  ASSERT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
  const std::string clean = workspace_.read("data-bin/train.en-de.de.bin");
  std::string with_returns;
  for (const std::string& line : lines_of(workspace_.read("train.de")))
    with_returns += line + "\r\n";
  workspace_.write("train.de", with_returns);
  std::filesystem::remove_all(workspace_.path("data-bin"));
  const CommandResult again = workspace_.run(toy_preprocess());
  ASSERT_EQ(again.exit_code, kExitOk) << again.errors;
  EXPECT_EQ(workspace_.read("data-bin/train.en-de.de.bin"), clean);
}

TEST_F(BadInput, ASplitWithoutReferencesIsNamedBeforeTheWork) {
  ASSERT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
  ASSERT_EQ(workspace_.run(toy_train("checkpoints", 2)).exit_code, kExitOk);
  ASSERT_EQ(workspace_
                .run(words("preprocess --only-source -s en -t de --validpref dev --testpref test "
                           "--srcdict data-bin/dict.en.txt --tgtdict data-bin/dict.de.txt "
                           "--destdir sources"))
                .exit_code,
            kExitOk);
  for (const std::string command : {"rescore sources", "validate sources --valid-subset test"}) {
    const auto result = workspace_.run(words(command + " --path checkpoints"));
    EXPECT_EQ(result.exit_code, kExitData) << result.errors;
    EXPECT_THAT(result.errors,
                AllOf(HasSubstr("the split 'test' has no references"), HasSubstr("--only-source")));
  }
}

TEST_F(BadInput, ValidateNamesAMissingSplitAndTheCriterionOfAnOption) {
  ASSERT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
  ASSERT_EQ(workspace_.run(toy_train("run", 1)).exit_code, kExitOk);
  const auto validate = [&](const std::string& more) {
    return workspace_.run(words("validate data-bin --path run " + more));
  };
  const CommandResult no_split = validate("--valid-subset nothing");
  EXPECT_EQ(no_split.exit_code, kExitData);
  EXPECT_THAT(no_split.errors, HasSubstr("data-bin has no split 'nothing'"));
  const CommandResult smoothed = validate("--criterion cross_entropy --label-smoothing 0.1");
  EXPECT_EQ(smoothed.exit_code, kExitUsage);
  EXPECT_THAT(smoothed.errors, HasSubstr("--criterion label_smoothed_cross_entropy"));
}

TEST_F(BadInput, AMissingDataFolderOrAFileInsteadIsNamedByEveryCommand) {
  ASSERT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
  ASSERT_EQ(workspace_.run(toy_train("run", 1)).exit_code, kExitOk);
  const auto errors_of = [&](const std::string& command) {
    const CommandResult result = workspace_.run(words(command));
    EXPECT_EQ(result.exit_code, kExitIo) << command << "\n" << result.errors;
    EXPECT_THAT(result.errors, HasSubstr("Run phraseq preprocess to make one.")) << command;
    return result.errors;
  };
  for (const std::string command : {"validate", "generate", "rescore"}) {
    EXPECT_THAT(errors_of(command + " nowhere --path run"),
                HasSubstr("nowhere: cannot open the data folder: No such file or directory"));
  }
  const std::string not_a_folder = "train.en: cannot open the data folder: Not a directory";
  EXPECT_THAT(errors_of("validate train.en --path run"), HasSubstr(not_a_folder));
  EXPECT_THAT(errors_of("train train.en --arch transformer --max-tokens 100 --max-update 1"),
              HasSubstr(not_a_folder));
}

TEST_F(BadInput, AnUnknownNameIsAnsweredWithTheNearestKnownOne) {
  ASSERT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
  const CommandResult result =
      workspace_.run({"train", "data-bin", "--arch", "transfomer", "--max-tokens", "100"});
  EXPECT_EQ(result.exit_code, kExitUsage);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("transfomer"), HasSubstr("transformer")));
}

TEST_F(BadInput, ThreeWrongOptionsAreReportedTogether) {
  ASSERT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
  const CommandResult result = workspace_.run(
      toy_train("checkpoints", 3) +
      Arguments{"--dropuot", "0.1", "--label-smoothing", "1.5", "--max-update", "many"});
  EXPECT_EQ(result.exit_code, kExitUsage);
  EXPECT_THAT(result.errors,
              AllOf(HasSubstr("--dropuot"),
                    HasSubstr("--dropout"),
                    HasSubstr("label-smoothing"),
                    HasSubstr("1.5"),
                    HasSubstr("max-update"),
                    HasSubstr("many")));
  EXPECT_FALSE(workspace_.exists("checkpoints"));
}

TEST_F(BadInput, AnOptionOfAnotherComponentIsAnsweredWithThatComponent) {
  const CommandResult result = workspace_.run(words(
      "train data-bin --arch transformer_lm --max-tokens 100 "
      "--criterion cross_entropy --label-smoothing 0.1 --optimizer sgd --adam-betas 0.9,0.98"));
  EXPECT_EQ(result.exit_code, kExitUsage);
  EXPECT_THAT(result.errors,
              AllOf(HasSubstr("unknown option --label-smoothing; it is an option of --criterion "
                              "label_smoothed_cross_entropy"),
                    HasSubstr("unknown option --adam-betas; it is an option of --optimizer adam")));
}

TEST_F(BadInput, AnOptionOfAnotherDecoderIsAnsweredWithThatDecoder) {
  for (const std::string command : {"generate", "interactive"}) {
    const CommandResult result =
        workspace_.run(words(command + " --path run --decoder greedy --sampling-topk 5"));
    EXPECT_EQ(result.exit_code, kExitUsage);
    EXPECT_THAT(result.errors,
                HasSubstr("unknown option --sampling-topk; it is an option of --decoder sampling"));
  }
}

TEST_F(BadInput, AnOptionOfATokenizerIsAnsweredWithPreprocess) {
  const CommandResult result =
      workspace_.run(words("train data-bin --arch transformer_tiny --max-tokens 100 --lowercase"));
  EXPECT_EQ(result.exit_code, kExitUsage);
  EXPECT_THAT(result.errors,
              AllOf(HasSubstr("unknown option --lowercase; it is an option of --tokenizer "),
                    HasSubstr("'phraseq preprocess' takes and records it")));
}

TEST_F(BadInput, AnOptionOfTheModelIsAnsweredWithTheCheckpoint) {
  const CommandResult result = workspace_.run(words("generate --path run --encoder-layers 3"));
  EXPECT_EQ(result.exit_code, kExitUsage);
  EXPECT_THAT(result.errors,
              AllOf(HasSubstr("unknown option --encoder-layers; it is an option of --arch "),
                    HasSubstr("the checkpoint contains its value"),
                    HasSubstr("--model-overrides")));
}

TEST_F(BadInput, EachValidationSplitHasANameOfItsOwn) {
  for (const std::string subsets : {"valid,valid", "valid,", ",valid"}) {
    for (const std::string command : {"train data-bin --arch transformer_tiny --max-tokens 100",
                                      "validate data-bin --path run"}) {
      const CommandResult result = workspace_.run(words(command + " --valid-subset " + subsets));
      EXPECT_EQ(result.exit_code, kExitUsage) << command;
      EXPECT_THAT(result.errors,
                  HasSubstr("--valid-subset is '" + subsets +
                            "': expected names of splits, separated by commas, each given once"));
    }
  }
}

TEST_F(BadInput, AFlagThatContradictsItsLongFormIsAnError) {
  const CommandResult result = workspace_.run(words(
      "train data-bin --arch transformer_tiny --sentence-avg --loss-normalization none --bf16 "
      "--precision fp32"));
  EXPECT_EQ(result.exit_code, kExitUsage);
  EXPECT_THAT(result.errors,
              AllOf(HasSubstr("--sentence-avg means --loss-normalization sentences: give one"),
                    HasSubstr("--bf16 means --precision bf16: give one")));
  ASSERT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
  EXPECT_EQ(workspace_
                .run(toy_train("run", 1) +
                     words("--sentence-avg --loss-normalization sentences --fp16 --precision fp16"))
                .exit_code,
            kExitOk);
}

TEST_F(BadInput, WrongOptionsOfTheValidationsSearchAreNamed) {
  const auto complaint = [&](const std::string& options) {
    const CommandResult result =
        workspace_.run(words("train data-bin --arch transformer_tiny --eval-bleu") +
                       Arguments{"--eval-bleu-args", options});
    EXPECT_EQ(result.exit_code, kExitUsage);
    return result.errors;
  };
  EXPECT_THAT(complaint(R"({"lenpn": 1, "beam": "four"})"),
              AllOf(HasSubstr("--eval-bleu-args: unknown option 'lenpn'; did you mean 'lenpen'?"),
                    HasSubstr("--eval-bleu-args: --beam: 'four' is not an integer")));
  EXPECT_THAT(complaint(R"({"beam": 4, "diverse_beam_groups": 3})"),
              HasSubstr("--eval-bleu-args: --beam must be a multiple of --diverse-beam-groups"));
  EXPECT_THAT(complaint("{'beam': 4}"),
              AllOf(HasSubstr("--eval-bleu-args: not JSON: {'beam': 4}; error at line 1, column 2"),
                    HasSubstr("; expected a JSON object such as {\"beam\": 4}")));
}

TEST_F(BadInput, AnUnknownCommandIsAnsweredWithTheNearestKnownOne) {
  const CommandResult result = workspace_.run({"trian"});
  EXPECT_EQ(result.exit_code, kExitUsage);
  EXPECT_THAT(result.errors, HasSubstr("train"));
}

TEST_F(BadInput, ADamagedDataFolderIsRejected) {
  ASSERT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
  std::filesystem::resize_file(workspace_.path("data-bin/train.en-de.de.bin"), 100);
  const CommandResult result = workspace_.run(toy_train("checkpoints", 3));
  EXPECT_EQ(result.exit_code, kExitFormat);
  EXPECT_THAT(result.errors, HasSubstr("train.en-de.de"));
}

}  // namespace
}  // namespace phraseq::end_to_end
