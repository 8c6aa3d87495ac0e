// The recipes of examples/recipes on the toy corpus, from text to scores: a few updates, one row.

#include <cstdlib>
#include <filesystem>
#include <string>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// phraseq with as few subword pieces as the toy corpus allows.
constexpr const char* kSmallPhraseq = R"sh(#!/bin/bash
arguments=()
while (($#)); do
  if [[ $1 == --subwords ]]; then arguments+=(--subwords 50); shift 2; else arguments+=("$1"); shift; fi
done
exec )sh" PHRASEQ_BUILD_FOLDER R"sh(/bin/phraseq "${arguments[@]}"
)sh";

/// A copy of the recipes in a tree whose build/bin contains that phraseq.
class Recipes : public ::testing::Test {
 protected:
  Recipes() {
    fs::create_directories(workspace_.path("tree/build/bin"));
    fs::create_directories(workspace_.path("tree/examples"));
    fs::copy(PHRASEQ_SOURCE_FOLDER "/examples/recipes",
             workspace_.path("tree/examples/recipes"),
             fs::copy_options::recursive);
    workspace_.write("tree/build/bin/phraseq", kSmallPhraseq);
    fs::permissions(workspace_.path("tree/build/bin/phraseq"), fs::perms::owner_all);
    fs::create_directories(workspace_.path("text"));
  }

  /// Writes the toy corpus as text/NAME.LANGUAGE.
  void write_text(const std::string& train,
                  const std::string& dev,
                  const std::string& test,
                  const std::string& source,
                  const std::string& target) {
    const auto put = [&](const std::string& name, int pairs, uint64_t seed) {
      const ToyText text = toy_text(pairs, seed);
      workspace_.write("text/" + name + "." + source, text.english);
      workspace_.write("text/" + name + "." + target, text.german);
    };
    put(train, 200, 1);
    put(dev, 20, 2);
    put(test, 30, 3);
  }

  /// Runs "reproduce.sh ARGUMENTS" in the same way.
  int reproduce(const std::string& arguments) {
    const std::string command = "cd " + workspace_.path("") +
                                " && tree/examples/recipes/reproduce.sh " + arguments +
                                " > output 2> errors < /dev/null";
    return WEXITSTATUS(std::system(command.c_str()));
  }

  /// Runs "evidence.sh ARGUMENTS" in the same way.
  int evidence(const std::string& arguments, const std::string& before = "") {
    const std::string command = "cd " + workspace_.path("") + " && " + before +
                                " tree/examples/recipes/evidence.sh " + arguments +
                                " > output 2> errors < /dev/null";
    return WEXITSTATUS(std::system(command.c_str()));
  }

  /// Runs "RECIPE/run.sh ARGUMENTS" with these variables; the output is in the files `output` and
  /// `errors`.
  int run(const std::string& variables, const std::string& recipe, const std::string& arguments) {
    const std::string command = "cd " + workspace_.path("") + " && " + variables +
                                " tree/examples/recipes/" + recipe + "/run.sh " + arguments +
                                " > output 2> errors < /dev/null";
    return WEXITSTATUS(std::system(command.c_str()));
  }
  std::string output() const { return workspace_.read("output"); }
  std::string errors() const { return workspace_.read("errors"); }

  Workspace workspace_;
};

TEST_F(Recipes, EachDescribesItself) {
  for (const std::string recipe :
       {"back_translation", "multi30k", "nguyen2022", "nguyen_joty2018", "tang2016", "xu2020"}) {
    EXPECT_EQ(run("", recipe, "--help"), 0) << recipe << ": " << errors();
    EXPECT_THAT(output(), HasSubstr("examples/recipes/" + recipe + "/run.sh")) << recipe;
    EXPECT_EQ(errors(), "") << recipe;
    EXPECT_FALSE(workspace_.exists("--help")) << recipe;
  }
}

TEST_F(Recipes, Multi30kRunsForOneEpoch) {
  write_text("train", "val", "test_2016_flickr", "en", "de");
  EXPECT_EQ(run("", "multi30k", "text made --max-epoch 1 --threads 1"), 0) << errors();
  EXPECT_THAT(errors(), HasSubstr("1 epoch checkpoints in checkpoints, not 10"));
  EXPECT_THAT(output(), HasSubstr("BLEU"));
}

TEST_F(Recipes, Multi30kAveragesTheLastCheckpointWithoutThoseOfEpochs) {
  write_text("train", "val", "test_2016_flickr", "en", "de");
  EXPECT_EQ(run("", "multi30k", "text made --max-epoch 1 --no-epoch-checkpoints --threads 1"), 0)
      << errors();
  EXPECT_THAT(output(), HasSubstr("BLEU"));
}

TEST_F(Recipes, Xu2020RunsWithTheBaselineAlone) {
  write_text("train", "dev", "test", "en", "de");
  EXPECT_EQ(run("ROWS=base UPDATES=3", "xu2020", "text made --threads 1"), 0) << errors();
  EXPECT_THAT(workspace_.read("made/score-test.txt"), HasSubstr("BLEU"));
  EXPECT_THAT(workspace_.read("made/times.txt"), HasSubstr("\nbase "));
}

TEST_F(Recipes, Xu2020ComparesFromTwoRowsOn) {
  write_text("train", "dev", "test", "en", "de");
  EXPECT_EQ(run("ROWS='max base' UPDATES=3", "xu2020", "text made --threads 1"), 0) << errors();
  EXPECT_THAT(workspace_.read("made/score-test.txt"),
              AllOf(HasSubstr("base/test.hyp"), HasSubstr("p = ")));
  EXPECT_TRUE(workspace_.exists("made/lengths.txt"));
}

TEST_F(Recipes, Xu2020LeavesOutParsedPhrasesWithoutTrees) {
  write_text("train", "dev", "test", "en", "de");
  EXPECT_EQ(run("ROWS=parse UPDATES=3", "xu2020", "text made --threads 1"), 0) << errors();
  EXPECT_THAT(errors(), AllOf(HasSubstr("+Parse is left out"), HasSubstr("nothing to score")));
}

TEST_F(Recipes, NguyenJoty2018RunsWithTheBaselineAlone) {
  write_text("train", "dev", "test", "en", "de");
  EXPECT_EQ(run("ROWS=base UPDATES=3", "nguyen_joty2018", "text made --threads 1"), 0) << errors();
  EXPECT_THAT(workspace_.read("made/en-de/score-test.txt"), HasSubstr("BLEU"));
}

TEST_F(Recipes, Nguyen2022RunsWithTheBaselineAloneForOneEpoch) {
  write_text("train", "dev", "test", "vi", "zh");
  EXPECT_EQ(run("MODELS=base DIRECTIONS=vi-zh OPTIONS='--max-epoch 1 --threads 1'",
                "nguyen2022",
                "made text"),
            0)
      << errors();
  EXPECT_THAT(workspace_.read("made/vi-zh/score-dev.txt"), HasSubstr("BLEU"));
}

TEST_F(Recipes, Tang2016RunsWithTheBaselineAloneAndWithoutUnknownWords) {
  write_text("train", "dev", "test", "zh", "en");
  EXPECT_EQ(run("ROWS=rnnsearch UPDATES=3 OPTIONS='--threads 1'", "tang2016", "made text"), 0)
      << errors();
  EXPECT_THAT(workspace_.read("made/score-test.txt"), HasSubstr("BLEU"));
  EXPECT_THAT(workspace_.read("made/phrases.txt"), HasSubstr("rnnsearch: generated as phrases: 0"));
}

TEST_F(Recipes, BackTranslationAddsTranslatedTextWithAndWithoutATag) {
  write_text("train", "dev", "test", "en", "de");
  const ToyText more = toy_text(30, 4);
  workspace_.write("text/mono.en", more.english);
  workspace_.write("text/mono.de", more.german);
  EXPECT_EQ(run("UPDATES=3 RATIO=100", "back_translation", "text made --threads 1"), 0) << errors();
  EXPECT_THAT(workspace_.read("made/score-test.txt"),
              AllOf(HasSubstr("base/test.hyp"), HasSubstr("tagged/test.hyp"), HasSubstr("p = ")));
  const auto added = lines_of(workspace_.read("made/tagged/added.en"));
  ASSERT_FALSE(added.empty());
  for (const std::string& line : added) EXPECT_THAT(line, ::testing::StartsWith("<BT> "));
  const auto plain = lines_of(workspace_.read("made/bt/added.en"));
  ASSERT_EQ(plain.size(), added.size());
  EXPECT_EQ("<BT> " + plain.front(), added.front());
  EXPECT_EQ(lines_of(workspace_.read("made/bt/train.en")).size(), 200 + plain.size());
  EXPECT_TRUE(workspace_.exists("made/self/added.de"));
}

TEST_F(Recipes, BackTranslationLeavesOutPairsOfVeryDifferentLengths) {
  write_text("train", "dev", "test", "en", "de");
  workspace_.write("text/mono.de", "eins zwei drei\n\n");
  fs::create_directories(workspace_.path("made/text"));
  workspace_.write("made/text/mono.de.en", "one\n\n");
  EXPECT_NE(run("ROWS=bt UPDATES=3", "back_translation", "text made --threads 1"), 0);
  EXPECT_THAT(errors(), HasSubstr("0 of 2 pairs kept"));
}

TEST_F(Recipes, HaveTablesThatAgreeWithTheirLogs) {
  for (const char* recipe : {"multi30k", "nguyen2022", "nguyen_joty2018", "tang2016", "xu2020"}) {
    EXPECT_EQ(reproduce("--check " + std::string(recipe)), 0) << output() << errors();
    EXPECT_THAT(output(), HasSubstr(" cells, 0 different")) << recipe;
  }
  EXPECT_EQ(reproduce("--check xu2020 +Mean nll"), 0);
  EXPECT_THAT(output(), HasSubstr("multi30k, +Mean, nll: README.md 2.869, results 2.869: equal"));
}

TEST_F(Recipes, HaveTheSameTablesInALanguageWithADecimalComma) {
  const std::string locales = workspace_.path("locales");
  fs::create_directories(locales);
  const std::string make =
      "localedef -i de_DE -f UTF-8 " + locales + "/de_DE.UTF-8 > /dev/null 2>&1";
  if (std::system(make.c_str()) != 0)
    GTEST_SKIP() << "the sources of locales are not installed (Debian package locales)";
  ::setenv("LOCPATH", locales.c_str(), 1);
  ::setenv("LC_ALL", "de_DE.UTF-8", 1);
  EXPECT_EQ(reproduce("--check xu2020"), 0) << output() << errors();
  ::unsetenv("LC_ALL");
  ::unsetenv("LOCPATH");
}

TEST_F(Recipes, ShowACellThatDiffersFromItsLog) {
  const std::string page = "tree/examples/recipes/xu2020/README.md";
  std::string text = workspace_.read(page);
  const size_t cell = text.find("| 2.869 |");
  ASSERT_NE(cell, std::string::npos);
  workspace_.write(page, text.replace(cell, 9, "| 2.689 |"));
  EXPECT_EQ(reproduce("--check xu2020"), 1);
  EXPECT_THAT(output(),
              HasSubstr("multi30k, +Mean, nll: README.md 2.689, results 2.869: DIFFERENT"));
  EXPECT_EQ(reproduce("--check xu2020 +Max"), 0) << output();
  EXPECT_EQ(reproduce("--check xu2020 +Nothing"), 1);
}

TEST_F(Recipes, AreReproducedInStepsWithTableAndManifest) {
  write_text("train", "dev", "test", "en", "de");
  const std::string one = "xu2020 --folder made --updates 3 --rows base text";
  EXPECT_EQ(reproduce(one), 0) << errors();
  EXPECT_THAT(
      output(),
      AllOf(HasSubstr("| base | "), HasSubstr(" | 27.38 | 88.1M |"), Not(HasSubstr("+Max"))));
  const std::string log = workspace_.read("made/base/train.log");

  EXPECT_EQ(reproduce("xu2020 --folder made --updates 3 --rows 'max base' text"), 0) << errors();
  EXPECT_THAT(output(), AllOf(HasSubstr("| base | "), HasSubstr("| +Max | ")));
  EXPECT_EQ(workspace_.read("made/table.md"), output());
  EXPECT_EQ(workspace_.read("made/base/train.log"), log) << "a finished row was trained again";

  const std::string manifest = workspace_.read("made/manifest.json");
  for (const char* part : {"\"state\": \"finished\"",
                           "\"version\": \"phraseq ",
                           "\"seeds\": [\n    \"1\"]",
                           "  text/test.de\"",
                           "phraseq train data-bin --save-dir max/checkpoints --seed 1",
                           "UPDATES=3"})
    EXPECT_THAT(manifest, HasSubstr(part));
}

TEST_F(Recipes, AreReproducedForFewEpochs) {
  write_text("train", "val", "test_2016_flickr", "en", "de");
  EXPECT_EQ(reproduce("multi30k --epochs 1 text -- --no-epoch-checkpoints"), 0) << errors();
  EXPECT_THAT(output(), HasSubstr("| mean of the last ten epochs | "));
  EXPECT_THAT(workspace_.read("multi30k-run/train.log"), HasSubstr("epoch 001"));
}

TEST_F(Recipes, AreNotReproducedWithSettingsThatAreWrong) {
  for (const auto& [arguments, message] :
       {std::tuple{"xu2021 text", "there is no recipe 'xu2021'; known: multi30k"},
        std::tuple{"xu2020 --rows bass .", "xu2020 has no row 'bass'; known: base"},
        std::tuple{"xu2020 --epochs few .", "'few' is not a number"},
        std::tuple{"xu2020 --speed 1 .", "there is no setting --speed"},
        std::tuple{"xu2020 nowhere", "nowhere is not a folder"},
        std::tuple{"xu2020", "xu2020 needs the folder of its corpus"}}) {
    EXPECT_EQ(reproduce(arguments), 2) << arguments;
    EXPECT_THAT(errors(), HasSubstr(message)) << arguments;
  }
}

int trainings_in(const std::string& commands) {
  int count = 0;
  for (const std::string& line : lines_of(commands)) count += line.starts_with("phraseq train ");
  return count;
}

/// Two systems, two seeds and one trial each, with trainings of four updates.
constexpr const char* kEvidence =
    "toy=en-de:text --data text --folder run --results made --systems 'base mean' --seeds '1 2' "
    "--trials 1 --patience 2 --interval 2 --updates 4";

constexpr const char* kOneLayer = " -- --threads 1 --encoder-layers 1 --decoder-layers 1";

TEST_F(Recipes, EvidenceIsTunedTrainedWithSeveralSeedsAndReported) {
  write_text("train", "dev", "test", "en", "de");
  ASSERT_EQ(evidence(std::string(kEvidence) + kOneLayer), 0) << errors();
  EXPECT_EQ(lines_of(workspace_.read("made/toy/runs.tsv")).size(), 4u);
  EXPECT_EQ(lines_of(workspace_.read("made/toy/base/trials.tsv")).size(), 2u);
  EXPECT_EQ(lines_of(workspace_.read("made/toy/mean/trials.tsv")).size(), 2u);
  // The first trial of the phrase model has the configuration chosen for the baseline.
  EXPECT_THAT(lines_of(workspace_.read("made/toy/mean/trials.tsv"))[0],
              HasSubstr("\t" + lines_of(workspace_.read("run/toy/base/chosen"))[0]));
  EXPECT_THAT(workspace_.read("made/toy/leaks.tsv"), HasSubstr("test\t30\t"));
  EXPECT_THAT(workspace_.read("made/toy/manifest.json"),
              AllOf(HasSubstr("\"state\": \"finished\""), HasSubstr("\"1\",\n    \"2\"")));
  const std::string commands = workspace_.read("run/toy/commands.txt");
  EXPECT_THAT(commands, AllOf(HasSubstr("--patience 2"), HasSubstr("--num-update-checkpoints 2")));

  // In a second run, only the comparison is left to do.
  ASSERT_EQ(evidence(std::string(kEvidence) + kOneLayer), 0) << errors();
  const std::string more = workspace_.read("run/toy/commands.txt").substr(commands.size());
  EXPECT_THAT(more, AllOf(Not(HasSubstr("phraseq train")), Not(HasSubstr("phraseq generate"))));

  // On another machine, only the results exist, and a seed is added.
  const std::string runs = workspace_.read("made/toy/runs.tsv");
  fs::rename(workspace_.path("run"), workspace_.path("first-run"));
  ASSERT_EQ(evidence(std::string(kEvidence) + " --seeds '1 2 3'" + kOneLayer), 0) << errors();
  EXPECT_EQ(trainings_in(workspace_.read("run/toy/commands.txt")), 2);
  EXPECT_EQ(lines_of(workspace_.read("made/toy/runs.tsv")).size(), 6u);
  for (const std::string& line : lines_of(runs))
    EXPECT_THAT(workspace_.read("made/toy/runs.tsv"), HasSubstr(line));
  fs::remove_all(workspace_.path("made"));
  fs::remove_all(workspace_.path("run"));
  fs::rename(workspace_.path("first-run"), workspace_.path("run"));
  ASSERT_EQ(evidence(std::string(kEvidence) + kOneLayer), 0) << errors();

  workspace_.write("page.md",
                   "# Page\n\n<!-- tables -->\n\nold\n\n<!-- end of tables -->\n\nend\n");
  EXPECT_EQ(evidence("--check made page.md"), 1);
  ASSERT_EQ(evidence("--report made page.md"), 0) << errors();
  const std::string page = workspace_.read("page.md");
  EXPECT_THAT(page,
              AllOf(HasSubstr("# Page\n"),
                    HasSubstr("### toy\n"),
                    HasSubstr("| Transformer | "),
                    HasSubstr("| Xu et al., +Mean | "),
                    HasSubstr("(2 seeds) |"),
                    HasSubstr("Test set `test`: 30 pairs;"),
                    HasSubstr("\nF1 of words by their frequency in the training text"),
                    HasSubstr("#### toy, heads\n"),
                    HasSubstr("| Transformer | 2 | 1 | "),
                    HasSubstr("\nend\n"),
                    Not(HasSubstr("\nold\n"))));
  EXPECT_EQ(evidence("--check made page.md"), 0) << output();
  EXPECT_THAT(output(), HasSubstr("1 corpora, "));
  const size_t cell = page.find("(2 seeds)");
  workspace_.write("page.md", std::string(page).replace(cell, 9, "(3 seeds)"));
  EXPECT_EQ(evidence("--check made page.md"), 1);
  EXPECT_THAT(output(), HasSubstr("DIFFERENT"));

  // The trained models are scored on another test set and on contrastive pairs.
  ASSERT_EQ(evidence("toy=en-de:text --data text --folder run --results made --test more "
                     "text/train.en text/train.de"),
            0)
      << errors();
  EXPECT_THAT(errors(),
              HasSubstr("200 of 200 pairs of the test set \"more\" are in the training text"));
  EXPECT_TRUE(workspace_.exists("made/toy/scores/more.transformer.json"));
  workspace_.write("pairs.tsv",
                   "source\treference\tcontrastive\tdistance\none two\teins zwei\teins drei\t1\n");
  ASSERT_EQ(
      evidence(
          "toy=en-de:text --data text --folder run --results made --contrastive pairs pairs.tsv"),
      0)
      << errors();
  EXPECT_TRUE(workspace_.exists("made/toy/scores/pairs.contrastive/mean.2.json"));
  ASSERT_EQ(evidence("--report made page.md"), 0) << errors();
  EXPECT_THAT(workspace_.read("page.md"),
              AllOf(HasSubstr("#### toy, more (transformer)"), HasSubstr("| | all (1) | 1 (1) |")));
}

/// A phraseq whose trainings write checkpoints and then fail, as on a full disk.
constexpr const char* kFailingTraining = R"sh(
status=$?
[[ ${arguments[0]} != train ]] || exit 6
exit $status
)sh";

