// Analysis of a model trained here: heat maps, activation, and the record of everything.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
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
    train("bigrams", 3, "phrasal_attention");
  }
  static void TearDownTestSuite() {
    delete space;
    space = nullptr;
  }

  static void run_well(const Arguments& arguments) {
    const CommandResult result = space->run(arguments);
    ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  }
  static void train(const std::string& name,
                    int updates,
                    const std::string& architecture,
                    const std::string& more = "") {
    Arguments arguments = toy_train(name, updates) + words(more);
    *std::find(arguments.begin(), arguments.end(), "transformer") = architecture;
    run_well(arguments);
  }
  static CommandResult analyze(const std::string& arguments) {
    return space->run(words("analyze " + arguments));
  }
  /// Runs `analyze attention` for one short pair.
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
  // Rows are generated tokens, columns are input tokens: "zwei" is fed after "eins" is generated.
  EXPECT_THAT(space->read("self.svg"),
              AllOf(HasSubstr(">generated token<"), HasSubstr("<title>eins – zwei: 0.0000")));
  EXPECT_THAT(space->read("self.svg"), Not(HasSubstr("<title>zwei – eins: 0.0000")));
}

TEST_F(Analyze, LabelsDecoderRowsWithTheInputWhenAsked) {
  ASSERT_EQ(attention("--path words --output out.svg").exit_code, kExitOk);
  ASSERT_EQ(attention("--path words --target-labels input --output in.svg").exit_code, kExitOk);
  const std::string out = space->read("out.svg"), in = space->read("in.svg");
  EXPECT_THAT(in, AllOf(HasSubstr(">decoder input<"), Not(HasSubstr(">generated token<"))));
  // The same row, as the step with the input "eins" generates "zwei".
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
  // Every row adds up to 1. With N input tokens, N of the 2N - 1 rows are those of words.
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

TEST_F(Analyze, CountsUsedNgramsThatAreConstituents) {
  // Every sentence is a constituent, and so are its first two words; the first sentence is not
  // parsed.
  std::string trees;
  int64_t bigrams = 0, constituents = 0;
  for (const auto& line : lines_of(space->read("test.en"))) {
    const auto parts = words(line);
    std::string tree = parts.size() > 2 ? "(S (X " + parts[0] + " " + parts[1] + ")" : "(S";
    for (size_t i = parts.size() > 2 ? 2 : 0; i < parts.size(); ++i) tree += " " + parts[i];
    trees += (trees.empty() ? "" : tree + ")") + "\n";
    if (trees.size() == 1)
      continue;
    bigrams += static_cast<int64_t>(parts.size());  // with </s>
    constituents += parts.size() > 1 ? 1 : 0;
  }
  space->write("test.trees", trees);
  const std::string command =
      "constituents --path bigrams --source test.en --target test.de --trees test.trees";
  const auto result = analyze(command + " --json --plot constituents.svg");
  ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  const auto report = nlohmann::json::parse(result.output);
  EXPECT_EQ(report["sentences"], 29);
  EXPECT_EQ(report["without_tree"], 1);
  const auto& layer = report["layers"][0];
  ASSERT_EQ(layer["lengths"].size(), 1u);
  EXPECT_EQ(layer["lengths"][0]["tokens"], 2);
  EXPECT_NEAR(layer["chance"].get<double>(),
              static_cast<double>(constituents) / static_cast<double>(bigrams),
              1e-12);
  EXPECT_GE(layer["keys"], layer["ngrams"]);
  EXPECT_GE(layer["ngrams"], layer["constituents"]);
  EXPECT_EQ(XmlCheck(space->read("constituents.svg")).fault(), "");
  EXPECT_THAT(analyze(command).output,
              HasSubstr("Cross-attention: attended n-grams that are constituents, %\n"));

  EXPECT_EQ(analyze("constituents --path words --source test.en --target test.de").exit_code,
            kExitUsage);
  space->write("none.trees", std::string(30, '\n'));
  const auto unparsed =
      analyze("constituents --path bigrams --source test.en --target test.de --trees none.trees");
  EXPECT_EQ(unparsed.exit_code, kExitData);
  EXPECT_THAT(unparsed.errors, HasSubstr("none of the sentences has a parse tree"));
}

/// Writes a copy of the checkpoint in which the columns [begin, end) of a matrix are zero.
void zero_columns(Workspace& space,
                  const std::string& folder,
                  const std::string& name,
                  size_t begin,
                  size_t end) {
  const std::string newest = words(space.read(folder + "/checkpoint_last")).front();
  const std::string file = space.read(folder + "/" + newest);
  uint64_t length = 0;
  std::memcpy(&length, file.data(), sizeof(length));
  const auto entry = nlohmann::json::parse(file.substr(8, length)).at(name);
  const size_t rows = entry["shape"][0], columns = entry["shape"][1], at = entry["data_offsets"][0];
  std::string values = file.substr(8 + length + at, rows * columns * sizeof(float));
  for (size_t row = 0; row < rows; ++row)
    std::fill_n(values.begin() + static_cast<int64_t>((row * columns + begin) * sizeof(float)),
                (end - begin) * sizeof(float),
                '\0');
  const std::string header =
      nlohmann::json{
          {name,
           {{"dtype", "F32"}, {"shape", {rows, columns}}, {"data_offsets", {0, values.size()}}}}}
          .dump();
  length = header.size();
  space.write("zero.safetensors",
              std::string(reinterpret_cast<const char*>(&length), 8) + header + values);
  const auto result = space.run(words("replace-tensors " + folder + " zero.safetensors --output " +
                                      folder + "/zero.safetensors"));
  ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
}

std::string rescored(Workspace& space, const std::string& arguments) {
  const auto result = space.run(words("rescore --target test.de " + arguments));
  EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
  return result.output;
}

TEST_F(Analyze, SwitchesAHeadOffByTheColumnsThatReadIt) {
  const std::string input = " --source test.en";
  zero_columns(*space, "words", "decoder.layers.0.encoder_attn.out_proj.weight", 16, 32);
  const std::string without = rescored(*space, "--path words --mask-heads cross.1.2" + input);
  EXPECT_EQ(without, rescored(*space, "--path words/zero.safetensors --skip-self-test" + input));
  EXPECT_NE(without, rescored(*space, "--path words" + input));
  EXPECT_NE(without, rescored(*space, "--path words --mask-heads cross.1.1" + input));
}

TEST_F(Analyze, LetsTheSourceHaveNoInfluenceWithoutHeadsThatReadIt) {
  auto sources = lines_of(space->read("test.en"));
  std::rotate(sources.begin(), sources.begin() + 1, sources.end());
  std::string rotated;
  for (const std::string& line : sources) rotated += line + '\n';
  space->write("rotated.en", rotated);
  for (const std::string model : {"words", "bigrams"}) {
    const std::string masked = "--path " + model + " --mask-heads cross.1.1,cross.1.2 --source ";
    EXPECT_EQ(rescored(*space, masked + "test.en"), rescored(*space, masked + "rotated.en"));
    const std::string partly = "--path " + model + " --mask-heads cross.1.1 --source ";
    EXPECT_NE(rescored(*space, partly + "test.en"), rescored(*space, partly + "rotated.en"));
  }
}

TEST_F(Analyze, MeasuresTheLossWithoutEachHead) {
  const std::string files = " --source test.en --target test.de";
  const auto result = analyze("heads --path bigrams --json --plot heads.svg" + files);
  ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  EXPECT_EQ(XmlCheck(space->read("heads.svg")).fault(), "");
  const auto report = nlohmann::json::parse(result.output);
  ASSERT_EQ(report["heads"].size(), 6u);  // two heads for each kind of attention
  const auto& last = report["heads"][5];
  EXPECT_EQ(last["attention"], "cross");
  EXPECT_EQ(last["head"], 2);
  EXPECT_EQ(last["ngrams"], nlohmann::json({1, 2}));
  double log_probability = 0, tokens = 0;
  const std::string scores =
      rescored(*space, "--path bigrams --mask-heads cross.1.2 --source test.en");
  for (const auto& line : lines_of(scores)) log_probability += std::stod(line);
  for (const auto& line : lines_of(space->read("test.de")))
    tokens += static_cast<double>(words(line).size()) + 1;
  EXPECT_NEAR(last["loss"].get<double>(), -log_probability / tokens / std::log(2.0), 1e-5);
  EXPECT_NEAR(last["increase"].get<double>(),
              last["loss"].get<double>() - report["loss"].get<double>(),
              1e-12);
  const auto cross = analyze("heads --path words --attention cross" + files);
  ASSERT_EQ(cross.exit_code, kExitOk) << cross.errors;
  EXPECT_THAT(cross.output, AllOf(HasSubstr("\ncross "), Not(HasSubstr("encoder"))));
}

TEST_F(Analyze, TranslatesWithoutAHeadAsItScores) {
  const std::string head = " --path bigrams --mask-heads cross.1.2,decoder.1.1";
  const auto result =
      space->run(words("generate --beam 2 --format fairseq --input test.en" + head));
  ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  std::map<int, double> searched;  // the score in base 2 of the best translation of each sentence
  std::map<int, std::string> translations;
  for (const auto& line : lines_of(result.output)) {
    if (!line.starts_with("H-"))
      continue;
    const size_t first = line.find('\t'), second = line.find('\t', first + 1);
    const int id = std::stoi(line.substr(2));
    searched[id] = std::stod(line.substr(first + 1));
    translations[id] = line.substr(second + 1);
  }
  std::string text;
  for (const auto& [id, translation] : translations) text += translation + '\n';
  space->write("masked.de", text);
  const auto scored =
      space->run(words("rescore --source test.en --target masked.de --format fairseq" + head));
  ASSERT_EQ(scored.exit_code, kExitOk) << scored.errors;
  int compared = 0;
  for (const auto& line : lines_of(scored.output)) {
    if (!line.starts_with("H-"))
      continue;
    EXPECT_NEAR(
        std::stod(line.substr(line.find('\t') + 1)), searched.at(std::stoi(line.substr(2))), 2e-4);
    ++compared;
  }
  EXPECT_EQ(compared, 30);
}

TEST_F(Analyze, NamesTheHeadsThatAModelHas) {
  const std::string files = " --source test.en --target test.de";
  const auto missing = analyze("heads --path words --mask-heads cross.1.3" + files);
  EXPECT_EQ(missing.exit_code, kExitUsage);
  EXPECT_THAT(missing.errors,
              AllOf(HasSubstr("has no attention head cross.1.3"),
                    HasSubstr("encoder.1.1 to 2, decoder.1.1 to 2, cross.1.1 to 2")));
  EXPECT_EQ(analyze("heads --path words --mask-heads cross" + files).exit_code, kExitUsage);
  EXPECT_EQ(analyze("heads --path words:bigrams" + files).exit_code, kExitUsage);
}

TEST_F(Analyze, NamesTheAttentionThatHasNoHeads) {
  train("recurrent", 1, "ssru_transformer");
  const auto result =
      analyze("heads --path recurrent --attention decoder --source test.en --target test.de");
  EXPECT_EQ(result.exit_code, kExitData);
  EXPECT_THAT(result.errors, HasSubstr("no heads of decoder attention"));
}

TEST_F(Analyze, KnowsTheLongestNgramsOfHeads) {
  train("long", 1, "phrasal_attention", "--pa-type heterogeneous --pa-ngrams 1,12");
  const auto result =
      analyze("heads --path long --attention cross --source test.en --target test.de --json");
  ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  EXPECT_EQ(nlohmann::json::parse(result.output)["heads"][0]["ngrams"], nlohmann::json({1, 12}));
}

TEST_F(Analyze, SwitchesHeadsOffInAModelOfShortSentences) {
  train("brief", 1, "transformer", "--max-source-positions 8 --max-target-positions 8");
  const std::string generate = "generate --path brief --input test.en --format jsonl";
  const auto result = space->run(words(generate + " --mask-heads cross.1.1"));
  EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
  EXPECT_THAT(lines_of(result.output), SizeIs(30));
  EXPECT_NE(result.output, space->run(words(generate)).output);
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

  const auto none = analyze(
      "dump --path words --source test.en --target test.de --tensors no.such --output none.jsonl");
  EXPECT_EQ(none.exit_code, kExitUsage);
  EXPECT_THAT(none.errors, HasSubstr("--tensors no.such: the model records no tensor"));
  EXPECT_FALSE(space->exists("none.jsonl"));
}

TEST_F(Analyze, NeedsSentencesForATable) {
  for (const std::string mode : {"activation --path words", "heads --path words"}) {
    const auto result = analyze(mode + " --source /dev/null --target /dev/null");
    EXPECT_EQ(result.exit_code, kExitData) << mode;
    EXPECT_THAT(result.errors, HasSubstr("--source has no sentences")) << mode;
  }
}

TEST_F(Analyze, RejectsOptionsOfOtherModes) {
  const std::string files = " --path words --source test.en --target test.de ";
  for (const auto& [mode, option] : {std::pair{"dump", "--json"},
                                     {"dump", "--attention cross"},
                                     {"dump", "--stat mass"},
                                     {"activation", "--tensors weights"},
                                     {"activation", "--tau 0.3"},
                                     {"activation", "--layer 1"},
                                     {"activation", "--target-labels input"},
                                     {"activation", "--plot -"},
                                     {"activation", "--plot words.png"},
                                     {"attention", "--truncate-source"}}) {
    const auto result = analyze(mode + files + option);
    EXPECT_EQ(result.exit_code, kExitUsage) << mode << ' ' << option;
    EXPECT_THAT(result.errors, HasSubstr(std::string(option).substr(0, 5)));
  }
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
