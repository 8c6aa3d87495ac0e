#include "core/options/fairseq/fairseq_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace phraseq::fairseq {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FlagsOfFairseq : public ::testing::Test {
 protected:
  FlagsOfFairseq() {
    table_.field("data", data_, "Data.").positional();
    table_.field("beam", beam_, "Beam.");
    table_.field("model-overrides", overrides_, "Overrides.");
    table_.field("restore-file", restore_, "Checkpoint.");
    table_.field("gen-subset", subset_, "Split.");
    table_.field("cpu", cpu_, "CPU.");
  }

  ConvertedArguments convert(const std::string& command,
                             const std::vector<std::string>& arguments) {
    return convert_flags(command, table_, arguments);
  }

  std::string data_, restore_, subset_;
  int64_t beam_ = 5;
  bool cpu_ = false;
  std::vector<std::string> overrides_;
  OptionTable table_;
};

TEST_F(FlagsOfFairseq, WithoutEffectAreLeftOutWithTheirValuesAndANote) {
  const ConvertedArguments converted = convert("train",
                                               {"--num-workers",
                                                "4",
                                                "data-bin",
                                                "--amp-scale-window=-1",
                                                "--heartbeat_timeout",
                                                "25",
                                                "--skip-invalid-size-inputs-valid-test",
                                                "--beam",
                                                "3"});
  EXPECT_THAT(converted.arguments, ElementsAre("data-bin", "--beam", "3"));
  EXPECT_THAT(converted.problems, IsEmpty());
  EXPECT_THAT(converted.notes,
              ElementsAre(HasSubstr("--num-workers has no effect here: one thread"),
                          HasSubstr("--amp-scale-window"),
                          HasSubstr("--heartbeat-timeout"),
                          HasSubstr("--skip-invalid-size-inputs-valid-test")));
}

TEST_F(FlagsOfFairseq, LeaveOtherOptionsTheirValues) {
  EXPECT_THAT(convert("interactive", {"--cpu", "no", "--beam", "3"}).arguments,
              ElementsAre("--cpu", "no", "--beam", "3"));
  EXPECT_THAT(convert("interactive", {"--model-overrides", "a=1", "b=2"}).arguments,
              ElementsAre("--model-overrides", "a=1", "b=2"));
  EXPECT_THAT(convert("interactive", {"--cpu", "data-bin"}).arguments,
              ElementsAre("--cpu", "--format=fairseq"));
}

TEST_F(FlagsOfFairseq, ThatWouldChangeTheResultAreRejectedWithAReason) {
  const ConvertedArguments converted =
      convert("generate", {"data-bin", "--print-step", "--retain-dropout"});
  EXPECT_THAT(converted.arguments, ElementsAre("data-bin"));
  EXPECT_THAT(converted.problems,
              ElementsAre("--print-step is not supported: there are no iterative models",
                          HasSubstr("--retain-dropout is not supported: ")));
}

TEST_F(FlagsOfFairseq, MayHaveTheirDefaultWhereNothingElseIsSupported) {
  const ConvertedArguments same =
      convert("train", {"--model-parallel-size", "1", "--quant-noise-pq=0.0", "--curriculum", "0"});
  EXPECT_THAT(same.arguments, IsEmpty());
  EXPECT_THAT(same.problems, IsEmpty());
  EXPECT_THAT(convert("generate", {"--iter-decode-max-iter", "10"}).problems, IsEmpty());
  EXPECT_THAT(convert("generate", {"--iter-decode-max-iter", "4"}).problems,
              ElementsAre(HasSubstr("--iter-decode-max-iter 4 is not supported")));
  const ConvertedArguments other = convert("train", {"--model-parallel-size", "8"});
  EXPECT_THAT(other.problems,
              ElementsAre(HasSubstr("--model-parallel-size 8 is not supported: every process holds "
                                    "the whole model")));
}

/// Programs that call fairseq pass all of its defaults.
TEST_F(FlagsOfFairseq, MayTurnSamplingOffWithoutADecoderThatSamples) {
  EXPECT_THAT(convert("generate", {"--sampling-topk", "-1", "--sampling-topp=-1.0", "--beam", "3"})
                  .arguments,
              ElementsAre("--beam", "3"));
  EXPECT_THAT(convert("generate", {"--sampling-topk", "10"}).arguments,
              ElementsAre("--sampling-topk", "10"));
  int64_t most = 0;
  table_.field("sampling-topk", most, "An option of the decoder.");
  EXPECT_THAT(convert("generate", {"--sampling-topk", "-1"}).arguments,
              ElementsAre("--sampling-topk", "-1"));
}