TEST_F(Recipes, EvidenceEndsWhenATrainingFailsAndKeepsItsCheckpoints) {
  write_text("train", "dev", "test", "en", "de");
  const std::string program = "tree/build/bin/phraseq";
  const std::string working = workspace_.read(program);
  std::string failing = working + kFailingTraining;
  workspace_.write(program, failing.replace(failing.find("exec "), 5, ""));
  EXPECT_EQ(evidence(std::string(kEvidence) + kOneLayer), 6);
  EXPECT_THAT(workspace_.read("run/toy/commands.txt"), Not(HasSubstr("phraseq average")));
  EXPECT_FALSE(workspace_.exists("run/toy/base/chosen"));
  EXPECT_FALSE(workspace_.exists("made/toy"));

  workspace_.write(program, working);
  EXPECT_EQ(evidence(std::string(kEvidence) + " --systems base" + kOneLayer), 0) << errors();
  EXPECT_TRUE(workspace_.exists("made/toy/base/chosen"));
}

TEST_F(Recipes, EvidenceOnThePageAgreesWithTheCommittedLogs) {
  EXPECT_EQ(evidence("--check tree/examples/recipes/evidence/results " PHRASEQ_SOURCE_FOLDER
                     "/docs/evidence.md"),
            0)
      << output() << errors();
}

