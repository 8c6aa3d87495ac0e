// Noisy-channel reranking, with the scores of fairseq (tests/golden/rerank).

#include <cmath>
#include <csignal>
#include <fstream>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/io/mapping/mapped_file.h"
#include "core/score/metrics/bleu.h"
#include "core/score/rerank/rerank_lists.h"
#include "core/score/rerank/rerank_options.h"
#include "tests/core/io/child_process.h"
#include "tests/core/io/temporary_folder.h"
#include "tests/support/message_of.h"

namespace phraseq::score {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kLn2 = std::numbers::ln2;

TEST(RerankScore, IsFairseqs) {
  std::ifstream file(PHRASEQ_SOURCE_FOLDER "/tests/golden/rerank/golden.json");
  const json cases = json::parse(file);
  ASSERT_EQ(cases.size(), 40U);
  for (const json& golden : cases) {
    RerankList list;
    list.tokens = golden.at("source_tokens");
    const RerankHypothesis hypothesis{"",
                                      "",
                                      golden.at("forward"),
                                      golden.at("channel"),
                                      golden.at("language"),
                                      golden.at("words"),
                                      golden.at("target_tokens")};
    const RerankWeights weights{golden.at("a"),
                                golden.at("b"),
                                golden.at("c"),
                                golden.at("lenpen"),
                                golden.at("normalize")};
    const double expected = golden.at("score");
    EXPECT_NEAR(
        rerank_score(list, hypothesis, weights), expected, 1e-12 * std::abs(expected) + 1e-12);
  }
}

class Reranking : public ::testing::Test {
 protected:
  Reranking() {
    set_log_quiet(true);
    folder_.write("nbest",
                  "some line of a log\n"
                  "S-1\tx y z\nT-1\tr\nH-1\t-0.5\ta@@ b\nD-1\t-0.5\tab\nP-1\t-1.0 -0.5 -0.5\n"
                  "H-1\t-0.7\tc d\nD-1\t-0.7\tc d\nP-1\t-2.0 -1.0 0\n"
                  "S-0\tw\nH-0\t-0.1\te\nP-0\t-0.25 -0.25\n");
    options_.input = folder_.file("nbest");
    options_.weights.lenpen = 0;
  }

  std::vector<std::string> chosen() {
    const auto lists = read_lists(options_);
    const auto weights = choose_weights(options_, lists, metric_);
    std::vector<std::string> texts;
    for (const RerankList& list : lists)
      texts.push_back(list.hypotheses[best_hypothesis(list, weights)].text);
    return texts;
  }
  std::string message() {
    return whole_message_of([&] { read_lists(options_); });
  }
  std::string text_pairs_message() {
    return whole_message_of([&] {
      write_text_pairs(read_lists(options_), folder_.file("text"), folder_.file("pairs"));
    });
  }