TEST_F(FlagsOfFairseq, AreReplacedByOptionsOfPhraseq) {
  EXPECT_THAT(
      convert("train", {"--layernorm-embedding", "--no-token-positional-embeddings"}).arguments,
      ElementsAre("--embed-norm=before-dropout", "--pos=none"));
  EXPECT_THAT(convert("generate", {"--results-path", "out", "--gen-subset", "valid"}).arguments,
              ElementsAre("--output=out/generate-valid.txt", "--gen-subset", "valid"));
}

/// Up to fairseq 0.9, --min-lr was the name of --stop-min-lr; later, it is an option of cosine
/// only.
TEST_F(FlagsOfFairseq, ThatSetASmallestLearningRateStopTheTrainingUnlessTheSchedulerHasThem) {
  double least = 0;
  table_.field("stop-min-lr", least, "An option of the training.");
  EXPECT_THAT(convert("train", {"--min-lr", "1e-09"}).arguments,
              ElementsAre("--stop-min-lr=1e-09"));
  table_.field("min-lr", least, "An option of the scheduler.");
  EXPECT_THAT(convert("train", {"--min-lr", "1e-09"}).arguments, ElementsAre("--min-lr", "1e-09"));
}

TEST_F(FlagsOfFairseq, GiveWayToOptionsThatACommandHas) {
  std::string bpe;
  table_.field("bpe", bpe, "An option of a plugin.");
  EXPECT_THAT(convert("generate", {"--bpe", "mine"}).arguments, ElementsAre("--bpe", "mine"));
}

TEST_F(FlagsOfFairseq, OfOtherCommandsAndUnknownOnesStay) {
  const std::vector<std::string> arguments = {
      "--destdir", "x", "--num-wokers", "2", "--", "--fp16"};
  EXPECT_EQ(convert("train", arguments).arguments, arguments);
  EXPECT_EQ(convert("plot", {"--fp16"}).arguments, std::vector<std::string>{"--fp16"});
}

TEST_F(FlagsOfFairseq, MayBeOtherNamesOfOptionsOfPhraseq) {
  double decay = 0;
  table_.field("weight-decay", decay, "Weight decay.");
  EXPECT_THAT(convert("train", {"--wd", "0.1", "--wd=0.2", "data-bin"}).arguments,
              ElementsAre("--weight-decay", "0.1", "--weight-decay=0.2", "data-bin"));
  EXPECT_THAT(convert("train", {"--adamax-eps", "1"}).arguments, ElementsAre("--adamax-eps", "1"));
}

TEST_F(FlagsOfFairseq, TakeTheDataFolderOfInteractiveForTheOutputFormatButNotAValue) {
  const ConvertedArguments converted =
      convert("interactive", {"--beam", "3", "data-bin", "--beam=2"});
  EXPECT_THAT(converted.arguments, ElementsAre("--beam", "3", "--format=fairseq", "--beam=2"));
  EXPECT_THAT(converted.notes,
              ElementsAre(HasSubstr("data-bin selects only the output format of fairseq")));
  EXPECT_THAT(convert("interactive", {"data-bin", "--format=plain"}).arguments,
              ElementsAre("--format=plain"));
}

TEST_F(FlagsOfFairseq, TakeThePythonDictionaryOfModelOverrides) {
  const ConvertedArguments converted =
      convert("generate",
              {"--model-overrides",
               "{'beam': 5, \"dropout\": 0.1, 'share_all_embeddings': True, 'pos': 'learned'}"});
  EXPECT_THAT(converted.arguments,
              ElementsAre("--model-overrides=dropout=0.1,share_all_embeddings=yes,pos=learned"));
  EXPECT_THAT(converted.notes, ElementsAre(HasSubstr("'beam' in --model-overrides has no effect")));
  EXPECT_THAT(convert("generate", {"--model-overrides={}", "x"}).arguments, ElementsAre("x"));
  const std::vector<std::string> ours = {"--model-overrides", "dropout=0.1"};
  EXPECT_EQ(convert("generate", ours).arguments, ours);
}