TEST_F(Recipes, EvidenceMarksSystemsThatWereTunedFromAnEarlierBaseline) {
  const std::string corpus = "results/multi30k-5k-en-de/";
  fs::copy(PHRASEQ_SOURCE_FOLDER "/examples/recipes/evidence/results",
           workspace_.path("results"),
           fs::copy_options::recursive);
  const auto row_of_ta = [&] {
    workspace_.write("page.md", "<!-- tables -->\n\n<!-- end of tables -->\n");
    EXPECT_EQ(evidence("--report results page.md"), 0) << errors();
    const std::string page = workspace_.read("page.md");
    return page.substr(page.find("| Xu et al., +Max+Attn+TA"), 40);
  };
  workspace_.write(corpus + "ta/trials.tsv", "20.0\tdropout=0.9\n");
  EXPECT_THAT(row_of_ta(), HasSubstr("TA † |"));
  workspace_.write(corpus + "ta/trials.tsv", "20.0\t" + workspace_.read(corpus + "base/chosen"));
  EXPECT_THAT(row_of_ta(), HasSubstr("TA | "));
}

/// A phraseq whose trainings are stopped after two updates, as by a signal.
constexpr const char* kStoppedPhraseq = R"sh(#!/bin/bash
arguments=("$@")
for i in "${!arguments[@]}"; do
  case ${arguments[i]} in
    --subwords) arguments[i + 1]=50 ;;
    --max-update) arguments[i + 1]=2 ;;
  esac