  TemporaryFolder folder_;
  RerankOptions options_;
  Bleu metric_{BleuSettings{.tokenizer = "none", .max_order = 1}};
};

TEST_F(Reranking, ReadsListsInTheOrderOfTheirNumbers) {
  const auto lists = read_lists(options_);
  ASSERT_EQ(lists.size(), 2U);
  EXPECT_EQ(lists[0].source, "w");
  EXPECT_EQ(lists[0].hypotheses[0].text, "e");
  EXPECT_EQ(lists[1].tokens, 3);
  ASSERT_EQ(lists[1].hypotheses.size(), 2U);
  const RerankHypothesis& first = lists[1].hypotheses[0];
  EXPECT_EQ(first.text, "ab");
  EXPECT_EQ(first.symbols, "a@@ b");
  EXPECT_EQ(first.words, 1);
  EXPECT_EQ(first.tokens, 2);
  EXPECT_NEAR(first.forward, -2 * kLn2, 1e-12);
}

TEST_F(Reranking, AddsTheScoresOfTheOtherModels) {
  EXPECT_THAT(chosen(), ElementsAre("e", "ab"));
  options_.channel_scores = folder_.file("channel");
  folder_.write("channel", "-1\n-4\n-2\n");
  EXPECT_THAT(chosen(), ElementsAre("e", "c d"));  // -3 ln 2 - 2 > -2 ln 2 - 4
  options_.lm_scores = folder_.file("lm");
  folder_.write("lm", "0\n-1\n-3\n");
  EXPECT_THAT(chosen(), ElementsAre("e", "ab"));
  options_.weights.weight3 = 0.5;
  EXPECT_THAT(chosen(), ElementsAre("e", "c d"));
  options_.weights.lenpen = -1;  // prefers shorter ones, as scores are negative
  EXPECT_THAT(chosen(), ElementsAre("e", "ab"));
}

TEST_F(Reranking, WritesThePairsThatOtherModelsScore) {
  write_pairs(read_lists(options_), folder_.file("pairs"));
  EXPECT_EQ(read_file(folder_.file("pairs.src")), "w\nx y z\nx y z\n");
  EXPECT_EQ(read_file(folder_.file("pairs.hyp")), "e\na@@ b\nc d\n");
}

TEST_F(Reranking, WritesThePairsAsPlainTextForModelsWithSubwordsOfTheirOwn) {
  folder_.write("text", "w text\nxyz text\n");
  write_text_pairs(read_lists(options_), folder_.file("text"), folder_.file("pairs"));
  EXPECT_EQ(read_file(folder_.file("pairs.src")), "w text\nxyz text\nxyz text\n");
  EXPECT_EQ(read_file(folder_.file("pairs.hyp")), "e\nab\nc d\n");
  folder_.write("text", "w text\n");
  EXPECT_THAT(text_pairs_message(), HasSubstr("1 line, but there are hypotheses of 2 sentences"));
  folder_.write("text", "w text\nxyz text\nrest\n");  // belongs to another input
  EXPECT_THAT(text_pairs_message(), HasSubstr("3 lines, but there are hypotheses of 2 sentences"));
}

TEST_F(Reranking, LeavesBothOldFilesWhereTheSecondCannotBeWritten) {
  folder_.write("nbest", "S-0\tw\nH-0\t-0.1\t" + std::string(9000, 'e') + "\nP-0\t-0.25 -0.25\n");
  folder_.write("pairs.src", "old\n");
  folder_.write("pairs.hyp", "old\n");
  const auto lists = read_lists(options_);
  const int status = in_child([&] {
    const rlimit limit{4096, RLIM_INFINITY};  // a full disk for the larger one
    ::signal(SIGXFSZ, SIG_IGN);
    ::setrlimit(RLIMIT_FSIZE, &limit);
    write_pairs(lists, folder_.file("pairs"));
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), kExitIo);
  EXPECT_EQ(read_file(folder_.file("pairs.src")), "old\n");
  EXPECT_EQ(read_file(folder_.file("pairs.hyp")), "old\n");
}

TEST_F(Reranking, WarnsOfPairsOfSubwords) {
  set_log_quiet(false);
  ::testing::internal::CaptureStderr();
  write_pairs(read_lists(options_), folder_.file("pairs"));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("--source FILE"));
  folder_.write("nbest", "S-0\tw\nH-0\t-0.1\te\nD-0\t-0.1\te\nP-0\t-0.25 -0.25\n");
  ::testing::internal::CaptureStderr();
  write_pairs(read_lists(options_), folder_.file("pairs"));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(Reranking, FindsWeightsThatAreBetterThanTheGivenOnes) {
  options_.channel_scores = folder_.file("channel");
  folder_.write("channel", "-1\n-4\n-2\n");
  options_.weights.weight2 = 0;
  options_.tune = {"weight2"};
  options_.references = folder_.file("references");
  folder_.write("references", "e\nc d\n");
  EXPECT_THAT(chosen(), ElementsAre("e", "c d"));
  const auto lists = read_lists(options_);
  const WeightSearch search = {options_.weights, options_.tuned(), /*trials=*/100, /*seed=*/3};
  const TuningResult once = tune_weights(lists, {"e", "c d"}, metric_, search);
  const TuningResult again = tune_weights(lists, {"e", "c d"}, metric_, search);
  EXPECT_EQ(once.weights.weight2, again.weights.weight2);
  EXPECT_GT(once.weights.weight2, 0.5 * kLn2);
  EXPECT_EQ(once.weights.weight1, 1);
  folder_.write("references", "e\n");
  EXPECT_THROW(chosen(), DataError);
}

TEST_F(Reranking, NamesWhatIsWrongWithAFile) {
  options_.lm_scores = folder_.file("lm");
  folder_.write("lm", "-1\n-2\n");
  EXPECT_THAT(message(), AllOf(HasSubstr("lm"), HasSubstr("ends after 2 scores")));
  folder_.write("lm", "-1\nx\n-2\n");
  EXPECT_THAT(message(), HasSubstr("lm:2"));
  folder_.write("lm", "-1\nnan\n-2\n");
  EXPECT_THAT(message(), AllOf(HasSubstr("lm:2"), HasSubstr("'nan' is not a finite number")));
  folder_.write("lm", "-1\n-2\n-3\n-4\n");
  EXPECT_THAT(message(), HasSubstr("more scores than the 3 hypotheses"));
  options_.lm_scores.clear();
  folder_.write("nbest", "H-0\t-0.5\ta\n");
  EXPECT_THAT(message(), HasSubstr("sentence 0 has 1 H- and 0 P- lines"));
  folder_.write("nbest", "H-0\t-0.5\n");
  EXPECT_THAT(message(), HasSubstr("nbest:1"));
  for (const std::string number : {"x", "nan", "-inf"}) {
    folder_.write("nbest", "H-0\t-0.5\ta\nP-0\t-0.5 " + number + "\n");
    EXPECT_THAT(message(), HasSubstr("nbest:2")) << number;
  }
  folder_.write("nbest", "H-0\t-0.5\ta\nP-0\t-0.5\nH-2\t-0.5\ta\nP-2\t-0.5\n");
  EXPECT_THAT(message(), HasSubstr("nbest:3: sentence 2, but there is no sentence 1"));
  folder_.write("nbest", "H-1\t-0.5\ta\nP-1\t-0.5\n");
  EXPECT_THAT(message(), HasSubstr("nbest:1: sentence 1, but there is no sentence 0"));
  const std::string list = "S-0\tx\nH-0\t-0.5\ta\nP-0\t-0.5\n";
  folder_.write("nbest", list + list);  // two concatenated outputs
  EXPECT_THAT(message(), HasSubstr("nbest:4: a second S- line"));
  const std::string without_sources = "H-0\t-0.5\ta\nP-0\t-0.5\nH-1\t-0.5\ta\nP-1\t-0.5\n";
  folder_.write("nbest", without_sources + without_sources);
  EXPECT_THAT(
      message(),
      AllOf(HasSubstr("nbest:5"), HasSubstr("begin in line 1"), HasSubstr("several lists")));
  folder_.write("nbest", "H-0\t-1\ta\nD-0\t-1\ta\nP-0\t-1\nH-0\t-1\tb\nP-0\t-1\n");
  EXPECT_THAT(message(), HasSubstr("nbest:1: sentence 0 has 2 H- and 1 D- lines"));
  folder_.write("nbest", "nothing\n");
  EXPECT_THAT(message(), HasSubstr("there are no hypotheses"));
}

TEST_F(Reranking, NeedsSourcesWhereTheyAreUsed) {
  folder_.write("nbest", "S-0\tw\nH-0\t-1\ta\nP-0\t-1\nH-1\t-1\tb\nP-1\t-1\n");
  EXPECT_EQ(message(), kNothingThrown);
  options_.weights.normalize = true;
  EXPECT_THAT(message(), HasSubstr("nbest:4: sentence 1 has no S- line"));
  options_.weights.normalize = false;
  options_.write_pairs = "pairs";
  EXPECT_THAT(message(), HasSubstr("nbest:4: sentence 1 has no S- line"));
  options_.source = "text";
  EXPECT_EQ(message(), kNothingThrown);
}

TEST(RerankOptions, HaveNamesThatExist) {
  RerankOptions options;
  options.tune = {"weight4"};
  EXPECT_THAT(options.problems(), ::testing::Contains(HasSubstr("'weight4'")));
  options.tune = {"lenpen"};
  EXPECT_THAT(options.problems(), ElementsAre(HasSubstr("must be given together")));
  options = {};
  options.source = "text";
  EXPECT_THAT(options.problems(), ElementsAre(HasSubstr("--source needs --write-pairs")));
}

TEST(RerankOptions, AreRejectedWithoutEffect) {
  RerankOptions options;
  options.write_pairs = "pairs";
  EXPECT_THAT(options.problems(), ElementsAre());
  options.output = "file";
  EXPECT_THAT(options.problems(), ElementsAre(HasSubstr("do not use --output")));
  options.output = "-";
  options.lm_scores = "pairs.lm";
  EXPECT_THAT(options.problems(), ElementsAre(HasSubstr("do not use scores")));
  options = {};
  options.trials = 10;
  EXPECT_THAT(options.problems(), ElementsAre(HasSubstr("need --tune-param")));
  options.tune = {"lenpen"};
  options.references = "references";
  EXPECT_THAT(options.problems(), ElementsAre());
  options.tune = {"weight3"};
  EXPECT_THAT(options.problems(), ElementsAre("--tune-param weight3 needs --lm-scores"));
  options = {};
  options.weights.weight2 = 7;
  EXPECT_THAT(options.problems(), ElementsAre("--weight2 needs --channel-scores"));
}

}  // namespace
}  // namespace phraseq::score
