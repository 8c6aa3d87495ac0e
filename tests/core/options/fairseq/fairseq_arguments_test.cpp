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

  Taken take(const std::string& command, const std::vector<std::string>& arguments) {
    return take_flags(command, table_, arguments);
  }

  std::string data_, restore_, subset_;
  int64_t beam_ = 5;
  bool cpu_ = false;
  std::vector<std::string> overrides_;
  OptionTable table_;
};

TEST_F(FlagsOfFairseq, WithoutEffectAreLeftOutWithTheirValuesAndANote) {
  const Taken taken = take("train",
                           {"--num-workers",
                            "4",
                            "data-bin",
                            "--amp-scale-window=-1",
                            "--heartbeat_timeout",
                            "25",
                            "--skip-invalid-size-inputs-valid-test",
                            "--beam",
                            "3"});
  EXPECT_THAT(taken.arguments, ElementsAre("data-bin", "--beam", "3"));
  EXPECT_THAT(taken.problems, IsEmpty());
  EXPECT_THAT(taken.notes,
              ElementsAre(HasSubstr("--num-workers has no effect here: one thread"),
                          HasSubstr("--amp-scale-window"),
                          HasSubstr("--heartbeat-timeout"),
                          HasSubstr("--skip-invalid-size-inputs-valid-test")));
}

TEST_F(FlagsOfFairseq, LeaveOtherOptionsTheirValues) {
  EXPECT_THAT(take("interactive", {"--cpu", "no", "--beam", "3"}).arguments,
              ElementsAre("--cpu", "no", "--beam", "3"));
  EXPECT_THAT(take("interactive", {"--model-overrides", "a=1", "b=2"}).arguments,
              ElementsAre("--model-overrides", "a=1", "b=2"));
  EXPECT_THAT(take("interactive", {"--cpu", "data-bin"}).arguments,
              ElementsAre("--cpu", "--format=fairseq"));
}

TEST_F(FlagsOfFairseq, ThatWouldChangeTheResultAreRejectedWithAReason) {
  const Taken taken = take("generate", {"data-bin", "--print-step", "--retain-dropout"});
  EXPECT_THAT(taken.arguments, ElementsAre("data-bin"));
  EXPECT_THAT(taken.problems,
              ElementsAre("--print-step is not supported: there are no iterative models",
                          HasSubstr("--retain-dropout is not supported: ")));
}

TEST_F(FlagsOfFairseq, MayHaveTheirDefaultWhereNothingElseIsSupported) {
  const Taken same =
      take("train", {"--model-parallel-size", "1", "--quant-noise-pq=0.0", "--curriculum", "0"});
  EXPECT_THAT(same.arguments, IsEmpty());
  EXPECT_THAT(same.problems, IsEmpty());
  EXPECT_THAT(take("generate", {"--iter-decode-max-iter", "10"}).problems, IsEmpty());
  EXPECT_THAT(take("generate", {"--iter-decode-max-iter", "4"}).problems,
              ElementsAre(HasSubstr("--iter-decode-max-iter 4 is not supported")));
  const Taken other = take("train", {"--model-parallel-size", "8"});
  EXPECT_THAT(other.problems,
              ElementsAre(HasSubstr("--model-parallel-size 8 is not supported: every process holds "
                                    "the whole model")));
}

/// Programs that call fairseq pass all of its defaults.
TEST_F(FlagsOfFairseq, MayTurnSamplingOffWithoutADecoderThatSamples) {
  EXPECT_THAT(
      take("generate", {"--sampling-topk", "-1", "--sampling-topp=-1.0", "--beam", "3"}).arguments,
      ElementsAre("--beam", "3"));
  EXPECT_THAT(take("generate", {"--sampling-topk", "10"}).arguments,
              ElementsAre("--sampling-topk", "10"));
  int64_t most = 0;
  table_.field("sampling-topk", most, "An option of the decoder.");
  EXPECT_THAT(take("generate", {"--sampling-topk", "-1"}).arguments,
              ElementsAre("--sampling-topk", "-1"));
}

TEST_F(FlagsOfFairseq, AreReplacedByOptionsOfPhraseq) {
  EXPECT_THAT(
      take("train", {"--layernorm-embedding", "--no-token-positional-embeddings"}).arguments,
      ElementsAre("--embed-norm=before-dropout", "--pos=none"));
  EXPECT_THAT(take("generate", {"--results-path", "out", "--gen-subset", "valid"}).arguments,
              ElementsAre("--output=out/generate-valid.txt", "--gen-subset", "valid"));
}