done
)sh" PHRASEQ_BUILD_FOLDER R"sh(/bin/phraseq "${arguments[@]}" && [[ $1 != train ]] || exit 143
)sh";

TEST_F(Recipes, EvidenceStopsWhenATrainingIsStopped) {
  write_text("train", "dev", "test", "en", "de");
  const std::string arguments =
      "toy=en-de:text --folder 'my run' --results made --systems base --seeds 1 --trials 0 "
      "--patience 2 --interval 2 --updates 4" +
      std::string(kOneLayer);
  workspace_.write("tree/build/bin/phraseq", kStoppedPhraseq);
  EXPECT_EQ(evidence(arguments, "env -u PHRASEQ_DATA"), 143) << errors();
  const std::string place =
      "my run/toy/base/dropout=0.3+lr=0.005+warmup=2000+tokens=4000+smoothing=0.1+norm=post/1/";
  EXPECT_TRUE(workspace_.exists(place + "checkpoints/checkpoint_last"));
  EXPECT_FALSE(workspace_.exists(place + "average.safetensors"));

  // The second run, without a data folder and with a space in the path, continues from the last
  // checkpoint.
  workspace_.write("tree/build/bin/phraseq", kSmallPhraseq);
  EXPECT_EQ(evidence(arguments, "env -u PHRASEQ_DATA"), 0) << errors();
  EXPECT_THAT(workspace_.read(place + "train.log"), HasSubstr("update 4 of --max-update 4"));
  EXPECT_THAT(workspace_.read("made/toy/manifest.json"), HasSubstr("\"finished\""));
  EXPECT_EQ(lines_of(workspace_.read("made/toy/runs.tsv")).size(), 1u);
}