TEST_F(FlagsOfFairseq, SelectTheCheckpointOfTheLowestPerplexityByItsLoss) {
  std::string metric;
  table_.field("best-checkpoint-metric", metric, "Metric.");
  EXPECT_THAT(convert("train", {"--best-checkpoint-metric", "ppl"}).arguments,
              ElementsAre("--best-checkpoint-metric=nll_loss"));
}

TEST_F(FlagsOfFairseq, TakeWholeNumbersInTheNotationOfRealOnes) {
  int64_t updates = 0;
  table_.field("total-num-update", updates, "Updates.");
  table_.field("lr-period-updates", updates, "Updates.");
  const auto number = [&](const std::string& value) {
    return convert("train", {"--total-num-update", value, "--lr-period-updates", value}).arguments;
  };
  EXPECT_THAT(number("1e5"),
              ElementsAre("--total-num-update=100000", "--lr-period-updates=100000"));
  EXPECT_THAT(number("1000.0"), ElementsAre("--total-num-update=1000", "--lr-period-updates=1000"));
  for (const std::string value : {"12", "10.5", "1e300", "nan", "many"})
    EXPECT_THAT(number(value),
                ElementsAre("--total-num-update", value, "--lr-period-updates", value));
}

TEST_F(FlagsOfFairseq, GiveTheReasonWhenAWayToExchangeGradientsIsMissing) {
  std::string name;
  table_.field("ddp-backend", name, "Backend.").one_of({"c10d"});
  table_.field("ddp-comm-hook", name, "Hook.").one_of({"none", "bf16"});
  EXPECT_THAT(convert("train", {"--ddp-backend", "fully_sharded"}).problems,
              ElementsAre(HasSubstr("--zero-sharding os")));
  EXPECT_THAT(convert("train", {"--ddp-backend", "slowmo"}).problems,
              ElementsAre(HasSubstr("--ddp-backend slowmo is not supported: ")));
  EXPECT_THAT(convert("train", {"--ddp-comm-hook=fp16"}).problems,
              ElementsAre(HasSubstr("--ddp-comm-hook bf16")));
  const std::vector<std::string> known = {"--ddp-backend", "c10d", "--ddp-comm-hook", "bf16"};
  EXPECT_EQ(convert("train", known).arguments, known);
}

TEST_F(FlagsOfFairseq, TakeTheMarkOfSubwordsForTheirKind) {
  std::string kind;
  table_.field("remove-bpe", kind, "Subwords.").alias("post-process");
  for (const char* option : {"--remove-bpe", "--post-process"}) {
    EXPECT_THAT(convert("generate", {option, "@@ ", "--beam", "3"}).arguments,
                ElementsAre(std::string(option) + "=subword_nmt", "--beam", "3"));
  }
  for (const char* given : {"--remove-bpe=@@ ", "--remove-bpe=@@"})
    EXPECT_THAT(convert("generate", {given}).arguments, ElementsAre("--remove-bpe=subword_nmt"));
  EXPECT_THAT(convert("generate", {"--remove-bpe", "letter"}).arguments,
              ElementsAre("--remove-bpe", "letter"));
}

TEST_F(FlagsOfFairseq, NameTheWayToUseAnotherKindOfSubwords) {
  std::string bpe;
  table_.field("bpe", bpe, "Subwords.").one_of({"none", "fastbpe"});
  const ConvertedArguments converted =
      convert("interactive", {"--bpe", "sentencepiece", "--beam", "3"});
  EXPECT_THAT(converted.arguments, ElementsAre("--beam", "3"));
  EXPECT_THAT(converted.problems,
              ElementsAre(AllOf(HasSubstr("--bpe sentencepiece is not supported"),
                                HasSubstr("--subword-model FILE"))));
  EXPECT_THAT(convert("generate", {"--bpe=gpt2"}).problems,
              ElementsAre(HasSubstr("already segmented")));
  EXPECT_THAT(convert("preprocess", {"--bpe", "fastbpe"}).arguments,
              ElementsAre("--bpe", "fastbpe"));
  EXPECT_THAT(convert("preprocess", {"--bpe", "unknown"}).problems, IsEmpty());
}

