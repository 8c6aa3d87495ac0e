// Looking into a model trained here: heat maps, activation, everything recorded.

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/workspace.h"
#include "tests/support/xml.h"

namespace phraseq::end_to_end {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using testing_support::XmlCheck;

/// Two models of a few updates: the Transformer, and one whose attention sees bigrams.
class Analyze : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    space = new Workspace;
    write_toy_corpus(*space);
    run_well(toy_preprocess() + words("--joined-dictionary"));
    run_well(toy_train("words", 3));
    Arguments phrasal = toy_train("bigrams", 3);
    *std::find(phrasal.begin(), phrasal.end(), "transformer") = "phrasal_attention";
    run_well(phrasal);
  }
  static void TearDownTestSuite() {
    delete space;
    space = nullptr;
  }

  static void run_well(const Arguments& arguments) {
    const CommandResult result = space->run(arguments);
    ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  }
  static CommandResult analyze(const std::string& arguments) {
    return space->run(words("analyze " + arguments));
  }
  /// `analyze attention` of one short pair.
  static CommandResult attention(const std::string& arguments) {
    return space->run(words("analyze attention " + arguments) +
                      Arguments{"--source", "one two", "--target", "eins zwei drei"});
  }

  static Workspace* space;
};

Workspace* Analyze::space = nullptr;

TEST_F(Analyze, DrawsOneLayerAndHead) {
  const auto result = attention("--path words --head 2 --output head.svg");
  ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  const std::string svg = space->read("head.svg");
  EXPECT_EQ(XmlCheck(svg).fault(), "");
  EXPECT_THAT(svg,
              AllOf(HasSubstr(">Cross-attention, layer 1, head 2<"),
                    HasSubstr("<title>eins – two: 0."),
                    HasSubstr("<title>&lt;/s&gt; – one: 0.")));
  EXPECT_EQ(attention("--path words --attention decoder --output self.svg").exit_code, kExitOk);
  // Rows are what is generated, columns what is fed: "zwei" is fed later than "eins" is generated.
  EXPECT_THAT(space->read("self.svg"),
              AllOf(HasSubstr(">generated token<"), HasSubstr("<title>eins – zwei: 0.0000")));
  EXPECT_THAT(space->read("self.svg"), Not(HasSubstr("<title>zwei – eins: 0.0000")));
}

TEST_F(Analyze, LabelsDecoderRowsWithTheInputWhenAsked) {
  ASSERT_EQ(attention("--path words --output out.svg").exit_code, kExitOk);
  ASSERT_EQ(attention("--path words --target-labels input --output in.svg").exit_code, kExitOk);
  const std::string out = space->read("out.svg"), in = space->read("in.svg");
  EXPECT_THAT(in, AllOf(HasSubstr(">decoder input<"), Not(HasSubstr(">generated token<"))));
  // The same row: the step that is fed "eins" generates "zwei".
  const auto weight = [](const std::string& svg, const std::string& cell) {
    const size_t at = svg.find("<title>" + cell + ": ");
    return at == std::string::npos ? cell + " is missing" : svg.substr(svg.find(": ", at), 8);
  };
  EXPECT_EQ(weight(in, "eins – two"), weight(out, "zwei – two"));
  EXPECT_EQ(weight(in, "drei – two"), weight(out, "&lt;/s&gt; – two"));
  EXPECT_EQ(attention("--path words --target-labels x --output a.svg").exit_code, kExitUsage);
}

TEST_F(Analyze, MakesAPageOfAllAttention) {
  const auto result = attention("--path bigrams --output page.html");
  ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  EXPECT_THAT(space->read("page.html"),
              AllOf(HasSubstr("Cross-attention, layer 1, mean over heads"),
                    HasSubstr("Encoder self-attention"),
                    HasSubstr("Decoder self-attention"),
                    HasSubstr(">bigrams</text>"),
                    HasSubstr(">one two</text>"),
                    HasSubstr("eins zwei – two &lt;/s&gt;: "),
                    Not(HasSubstr("http"))));
}