/// fairseq-train, as far as the recipe sees it: phraseq with the same options, the names of
/// fairseq's checkpoints, and two lines of its log.
constexpr const char* kFairseqTrain = R"sh(#!/bin/bash
set -e
)sh" PHRASEQ_BUILD_FOLDER R"sh(/bin/phraseq train "$@" 2> /dev/null
while [[ $1 != --save-dir ]]; do shift; done
for file in "$2"/checkpoint_*_*.safetensors; do mv "$file" "${file%.safetensors}.pt"; done
echo '2026-11-29 15:48:41 | INFO | fairseq_cli.train | num. shared model params: 3,088,384 (num. trained: 3,088,384)'
echo '2026-11-29 15:50:48 | INFO | valid | {"epoch": 1, "valid_loss": "9.1", "valid_bleu": "0.52", "valid_num_updates": "4"}'
)sh";

/// phraseq that reads those checkpoints as what they are.
constexpr const char* kImportingPhraseq = R"sh(#!/bin/bash
if [[ $1 == import ]]; then cp "$2" "$3"; exit; fi
exec )sh" PHRASEQ_BUILD_FOLDER R"sh(/bin/phraseq "${@/10000/50}"
)sh";

/// A tee that writes the log of a training a second after the training's end.
constexpr const char* kSlowTee = R"sh(#!/bin/bash
text=$(cat) && sleep 1 && exec /usr/bin/tee "$@" <<< "$text"
)sh";

