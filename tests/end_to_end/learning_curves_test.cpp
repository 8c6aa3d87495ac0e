// Learning curves of runs trained here: the picture in the save folder, phraseq plot, event files.

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/workspace.h"
#include "tests/support/xml.h"

namespace phraseq::end_to_end {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing_support::XmlCheck;

class LearningCurvesOfRuns : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    space = new Workspace;
    write_toy_corpus(*space);
    ASSERT_EQ(space->run(toy_preprocess()).exit_code, kExitOk);
    train("one", "--log-interval 2 --eval-bleu --tensorboard-logdir events");
    train("two", "--log-interval 3 --no-plot");
  }
  static void TearDownTestSuite() {
    delete space;
    space = nullptr;
  }

  static void train(const std::string& run, const std::string& more) {
    const auto result = space->run(toy_train(run, 8) + words("--threads 1 " + more));
    ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  }
  static CommandResult plot(const std::string& arguments) {
    return space->run(words("plot " + arguments));
  }
  static int event_files(const std::string& part) {
    int count = 0;
    for (const auto& entry : fs::directory_iterator(space->path("events/" + part)))
      count += entry.path().filename().string().starts_with("events.out.tfevents.") ? 1 : 0;
    return count;
  }

  static Workspace* space;
};

Workspace* LearningCurvesOfRuns::space = nullptr;

TEST_F(LearningCurvesOfRuns, AreDrawnAtTheEndOfATraining) {
  const std::string svg = space->read("one/learning_curves.svg");
  EXPECT_EQ(XmlCheck(svg).fault(), "");
  EXPECT_THAT(svg,
              AllOf(HasSubstr(">Learning curves: one<"),
                    HasSubstr(">Loss (bits per token)<"),
                    HasSubstr(">BLEU<"),
                    HasSubstr(">Gradient norm<"),
                    HasSubstr(">Target tokens per second<"),
                    HasSubstr("<polyline")));
  EXPECT_FALSE(space->exists("two/learning_curves.svg"));
}

TEST_F(LearningCurvesOfRuns, ShareOnePicture) {
  const auto result =
      plot("one two --labels base,long --x hours --smoothing 0.6 --output both.svg");
  ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  const std::string svg = space->read("both.svg");
  EXPECT_EQ(XmlCheck(svg).fault(), "");
  EXPECT_THAT(svg,
              AllOf(HasSubstr(">base<"),
                    HasSubstr(">long<"),
                    HasSubstr(">Hours of training<"),
                    HasSubstr("weight 0.6"),
                    HasSubstr(">No BLEU: long.<")));
}

TEST_F(LearningCurvesOfRuns, MayRunOverProcessorHours) {
  const auto result = plot("one two --x processor-hours --output cost.svg");
  ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  EXPECT_THAT(space->read("cost.svg"),
              AllOf(HasSubstr(">Processor hours of training<"), Not(HasSubstr("left out"))));
}

TEST_F(LearningCurvesOfRuns, MakeAPageOrGoToStandardOutput) {
  ASSERT_EQ(plot("one --output page.html").exit_code, kExitOk);
  EXPECT_THAT(space->read("page.html"), AllOf(HasSubstr("<svg "), HasSubstr("<td>8</td>")));
  const auto result = plot("one/metrics.jsonl --metrics lr,gnorm --output -");
  ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  EXPECT_EQ(XmlCheck(result.output).fault(), "");
  EXPECT_THAT(result.output, AllOf(HasSubstr(">Gradient norm<"), Not(HasSubstr(">BLEU<"))));
}

TEST_F(LearningCurvesOfRuns, ReportWhatTheyCannotDraw) {
  EXPECT_EQ(plot("missing").exit_code, kExitIo);
  const auto folder = plot("data-bin");
  EXPECT_EQ(folder.exit_code, kExitData);
  EXPECT_THAT(folder.errors, HasSubstr("data-bin: the folder contains no metrics.jsonl"));
  EXPECT_EQ(plot("one --output a.png").exit_code, kExitUsage);
  EXPECT_EQ(plot("one --x years").exit_code, kExitUsage);
  EXPECT_EQ(plot("one --metrics colour").exit_code, kExitUsage);
  space->write("empty.jsonl", "");
  EXPECT_EQ(plot("empty.jsonl").exit_code, kExitData);
  EXPECT_FALSE(space->exists("curves.svg"));
}

TEST_F(LearningCurvesOfRuns, GoToTensorBoardWithANewFileForEachProcess) {
  for (const char* part : {"train_inner", "train", "valid"})
    EXPECT_EQ(event_files(part), 1) << part;
  const auto result =
      space->run(toy_train("one", 12) +
                 words("--threads 1 --log-interval 2 --eval-bleu --tensorboard-logdir events"));
  ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  EXPECT_EQ(event_files("train_inner"), 2);
}

}  // namespace
}  // namespace phraseq::end_to_end