TEST_F(Analyze, WritesTheWeightsOfAPair) {
  ASSERT_EQ(attention("--path words --output pair.jsonl").exit_code, kExitOk);
  const auto object = nlohmann::json::parse(space->read("pair.jsonl"));
  EXPECT_EQ(object["source"], nlohmann::json({"one", "two", "</s>"}));
  EXPECT_EQ(object["target"], nlohmann::json({"</s>", "eins", "zwei", "drei"}));
  EXPECT_EQ(object["generated"], nlohmann::json({"eins", "zwei", "drei", "</s>"}));
  EXPECT_EQ(object["tensors"].size(), 3u);
  const auto& cross = object["tensors"]["decoder.layers.0.encoder_attn.weights"];
  EXPECT_EQ(cross["shape"], nlohmann::json({1, 2, 4, 1, 3}));
  double sum = 0;
  for (const auto& weight : cross["values"][0][1][3][0]) sum += weight.get<double>();
  EXPECT_NEAR(sum, 1, 1e-5);
}

TEST_F(Analyze, MeasuresActivationOfPhrases) {
  const std::string files = " --source test.en --target test.de";
  const auto plain = analyze("activation --path words --json" + files);
  ASSERT_EQ(plain.exit_code, kExitOk) << plain.errors;
  const auto report = nlohmann::json::parse(plain.output);
  EXPECT_EQ(report["layers"][0]["t2t"], 1.0);  // there are only words
  EXPECT_EQ(report["layers"][0]["sentences"], 30);
  const auto bigrams =
      analyze("activation --path bigrams --stat mass --json --plot plot.svg" + files);
  ASSERT_EQ(bigrams.exit_code, kExitOk) << bigrams.errors;
  const auto layer = nlohmann::json::parse(bigrams.output)["layers"][0];
  // Every row adds up to 1: with N fed tokens the words' rows are N of 2N - 1.
  double share = 0;
  for (const auto& line : lines_of(space->read("test.de"))) {
    const double n = static_cast<double>(words(line).size()) + 1;
    share += n / (2 * n - 1) / 30;
  }
  EXPECT_NEAR(layer["t2t"].get<double>() + layer["t2p"].get<double>(), share, 1e-5);
  EXPECT_GT(layer["p2p"].get<double>(), 0);
  EXPECT_EQ(XmlCheck(space->read("plot.svg")).fault(), "");
  EXPECT_THAT(analyze("activation --path words" + files).output,
              HasSubstr("Cross-attention: activation (peak), %\n"));
}

TEST_F(Analyze, DumpsOneLinePerSentence) {
  const auto result =
      analyze("dump --path words --source test.en --target test.de --tensors encoder.layers");
  ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  const auto lines = lines_of(result.output);
  ASSERT_THAT(lines, SizeIs(30));
  const auto last = nlohmann::json::parse(lines[29]);
  EXPECT_EQ(last["id"], 29);
  EXPECT_EQ(last["tensors"].size(), 1u);
  EXPECT_TRUE(last["tensors"].contains("encoder.layers.0.self_attn.weights"));
}

TEST_F(Analyze, ReportsWhatItCannotDo) {
  EXPECT_EQ(attention("--path words").exit_code, kExitUsage);
  EXPECT_EQ(attention("--path words --output a.svg --attention self").exit_code, kExitUsage);
  EXPECT_EQ(attention("--path words --output a.svg --head 0").exit_code, kExitUsage);
  const auto deep = attention("--path words --output a.svg --layer 7");
  EXPECT_EQ(deep.exit_code, kExitUsage);
  EXPECT_THAT(deep.errors, HasSubstr("--layer 7: the model has 1"));
  EXPECT_FALSE(space->exists("a.svg"));
  EXPECT_EQ(attention("--path words:bigrams --output a.svg").exit_code, kExitUsage);
  space->write("short", "eins\n");
  EXPECT_EQ(analyze("activation --path words --source test.en --target short").exit_code,
            kExitData);
  EXPECT_EQ(analyze("dump --path words --source test.en --target test.de --plot a.svg").exit_code,
            kExitUsage);
}

}  // namespace
}  // namespace phraseq::end_to_end