TEST_F(Recipes, EvidenceComparesTheBaselineWithThatOfFairseq) {
  write_text("train", "dev", "test", "en", "de");
  const std::string arguments =
      "toy=en-de:text --data text --folder run --results made --systems 'base fairseq' --seeds 1 "
      "--trials 0 --patience 2 --interval 2 --updates 4" +
      std::string(kOneLayer);
  ASSERT_EQ(evidence(arguments, "env FAIRSEQ_TRAIN=no-fairseq"), 0) << errors();
  EXPECT_THAT(errors(), HasSubstr("fairseq is left out: there is no no-fairseq on the PATH"));

  for (const auto& [name, script] : {std::pair{"fairseq-train", kFairseqTrain},
                                     {"tree/build/bin/phraseq", kImportingPhraseq},
                                     {"tree/build/bin/tee", kSlowTee}}) {
    workspace_.write(name, script);
    fs::permissions(workspace_.path(name), fs::perms::owner_all);
  }
  ASSERT_EQ(evidence(arguments, "env FAIRSEQ_TRAIN=$PWD/fairseq-train"), 0) << errors();
  const auto runs = lines_of(workspace_.read("made/toy/runs.tsv"));
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_THAT(
      runs[1],  // the parameters of the imported model, not those of fairseq's log
      AllOf(StartsWith("fairseq\t1\t"), ContainsRegex("\t[0-9]+\t4\t"), Not(HasSubstr("3088384"))));
  EXPECT_THAT(workspace_.read("made/toy/fairseq/1/metrics.jsonl"), HasSubstr("\"score\": 0.52"));
}