/// Up to fairseq 0.9, --min-lr was the name of --stop-min-lr; later, it is an option of cosine
/// only.
TEST_F(FlagsOfFairseq, ThatSetASmallestLearningRateStopTheTrainingUnlessTheSchedulerHasThem) {
  double least = 0;
  table_.field("stop-min-lr", least, "An option of the training.");
  EXPECT_THAT(take("train", {"--min-lr", "1e-09"}).arguments, ElementsAre("--stop-min-lr=1e-09"));
  table_.field("min-lr", least, "An option of the scheduler.");
  EXPECT_THAT(take("train", {"--min-lr", "1e-09"}).arguments, ElementsAre("--min-lr", "1e-09"));
}

TEST_F(FlagsOfFairseq, GiveWayToOptionsThatACommandHas) {
  std::string bpe;
  table_.field("bpe", bpe, "An option of a plugin.");
  EXPECT_THAT(take("generate", {"--bpe", "mine"}).arguments, ElementsAre("--bpe", "mine"));
}

TEST_F(FlagsOfFairseq, OfOtherCommandsAndUnknownOnesStay) {
  const std::vector<std::string> arguments = {
      "--destdir", "x", "--num-wokers", "2", "--", "--fp16"};
  EXPECT_EQ(take("train", arguments).arguments, arguments);
  EXPECT_EQ(take("plot", {"--fp16"}).arguments, std::vector<std::string>{"--fp16"});
}

TEST_F(FlagsOfFairseq, MayBeOtherNamesOfOptionsOfPhraseq) {
  double decay = 0;
  table_.field("weight-decay", decay, "Weight decay.");
  EXPECT_THAT(take("train", {"--wd", "0.1", "--wd=0.2", "data-bin"}).arguments,
              ElementsAre("--weight-decay", "0.1", "--weight-decay=0.2", "data-bin"));
  EXPECT_THAT(take("train", {"--adamax-eps", "1"}).arguments, ElementsAre("--adamax-eps", "1"));
}

TEST_F(FlagsOfFairseq, TakeTheDataFolderOfInteractiveForTheOutputFormatButNotAValue) {
  const Taken taken = take("interactive", {"--beam", "3", "data-bin", "--beam=2"});
  EXPECT_THAT(taken.arguments, ElementsAre("--beam", "3", "--format=fairseq", "--beam=2"));
  EXPECT_THAT(taken.notes,
              ElementsAre(HasSubstr("data-bin selects only the output format of fairseq")));
  EXPECT_THAT(take("interactive", {"data-bin", "--format=plain"}).arguments,
              ElementsAre("--format=plain"));
}

TEST_F(FlagsOfFairseq, TakeThePythonDictionaryOfModelOverrides) {
  const Taken taken =
      take("generate",
           {"--model-overrides",
            "{'beam': 5, \"dropout\": 0.1, 'share_all_embeddings': True, 'pos': 'learned'}"});
  EXPECT_THAT(taken.arguments,
              ElementsAre("--model-overrides=dropout=0.1,share_all_embeddings=yes,pos=learned"));
  EXPECT_THAT(taken.notes, ElementsAre(HasSubstr("'beam' in --model-overrides has no effect")));
  EXPECT_THAT(take("generate", {"--model-overrides={}", "x"}).arguments, ElementsAre("x"));
  const std::vector<std::string> ours = {"--model-overrides", "dropout=0.1"};
  EXPECT_EQ(take("generate", ours).arguments, ours);
}

TEST_F(FlagsOfFairseq, SelectTheCheckpointOfTheLowestPerplexityByItsLoss) {
  std::string metric;
  table_.field("best-checkpoint-metric", metric, "Metric.");
  EXPECT_THAT(take("train", {"--best-checkpoint-metric", "ppl"}).arguments,
              ElementsAre("--best-checkpoint-metric=nll_loss"));
}

TEST_F(FlagsOfFairseq, TakeTheMarkOfSubwordsForTheirKind) {
  std::string kind;
  table_.field("remove-bpe", kind, "Subwords.").alias("post-process");
  for (const char* option : {"--remove-bpe", "--post-process"}) {
    EXPECT_THAT(take("generate", {option, "@@ ", "--beam", "3"}).arguments,
                ElementsAre(std::string(option) + "=subword_nmt", "--beam", "3"));
  }
  for (const char* given : {"--remove-bpe=@@ ", "--remove-bpe=@@"})
    EXPECT_THAT(take("generate", {given}).arguments, ElementsAre("--remove-bpe=subword_nmt"));
  EXPECT_THAT(take("generate", {"--remove-bpe", "letter"}).arguments,
              ElementsAre("--remove-bpe", "letter"));
}

