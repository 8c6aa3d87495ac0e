// phraseq score and compare as a user runs them.

#include <filesystem>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/text/sentencepiece/sentencepiece_training.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq {
namespace {

using end_to_end::CommandResult;
using end_to_end::lines_of;
using end_to_end::words;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kSystem =
    "The dog bit the man.\nIt wasn't surprising.\nThe man had just bitten him.\n";

class ScoreCommands : public ::testing::Test {
 protected:
  ScoreCommands() {
    space.write("sys", kSystem);
    space.write("a", "The dog bit the man.\nIt was not unexpected.\nThe man bit him first.\n");
    space.write("b",
                "The dog had bit the man.\nNo one was surprised.\nThe man had bitten the dog.\n");
  }

  CommandResult run(const std::string& line, std::string_view input = {}) {
    return space.run(words(line), input);
  }
  /// The only number that `score … -b` prints.
  std::string number(const std::string& line, std::string_view input = {}) {
    const auto result = run("score -b -f text -w 4 " + line, input);
    EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
    return result.output;
  }

  end_to_end::Workspace space;
};

TEST_F(ScoreCommands, FairseqsScoreIsThatOfItsOwnScorer) {
  space.write("tokens", "a <unk> c d e\nx y\n");
  space.write("truth", "A <unk> c d e\nx y z\n");
  const auto result = run("score --fairseq --sys tokens --ref truth");
  EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
  // fairseq 0.12.2: fairseq-score --sys tokens --ref truth
  EXPECT_EQ(result.output,
            "BLEU4 = 0.00, 71.4/60.0/33.3/0.0 (BP=0.867, ratio=0.875, syslen=7, reflen=8)\n");
  EXPECT_EQ(run("score --fairseq -s tokens -r truth").output, result.output);
  EXPECT_EQ(run("score --fairseq --sys tokens --ref truth --order 2 --ignore-case").output,
            "BLEU2 = 62.17, 85.7/60.0 (BP=0.867, ratio=0.875, syslen=7, reflen=8)\n");
  EXPECT_EQ(lines_of(run("score --fairseq --sys tokens --ref truth --sentence-bleu").output).at(1),
            "1 BLEU4 = 60.65, 100.0/100.0/100.0/100.0 (BP=0.607, ratio=0.667, syslen=2, reflen=3)");
  EXPECT_THAT(run("score --fairseq --sacrebleu --sys tokens --ref truth").errors,
              HasSubstr("--sacrebleu asks for that of sacrebleu"));
  EXPECT_THAT(run("score --fairseq --sys tokens --ref truth --order 5").errors,
              HasSubstr("orders up to 4"));
  for (const char* metric : {"ter", "bleu"}) {
    EXPECT_THAT(run(std::string("score --fairseq --sys tokens --ref truth -m ") + metric).errors,
                HasSubstr("do not use --metrics"));
  }
  EXPECT_THAT(run("score --fairseq --sys tokens --ref truth -l de-en").errors,
              HasSubstr("do not use --language-pair"));
  const auto unused =
      run("score --fairseq --sys tokens --ref truth -tok 13a -b -w 3 --format text");
  EXPECT_EQ(unused.exit_code, kExitUsage);
  for (const char* name : {"--tokenize", "--score-only", "--width", "--format"})
    EXPECT_THAT(unused.errors, HasSubstr(std::string("do not use ") + name));
}

TEST_F(ScoreCommands, FairseqsFlagForSacrebleuIsAcceptedWithANote) {
  const auto result = run("score --sys sys --ref a --sacrebleu");
  EXPECT_EQ(result.exit_code, kExitOk);
  EXPECT_EQ(result.output, run("score --sys sys --ref a").output);
  EXPECT_THAT(result.errors, HasSubstr("note: --sacrebleu has no effect here"));
}

TEST_F(ScoreCommands, ALineWithoutEndIsFoundBeforeItIsRead) {
  space.write("endless", "one\ntwo\n");
  std::filesystem::resize_file(space.path("endless"), int64_t{2} << 30);  // sparse
  for (const char* command : {"score endless -i sys", "score sys -i endless"}) {
    const auto result = run(command);
    EXPECT_EQ(result.exit_code, kExitData);
    EXPECT_THAT(result.errors, HasSubstr("endless:3: the line is longer than 16777216 bytes"));
  }
}

TEST_F(ScoreCommands, AnErrorQuotesLittleOfItsInput) {
  const std::string huge(5'000'000, 'x');
  for (const std::string& text : {huge, "metrics = " + huge, huge + " = 1", "a\n" + huge + "\nb"}) {
    space.write("config", text);
    const auto result = run("score a -i sys --config config");
    EXPECT_EQ(result.exit_code, kExitUsage);
    EXPECT_LT(result.errors.size(), 3000U);
  }
  std::string lines;
  for (int i = 0; i < 200'000; ++i) lines += "no assignment\n";
  space.write("config", lines);
  EXPECT_LT(run("score a -i sys --config config").errors.size(), 30'000U);
}

TEST_F(ScoreCommands, ScoreTakesSacrebleusCommandLine) {
  const auto result = run("score a b -i sys");
  EXPECT_EQ(result.exit_code, kExitOk);
  const auto report = nlohmann::json::parse(result.output);
  EXPECT_EQ(report["name"], "BLEU");
  EXPECT_EQ(report["score"], 48.5);
  EXPECT_EQ(report["nrefs"], "2");
  EXPECT_EQ(report["verbose_score"],
            "82.4/50.0/45.5/37.5 (BP = 0.943 ratio = 0.944 hyp_len = 17 ref_len = 18)");
}

TEST_F(ScoreCommands, ScoreTakesFairseqsNamesOfTheFiles) {
  EXPECT_EQ(number("--sys sys --ref a"), number("a -i sys"));
  EXPECT_EQ(number("--sys sys --ref a --ignore-case --order 2"), number("a -i sys -lc --order 2"));
}

TEST_F(ScoreCommands, ScoreReportsItsVersionAsSacrebleuDoes) {
  EXPECT_THAT(run("score -V").output, StartsWith("phraseq score "));
  EXPECT_EQ(run("score -V").output, run("score --version").output);
}

TEST_F(ScoreCommands, ScoreComputesSeveralMetricsAtOnce) {
  EXPECT_THAT(lines_of(number("a b -i sys -m bleu chrf ter")),
              ElementsAre("48.5308", "59.7275", "40.0000"));
  EXPECT_THAT(lines_of(number("a b -i sys -m chrf++")), ElementsAre("59.1531"));
  EXPECT_THAT(lines_of(number("a b -i sys -m chrf -cw 2")), ElementsAre("59.1531"));
}

TEST_F(ScoreCommands, ScoreGivesAConfidenceInterval) {
  EXPECT_EQ(number("a b -i sys -ci"), "48.5308 (μ = 46.9597 ± 46.7550)\n");
}

TEST_F(ScoreCommands, ScorePrintsOneLinePerSentence) {
  const auto lines = lines_of(run("score a b -i sys -sl -f text").output);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_THAT(lines[0], AllOf(HasSubstr("eff:yes"), HasSubstr("= 100.0 100.0/100.0/100.0/100.0")));
}

TEST_F(ScoreCommands, ScoreComparesSystems) {
  space.write("other", "The dog bit the man.\nIt was not so.\nThe man bit him.\n");
  const auto text = run("score a -i sys other -f text --paired-bs --paired-bs-n 50");
  EXPECT_THAT(text.output,
              AllOf(HasSubstr("Baseline: sys"), HasSubstr("(p = "), HasSubstr("bs:50")));
  const auto latex = run("score a -i sys other -f latex -m ter");
  EXPECT_THAT(latex.output, StartsWith("\\begin{tabular}{rc}\n\\toprule\n"));
  const auto report = nlohmann::json::parse(run("score a -i sys other").output);
  EXPECT_EQ(report[1]["system"], "other");
}

TEST_F(ScoreCommands, ScoreReadsStandardInputAsItReadsFiles) {
  const std::string expected = number("a -i sys");
  EXPECT_EQ(number("a", kSystem), expected);
  // A single CR, tabs, CRLF and Unicode's other whitespace count as whitespace, too.
  EXPECT_EQ(number("a",
                   "The dog\rbit\tthe\u2003man. \r\nIt wasn't surprising.\u3000\n"
                   "The man\x1fhad just\u0085"
                   "bitten him."),
            expected);
  EXPECT_NE(
      number("a", "The dog bit the\u200bman.\nIt wasn't surprising.\nThe man had just bitten him."),
      expected);
}

TEST_F(ScoreCommands, ScoreSplitsReferencesAtTabs) {
  space.write("both",
              "The dog bit the man.\tThe dog had bit the man.\n"
              "It was not unexpected.\tNo one was surprised.\n"
              "The man bit him first.\tThe man had bitten the dog.\n");
  EXPECT_EQ(number("both --num-refs 2 -i sys"), number("a b -i sys"));
  const auto wrong = run("score both --num-refs 3 -i sys");
  EXPECT_EQ(wrong.exit_code, kExitData);
  EXPECT_THAT(wrong.errors, HasSubstr("both:1: 2 TAB-separated references, expected 3"));
}

TEST_F(ScoreCommands, ScoreReportsWhatIsWrongWithTheText) {
  space.write("short", "one\ntwo\n");
  auto result = run("score short -i sys");
  EXPECT_EQ(result.exit_code, kExitData);
  EXPECT_THAT(result.errors, HasSubstr("sys has 3 lines, short has 2"));
  EXPECT_THAT(result.output, IsEmpty());
  space.write("latin1", "fine\nM\xFCller\nfine\n");
  result = run("score a -i latin1");
  EXPECT_EQ(result.exit_code, kExitData);
  EXPECT_THAT(result.errors, HasSubstr("latin1:2:2: invalid UTF-8 (byte 0xFC)"));
  space.write("empty", "");
  result = run("score empty -i empty");
  EXPECT_EQ(result.exit_code, kExitData);
  EXPECT_THAT(result.errors, HasSubstr("empty: no lines to score"));
  EXPECT_EQ(run("score a -i missing").exit_code, kExitIo);
}

/// The numbers are those of sacrebleu 2.6.0.
TEST_F(ScoreCommands, OptionsOfMetricsHaveTheirEffect) {
  space.write("hyp",
              "The dog bit the man.\nIt wasn't surprising.\n"
              "Der Mann, \u5C71\u7530\u3055\u3093\u3002\n");
  space.write("ref",
              "the dog bit the man\nIt was not unexpected.\nDer Mann \u5C71\u7530\u3055\u3093.\n");
  space.write("short", "The dog bit the man.\nIt wasn't surprising.\n");
  space.write("other", "the dog bit a man.\nIt was not unexpected.\n");
  const std::pair<const char*, const char*> cases[] = {
      {"ref -i hyp", "31.9264\n"},
      {"ref -i hyp -lc", "45.7558\n"},
      {"ref -i hyp --order 2", "45.5842\n"},
      {"other -i short", "15.7219\n"},
      {"other -i short -s floor", "8.3614\n"},
      {"other -i short -s floor -sv 0.5", "18.6966\n"},
      {"other -i short -s add-k", "25.8552\n"},
      {"other -i short -s add-k -sv 3", "41.7797\n"},
      {"other -i short -s none", "0.0000\n"},
      {"ref -i hyp -m chrf", "54.8924\n"},
      {"ref -i hyp -m chrf -cc 3", "65.5764\n"},
      {"ref -i hyp -m chrf -cw 1", "55.2168\n"},
      {"ref -i hyp -m chrf --chrf-beta 3", "55.1723\n"},
      {"ref -i hyp -m chrf --chrf-lowercase", "57.5091\n"},
      {"ref -i hyp -m chrf --chrf-whitespace", "58.1333\n"},
      {"ref -i hyp -m chrf -cc 20", "27.3582\n"},
      {"ref -i hyp -m chrf -cc 20 --chrf-eps-smoothing", "25.9871\n"},
      {"ref -i hyp -m ter", "50.0000\n"},
      {"ref -i hyp -m ter --ter-case-sensitive", "58.3333\n"},
      {"ref -i hyp -m ter --ter-no-punct", "33.3333\n"},
      {"ref -i hyp -m ter --ter-normalized", "42.8571\n"},
      {"ref -i hyp -m ter --ter-normalized --ter-asian-support", "37.5000\n"},
      {"ref -i hyp -m ter --ter-no-punct --ter-asian-support", "25.0000\n"}};
  for (const auto& [line, expected] : cases) EXPECT_EQ(number(line), expected) << line;
}

TEST_F(ScoreCommands, ScoreScoresEmptySentences) {
  space.write("blank", "\n \n\t\n");
  EXPECT_THAT(lines_of(number("a -i blank -m bleu chrf ter")),
              ElementsAre("0.0000", "0.0000", "100.0000"));
  EXPECT_THAT(lines_of(number("blank -i sys -m bleu chrf ter")),
              ElementsAre("0.0000", "0.0000", "100.0000"));
  EXPECT_THAT(lines_of(number("blank -i blank -m bleu chrf ter")),
              ElementsAre("0.0000", "0.0000", "0.0000"));
}

/// As in sacrebleu, what follows the target language in a pair of three fields is ignored.
TEST_F(ScoreCommands, ScoreTokenizesByTheTargetLanguage) {
  const auto tokenizer = [&](const std::string& pair) {
    return run("score a -i sys -l " + pair).output;
  };
  EXPECT_THAT(tokenizer("en-zh"), HasSubstr("tok:zh"));
  EXPECT_THAT(tokenizer("en-zh-CN"), HasSubstr("tok:zh"));
  EXPECT_THAT(tokenizer("zh-en"), HasSubstr("tok:13a"));
  EXPECT_THAT(tokenizer("en-zh_CN"), HasSubstr("tok:13a"));
}

TEST_F(ScoreCommands, ScoreRejectsUnknownNames) {
  const auto rejected = [&](const std::string& arguments) {
    const auto result = run("score " + arguments);
    EXPECT_EQ(result.exit_code, kExitUsage) << arguments;
    return result.errors;
  };
  EXPECT_THAT(rejected("-t wmt17 -l en-de -i sys"), HasSubstr("sacrebleu downloads"));
  EXPECT_THAT(rejected("a -i sys -d"), HasSubstr("-d is for the test sets that sacrebleu"));
  EXPECT_THAT(rejected("a -i sys -tok ja-mecab"), HasSubstr("needs MeCab"));
  EXPECT_THAT(rejected("a -i sys -tok flores200"), HasSubstr("needs a SentencePiece model"));
  EXPECT_THAT(rejected("a -i sys -tok 13b"), HasSubstr("did you mean '13a'"));
  EXPECT_THAT(rejected("a -i sys -s floor -sv -0.5"),
              HasSubstr("expected -1 or a number of at least 0"));
  EXPECT_THAT(rejected("a -i sys -m comet"), HasSubstr("unknown metric 'comet'"));
  EXPECT_THAT(rejected("a -i sys -e latin-1"), HasSubstr("only utf-8 is supported"));
  EXPECT_THAT(rejected("a -i sys --paired-bs"), HasSubstr("two or more files"));
}

TEST_F(ScoreCommands, ScoreWarnsOfOptionsWithoutEffect) {
  const auto warning = [&](const std::string& arguments) {
    const auto result = run("score a -i sys " + arguments);
    EXPECT_EQ(result.exit_code, kExitOk) << arguments;
    return result.errors;
  };
  EXPECT_THAT(warning("-m chrf++ -cw 3"), HasSubstr("--chrf-word-order has no effect on chrf++"));
  EXPECT_THAT(warning("-m multi-bleu mteval-v11b -tok char"),
              HasSubstr("--tokenize has no effect on multi_bleu or mteval_v11b"));
  EXPECT_THAT(warning("--mteval-preserve-case"),
              HasSubstr("--mteval-preserve-case has no effect on bleu"));
  EXPECT_THAT(warning("--ter-normalized"),
              HasSubstr("--ter-normalized has no effect: the metric ter is not computed"));
  EXPECT_THAT(
      warning("--spm-model model"),
      HasSubstr(
          "--spm-model has no effect without --tokenize spm, flores101, flores200 or spBLEU-1K"));
  EXPECT_THAT(warning("-sv 0.2"),
              HasSubstr("--smooth-value has no effect without --smooth-method floor or add-k"));
  EXPECT_THAT(warning("-cin 20"), HasSubstr("--confidence-n has no effect without --confidence"));
  EXPECT_THAT(warning("--paired-ar-n 20"),
              HasSubstr("--paired-ar-n has no effect without --paired-ar"));
  EXPECT_THAT(warning("--paired-bs-n 20"),
              HasSubstr("--paired-bs-n has no effect without --paired-bs"));
  for (const char* used : {"-s floor -sv 0.2", "-m multi-bleu -lc", "-m chrf chrf++ -cw 1"})
    EXPECT_THAT(warning(used), Not(HasSubstr("no effect")));
}

TEST_F(ScoreCommands, ScoreNamesTheVariableOfAWrongSeed) {
  const std::string score = " \"$0\" score a -i sys";
  const auto errors_of = [&](const std::string& line) {
    return space.start_program({"/bin/bash", "-c", line, end_to_end::kPhraseqProgram})
        .wait()
        .errors;
  };
  EXPECT_THAT(errors_of("SACREBLEU_SEED=x" + score),
              HasSubstr("SACREBLEU_SEED 'x': expected a whole number from 0, or none"));
  EXPECT_THAT(errors_of("SACREBLEU_SEED=x" + score + " --seed y"), HasSubstr("--seed 'y'"));
}

TEST_F(ScoreCommands, CompareAndLearnersDoNotReplaceTheirInputs) {
  space.write("words", "a b a b\n");
  space.write("log.svg", "{}\n");
  for (const char* command : {"compare a sys --ref a -o sys",
                              "compare one=a two=log.svg --ref a --plot log.svg",
                              "compare a sys --ref words --src words -o words",
                              "learn-bpe words --output ./words",
                              "truecase learn words --output words",
                              "truecase apply sys --model words --output words",
                              "plot log.svg --output log.svg"}) {
    const auto result = run(command);
    EXPECT_EQ(result.exit_code, kExitUsage) << command;
    EXPECT_THAT(result.errors, HasSubstr("is one of the inputs")) << command;
  }
  EXPECT_THAT(run("compare a sys --ref a -o n.svg --plot ./n.svg").errors,
              HasSubstr("./n.svg: is written by --output and by --plot"));
  EXPECT_EQ(space.read("words"), "a b a b\n");
}

TEST_F(ScoreCommands, ABadOutputPathIsFoundBeforeTheInputIsRead) {
  for (const char* command : {"compare none other --ref none --output no/out",
                              "compare none other --ref none --plot no/plot.svg",
                              "learn-bpe none --output no/codes",
                              "mbr none --output no/out",
                              "plot none --output no/plot.svg",
                              "rerank none --lm-scores none --output no/out",
                              "shortlist build --source none --target none --output no/list"}) {
    const auto result = run(command);
    EXPECT_EQ(result.exit_code, kExitIo) << command;
    EXPECT_THAT(result.errors, HasSubstr("error: no/")) << command;
  }
}

TEST_F(ScoreCommands, ComparePlotsAsSvgOnly) {
  const auto result = run("compare a sys --ref a --plot a.png");
  EXPECT_EQ(result.exit_code, kExitUsage);
  EXPECT_THAT(result.errors, HasSubstr("--plot a.png: expected FILE.svg"));
}

TEST_F(ScoreCommands, ScoreWarnsOfSubwords) {
  space.write("pieces", "\u2581The \u2581man\n\u2581one\n\u2581dog s\n");
  const auto warning = HasSubstr("pieces: the score is computed on subwords");
  EXPECT_THAT(run("score a -i pieces").errors, warning);
  EXPECT_THAT(run("score --fairseq --sys pieces --ref a").errors, warning);
  EXPECT_THAT(run("score a -i pieces --force").errors, Not(warning));
}

TEST_F(ScoreCommands, ScoreTokenizesByASentencePieceModel) {
  int left = 40;
  const auto next = [&](std::string& line) {
    line = left % 2 == 0 ? "the man the dog the man" : "bit bitten the cat";
    return left-- > 0;
  };
  space.write("model", train_sentencepiece(next, {.pieces = 28}));
  space.write("whole", "the man\n");
  space.write("parts", "\u2581the \u2581man\n");  // the pieces of that text
  const std::string spm = "-tok spm --spm-model model";
  EXPECT_THAT(run("score whole -i whole -f text " + spm).output,
              AllOf(HasSubstr("tok:flores101"), HasSubstr("hyp_len = 2 ref_len = 2")));
  EXPECT_EQ(number("parts -i parts -tok none --effective-order"),
            number("whole -i whole --effective-order " + spm));
}

TEST_F(ScoreCommands, ComparePrintsTextJsonAndAPage) {
  space.write("src", "Der Hund biss den Mann .\nEs war\nDer Mann\n");
  const std::string line = "compare sys b --ref a --src src --bucket-edges 3 --samples 20";
  const auto text = run(line);
  EXPECT_EQ(text.exit_code, kExitOk) << text.errors;
  EXPECT_THAT(
      text.output,
      AllOf(HasSubstr("chrF2++"), HasSubstr("0 to 2"), HasSubstr("3 or more"), HasSubstr("bs:20")));
  const auto report = nlohmann::json::parse(run(line + " -f json").output);
  EXPECT_EQ(report["buckets"]["rows"][0]["sentences"], 2);
  EXPECT_EQ(run(line + " -f html -o page.html").output, "");
  EXPECT_THAT(space.read("page.html"), AllOf(StartsWith("<!DOCTYPE html>"), EndsWith("</html>\n")));
  EXPECT_THAT(space.read("page.html"), HasSubstr("<h2>Sentences: "));
  EXPECT_THAT(run(line + " -f html --sentences 0").output, Not(HasSubstr("<h2>Sentences: ")));
  EXPECT_EQ(run(line + " -o -").output, text.output);
  EXPECT_FALSE(space.exists("-"));
  EXPECT_THAT(run(line + " --sentences 3").errors, HasSubstr("--sentences needs --format html"));
  EXPECT_THAT(run(line + " --plot-kind lines").errors, HasSubstr("--plot-kind needs --plot FILE"));
  EXPECT_EQ(run(line + " -o nowhere/page.html").exit_code, kExitIo);
  EXPECT_EQ(run(line + " --plot nowhere/plot.svg").exit_code, kExitIo);
}

TEST_F(ScoreCommands, ComparePlotsAnyMetricByLength) {
  space.write("src", "Der Hund biss den Mann .\nEs war\nDer Mann\n");
  const auto result =
      run("compare sys b --ref a --source src --length-edges 3 --samples 20 --bucket-metric chrf++ "
          "--plot plot.svg");
  EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("chrF2++ by source length in words"));
  EXPECT_THAT(space.read("plot.svg"), HasSubstr("<title>b, 3 or more: "));
  EXPECT_EQ(run("compare sys b --ref a --analysis-length-edges 3 --samples 20 -f json").output,
            run("compare sys b --ref a --bucket-edges 3 --samples 20 -f json").output);
}

TEST_F(ScoreCommands, CompareReportsWhatIsMissing) {
  EXPECT_EQ(run("compare sys --ref a").exit_code, kExitUsage);
  EXPECT_EQ(run("compare sys b").exit_code, kExitUsage);
  space.write("src", "one\n");
  const auto result = run("compare sys b --ref a --src src");
  EXPECT_EQ(result.exit_code, kExitData);
  EXPECT_THAT(result.errors, HasSubstr("sys has 3 lines, the source has 1"));
}

TEST_F(ScoreCommands, TheOldPictureStaysWhereTheReportCannotBeWritten) {
  space.write("picture.svg", "old");
  const std::string line =
      "ulimit -f 8; exec \"$0\" compare sys a --ref b --samples 10 --format html --output report "
      "--plot picture.svg";
  const auto result =
      space.start_program({"/bin/bash", "-c", line, end_to_end::kPhraseqProgram}).wait();
  EXPECT_EQ(result.exit_code, kExitIo) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("report: cannot"));
  EXPECT_EQ(space.read("picture.svg"), "old");
}

}  // namespace
}  // namespace phraseq