TEST_F(Recipes, EvidenceTakesTheMostFrequentPhrasesOfALargeTable) {
  std::string table;
  for (int i = 0; i < 20000; ++i)
    table += "source " + std::to_string(i) + " ||| target ||| others ||| 1 ||| " +
             std::to_string(i % 10000 + 1) + "\n";
  workspace_.write("table", table);
  const std::string command =
      "cd " + workspace_.path("") +
      " && bash -euo pipefail -c '. tree/examples/recipes/evidence/steps.sh; "
      "most_frequent 3 table' > output 2> errors";
  EXPECT_EQ(std::system(command.c_str()), 0) << errors();
  EXPECT_EQ(output(),
            "source 9999 ||| target ||| others ||| 1 ||| 10000\n"
            "source 19999 ||| target ||| others ||| 1 ||| 10000\n"
            "source 9998 ||| target ||| others ||| 1 ||| 9999\n");
}

TEST_F(Recipes, NameTheTextThatTheyMiss) {
  for (const auto& [recipe, arguments, message] :
       {std::tuple{"multi30k", "text made", "text has no train.en, plain or .gz"},
        std::tuple{"back_translation", "text made", "text has no train.en, plain or .gz"},
        std::tuple{"xu2020", "text made", "text has no train.en, plain or .gz"},
        std::tuple{"nguyen_joty2018", "text made", "text has no train.en, plain or .gz"},
        std::tuple{"tang2016", "made text", "text has no train.zh, plain or .gz"}}) {
    EXPECT_EQ(run("", recipe, arguments), 2) << recipe;
    EXPECT_THAT(errors(), HasSubstr(message)) << recipe;
  }
}