TEST_F(FlagsOfFairseq, TakeTheSubwordsOfTheCheckpoint) {
  for (const char* value : {"none", "sentencepiece"}) {
    const ConvertedArguments converted = convert("interactive", {"--bpe", value, "--beam", "3"});
    EXPECT_THAT(converted.arguments, ElementsAre("--beam", "3"));
    EXPECT_THAT(converted.problems, IsEmpty());
  }
  const std::vector<std::string> other = {"--tokenizer", "word", "--bpe", "sentencepiece"};
  EXPECT_EQ(convert("generate", other).arguments, other);
}

/// The options of `score` whose names differ between sacrebleu and fairseq.
class FlagsOfFairseqScore : public ::testing::Test {
 protected:
  FlagsOfFairseqScore() {
    table_.field("ref", references_, "References.").positional();
    table_.field("input", input_, "Systems.").short_flag("i").alias("sys");
    table_.field("fairseq", fairseq_, "BLEU of fairseq.");
    table_.field("smooth-method", method_, "Smoothing.").short_flag("s").one_of({"exp", "none"});
  }

  ConvertedArguments convert(const std::vector<std::string>& arguments) {
    return convert_flags("score", table_, arguments);
  }

  std::vector<std::string> references_, input_;
  bool fairseq_ = false;
  std::string method_ = "exp";
  OptionTable table_;
};

TEST_F(FlagsOfFairseqScore, OfOneLetterAreFilesWithTheBleuOfFairseq) {
  const ConvertedArguments converted = convert({"-s", "out", "-r=truth", "--fairseq"});
  EXPECT_THAT(converted.arguments, ElementsAre("--sys", "out", "--ref=truth", "--fairseq"));
  EXPECT_THAT(converted.problems, IsEmpty());
  EXPECT_THAT(convert({"--fairseq", "-i", "out"}).arguments, ElementsAre("--fairseq", "-i", "out"));
}

TEST_F(FlagsOfFairseqScore, OfOneLetterAreThoseOfSacrebleuOtherwise) {
  EXPECT_THAT(convert({"-s", "none", "truth"}).arguments, ElementsAre("-s", "none", "truth"));
  EXPECT_THAT(convert({"-s", "out", "-r", "truth", "--no-fairseq"}).problems,
              ElementsAre(AllOf(HasSubstr("-s out is not supported: -s is --smooth-method here"),
                                HasSubstr("--sys, or add --fairseq"))));
  EXPECT_THAT(convert({"--smooth-method", "out"}).problems, IsEmpty());
}

TEST_F(FlagsOfFairseq, MaySelectNoSubwordsWithoutATokenizer) {
  for (const char* command : {"generate", "preprocess"}) {
    const ConvertedArguments converted =
        convert(command, {"--bpe", "none", "data-bin", "--bpe=none"});
    EXPECT_THAT(converted.arguments, ElementsAre("data-bin"));
    EXPECT_THAT(converted.notes, IsEmpty());
  }
  EXPECT_THAT(convert("generate", {"--bpe", "fastbpe"}).arguments, ElementsAre("--bpe", "fastbpe"));
}

TEST_F(FlagsOfFairseq, OfAComponentThatIsNotSelectedAreReportedByTheirOwnNames) {
  const ConvertedArguments without = convert("train", {"--eval-tokenized-bleu"});
  EXPECT_THAT(without.arguments, IsEmpty());
  EXPECT_THAT(without.problems,
              ElementsAre("--eval-tokenized-bleu: it needs --eval-bleu with the metric bleu"));
  std::string tokenizer;
  table_.field("bleu-tokenize", tokenizer, "Tokenizer.");
  const ConvertedArguments with = convert("train", {"--eval-tokenized-bleu"});
  EXPECT_THAT(with.arguments, ElementsAre("--bleu-tokenize=none"));
  EXPECT_THAT(with.problems, IsEmpty());
}

TEST_F(FlagsOfFairseq, TakeTheNameOfACheckpointWithoutItsExtension) {
  EXPECT_THAT(convert("train", {"--restore-file", "checkpoint_last.pt"}).arguments,
              ElementsAre("--restore-file=checkpoint_last"));
}

}  // namespace
}  // namespace phraseq::fairseq