TEST_F(FlagsOfFairseq, NameTheWayToUseAnotherKindOfSubwords) {
  std::string bpe;
  table_.field("bpe", bpe, "Subwords.").one_of({"none", "fastbpe"});
  const Taken taken = take("interactive", {"--bpe", "sentencepiece", "--beam", "3"});
  EXPECT_THAT(taken.arguments, ElementsAre("--beam", "3"));
  EXPECT_THAT(taken.problems,
              ElementsAre(AllOf(HasSubstr("--bpe sentencepiece is not supported"),
                                HasSubstr("--subword-model FILE"))));
  EXPECT_THAT(take("generate", {"--bpe=gpt2"}).problems,
              ElementsAre(HasSubstr("already segmented")));
  EXPECT_THAT(take("preprocess", {"--bpe", "fastbpe"}).arguments, ElementsAre("--bpe", "fastbpe"));
  EXPECT_THAT(take("preprocess", {"--bpe", "unknown"}).problems, IsEmpty());
}

TEST_F(FlagsOfFairseq, TakeTheSubwordsOfTheCheckpoint) {
  for (const char* value : {"none", "sentencepiece"}) {
    const Taken taken = take("interactive", {"--bpe", value, "--beam", "3"});
    EXPECT_THAT(taken.arguments, ElementsAre("--beam", "3"));
    EXPECT_THAT(taken.problems, IsEmpty());
  }
  const std::vector<std::string> other = {"--tokenizer", "word", "--bpe", "sentencepiece"};
  EXPECT_EQ(take("generate", other).arguments, other);
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

  Taken take(const std::vector<std::string>& arguments) {
    return take_flags("score", table_, arguments);
  }

  std::vector<std::string> references_, input_;
  bool fairseq_ = false;
  std::string method_ = "exp";
  OptionTable table_;
};

TEST_F(FlagsOfFairseqScore, OfOneLetterAreFilesWithTheBleuOfFairseq) {
  const Taken taken = take({"-s", "out", "-r=truth", "--fairseq"});
  EXPECT_THAT(taken.arguments, ElementsAre("--sys", "out", "--ref=truth", "--fairseq"));
  EXPECT_THAT(taken.problems, IsEmpty());
  EXPECT_THAT(take({"--fairseq", "-i", "out"}).arguments, ElementsAre("--fairseq", "-i", "out"));
}

TEST_F(FlagsOfFairseqScore, OfOneLetterAreThoseOfSacrebleuOtherwise) {
  EXPECT_THAT(take({"-s", "none", "truth"}).arguments, ElementsAre("-s", "none", "truth"));
  EXPECT_THAT(take({"-s", "out", "-r", "truth", "--no-fairseq"}).problems,
              ElementsAre(AllOf(HasSubstr("-s out is not supported: -s is --smooth-method here"),
                                HasSubstr("--sys, or add --fairseq"))));
  EXPECT_THAT(take({"--smooth-method", "out"}).problems, IsEmpty());
}

TEST_F(FlagsOfFairseq, MaySelectNoSubwordsWithoutATokenizer) {
  for (const char* command : {"generate", "preprocess"}) {
    const Taken taken = take(command, {"--bpe", "none", "data-bin", "--bpe=none"});
    EXPECT_THAT(taken.arguments, ElementsAre("data-bin"));
    EXPECT_THAT(taken.notes, IsEmpty());
  }
  EXPECT_THAT(take("generate", {"--bpe", "fastbpe"}).arguments, ElementsAre("--bpe", "fastbpe"));
}

TEST_F(FlagsOfFairseq, OfAComponentThatIsNotSelectedAreReportedByTheirOwnNames) {
  const Taken without = take("train", {"--eval-tokenized-bleu"});
  EXPECT_THAT(without.arguments, IsEmpty());
  EXPECT_THAT(without.problems,
              ElementsAre("--eval-tokenized-bleu: it needs --eval-bleu with the metric bleu"));
  std::string tokenizer;
  table_.field("bleu-tokenize", tokenizer, "Tokenizer.");
  const Taken with = take("train", {"--eval-tokenized-bleu"});
  EXPECT_THAT(with.arguments, ElementsAre("--bleu-tokenize=none"));
  EXPECT_THAT(with.problems, IsEmpty());
}

TEST_F(FlagsOfFairseq, TakeTheNameOfACheckpointWithoutItsExtension) {
  EXPECT_THAT(take("train", {"--restore-file", "checkpoint_last.pt"}).arguments,
              ElementsAre("--restore-file=checkpoint_last"));
}

}  // namespace
}  // namespace phraseq::fairseq