TEST_F(Recipes, EvidenceIsNotMadeWithSettingsThatAreWrong) {
  fs::create_directories(workspace_.path("text"));
  for (const auto& [arguments, message] :
       {std::tuple{"multi40k", "there is no corpus 'multi40k'; known: multi30k-en-de"},
        std::tuple{"toy=en-de:nowhere", "nowhere is not a folder"},
        std::tuple{"toy=en-de:text --systems bass", "there is no system 'bass'; known: base"},
        std::tuple{"toy=en-de:text --seeds one", "'one' is not a number"},
        std::tuple{"toy=en-de:text --subwords few", "'few' is not a number"},
        std::tuple{"toy=en-de:text --size huge", "--size is tiny or base, not 'huge'"},
        std::tuple{"toy=en-de:text --speed 1", "there is no setting --speed"},
        std::tuple{"toy=en-de:text --test more text", "--test needs NAME SRC REF"},
        std::tuple{"--systems base", "name a corpus"}}) {
    EXPECT_EQ(evidence(arguments), 2) << arguments;
    EXPECT_THAT(errors(), HasSubstr(message)) << arguments;
  }
}

TEST_F(Recipes, RejectAnUnknownRowBeforeAnythingIsMade) {
  write_text("train", "dev", "test", "en", "de");
  for (const auto& [variable, recipe, arguments] :
       {std::tuple{"ROWS", "xu2020", "text made"},
        std::tuple{"ROWS", "nguyen_joty2018", "text made"},
        std::tuple{"MODELS", "nguyen2022", "made text"},
        std::tuple{"ROWS", "tang2016", "made text"}}) {
    EXPECT_EQ(run(std::string(variable) + "='base bass'", recipe, arguments), 2) << recipe;
    EXPECT_THAT(errors(), HasSubstr("there is no row 'ba")) << recipe;
    EXPECT_FALSE(workspace_.exists("made/text")) << recipe;
  }
}

}  // namespace
}  // namespace phraseq::end_to_end
