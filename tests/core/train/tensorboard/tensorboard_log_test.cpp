#include "core/train/tensorboard/tensorboard_log.h"

#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "core/base/error.h"
#include "core/io/crc32c.h"
#include "tests/core/io/temporary_folder.h"

namespace phraseq::tensorboard {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::FloatNear;
using testing::Pair;
using testing::SizeIs;

class TensorBoardFolder : public ::testing::Test {
 protected:
  /// The contents of all event files of a part, in the order of their names.
  std::vector<std::string> files(const std::string& part) const {
    std::set<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(folder_ / part)) paths.insert(entry.path());
    std::vector<std::string> contents;
    for (const auto& path : paths) {
      EXPECT_TRUE(path.filename().string().starts_with("events.out.tfevents.")) << path;
      std::ifstream file(path, std::ios::binary);
      contents.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    return contents;
  }

  TemporaryFolder temporary_;
  fs::path folder_ = temporary_.file("runs");
};

/// The data of each frame, read by the rules of TFRecord without using phraseq's code.
std::vector<std::string> frames(const std::string& file) {
  std::vector<std::string> found;
  const auto checksum = [](std::string_view data) {
    const uint32_t sum = crc32c_by_table(std::as_bytes(std::span(data)));
    return ((sum >> 15) | (sum << 17)) + 0xA282EAD8U;
  };
  for (size_t at = 0; at < file.size();) {
    uint64_t length = 0;
    uint32_t of_length = 0, of_data = 0;
    if (file.size() - at < 12)
      return ADD_FAILURE() << "torn length", found;
    std::memcpy(&length, &file[at], 8);
    std::memcpy(&of_length, &file[at + 8], 4);
    EXPECT_EQ(of_length, checksum(std::string_view(file).substr(at, 8)));
    if (file.size() - at < 16 + length)
      return ADD_FAILURE() << "torn data", found;
    found.push_back(file.substr(at + 12, length));
    std::memcpy(&of_data, &file[at + 12 + length], 4);
    EXPECT_EQ(of_data, checksum(found.back()));
    at += 16 + length;
  }
  return found;
}

nlohmann::json training(int updates) {
  return {{"event", "train"},
          {"updates", updates},
          {"epoch", 1},
          {"loss", 0.6931471806},
          {"nll_loss", 1.386294361},
          {"ppl", 4.0},
          {"gradient_norm", 0.5},
          {"clipped", 0.25},
          {"tokens_per_second", 1000.0},
          {"lr", 0.001},
          {"wall", 3.5},
          {"tokens", 77}};
}

TEST(TensorBoardScalars, HaveFairseqsNamesAndUnits) {
  EXPECT_THAT(scalars_of(training(7)),
              testing::UnorderedElementsAre(Pair("loss", FloatNear(1, 1e-6F)),
                                            Pair("nll_loss", FloatNear(2, 1e-6F)),
                                            Pair("ppl", 4.0F),
                                            Pair("gnorm", 0.5F),
                                            Pair("clip", 25.0F),
                                            Pair("wps", 1000.0F),
                                            Pair("lr", 0.001F),
                                            Pair("wall", 3.5F)));
  const nlohmann::json valid = {{"event", "valid"},
                                {"updates", 7},
                                {"score", 21.5},
                                {"score_name", "BLEU"},
                                {"best", 0.6931471806},
                                {"best_metric", "loss"},
                                {"correct_per_token", 0.5},
                                {"subset", "valid"}};
  EXPECT_THAT(
      scalars_of(valid),
      testing::UnorderedElementsAre(
          Pair("bleu", 21.5F), Pair("best_loss", FloatNear(1, 1e-6F)), Pair("accuracy", 50.0F)));
  EXPECT_THAT(scalars_of({{"best", 0.5}, {"best_metric", "accuracy"}, {"sentences_per_update", 8}}),
              testing::UnorderedElementsAre(Pair("best_accuracy", 50.0F), Pair("bsz", 8.0F)));
}

TEST(TensorBoardScalars, KeepWhatIsNotFiniteAsNan) {
  const auto scalars = scalars_of({{"event", "train"}, {"loss", nullptr}});
  ASSERT_THAT(scalars, SizeIs(1));
  EXPECT_TRUE(std::isnan(scalars[0].second));
}

TEST_F(TensorBoardFolder, HasAPartForIntervalsEpochsAndEachSplit) {
  TensorBoardLog log(folder_.string());
  log.record(training(5));
  log.record(training(10));
  nlohmann::json epoch = training(10);
  epoch["event"] = "epoch";
  log.record(epoch);
  log.record({{"event", "valid"}, {"updates", 10}, {"subset", "dev2"}, {"loss", 1.0}});
  log.record({{"event", "bad_update"}, {"updates", 11}});
  const auto inner = files("train_inner");
  ASSERT_THAT(inner, SizeIs(1));
  const auto records = frames(inner[0]);
  ASSERT_THAT(records, SizeIs(3));  // the version and two events
  EXPECT_EQ(records[0].substr(9),
            "\x1a\x0d"
            "brain.Event:2");
  EXPECT_EQ(records[1].substr(9, 2), "\x10\x05");  // step 5
  EXPECT_THAT(frames(files("train").at(0)), SizeIs(2));
  EXPECT_THAT(frames(files("dev2").at(0)), SizeIs(2));
}

TEST_F(TensorBoardFolder, GetsANewFileThatReplacesRepeatedUpdatesAfterAResume) {
  TensorBoardLog(folder_.string()).record(training(5));
  TensorBoardLog again(folder_.string());
  again.record({{"event", "resume"}, {"updates", 2}});
  again.record(training(5));
  const auto inner = files("train_inner");
  ASSERT_THAT(inner, SizeIs(2));
  EXPECT_THAT(frames(inner[0]), SizeIs(2));
  const auto records = frames(inner[1]);
  ASSERT_THAT(records, SizeIs(3));
  EXPECT_EQ(records[1].substr(9), "\x10\x03\x3a\x02\x08\x01");  // step 3, session log: start
}

TEST_F(TensorBoardFolder, IsAnErrorThatNamesTheOptionWhereNothingCanBeCreated) {
  std::ofstream(folder_.string()) << "a file";
  try {
    TensorBoardLog log((folder_ / "below").string());
    FAIL() << "nothing was thrown";
  } catch (const IoError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("--tensorboard-logdir"));
  }
}

/// Limits the size of files while the object lives, like a full disk.
class FullDisk {
 public:
  explicit FullDisk(size_t largest_file) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{largest_file, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FullDisk() { setrlimit(RLIMIT_FSIZE, &before_); }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
};

auto open_descriptors() {
  return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
}

TEST_F(TensorBoardFolder, HoldsWholeRecordsOnlyWhenTheDiskIsFull) {
  TensorBoardLog log(folder_.string());
  log.record(training(5));
  const size_t size = files("train_inner").at(0).size();
  {
    const FullDisk disk(size + 20);
    log.record(training(10));  // a warning
  }
  EXPECT_EQ(files("train_inner").at(0).size(), size);
  log.record(training(15));
  EXPECT_THAT(frames(files("train_inner").at(0)), SizeIs(3));
}

TEST_F(TensorBoardFolder, LeavesNothingOfAFileThatDoesNotFitOnTheFullDisk) {
  TensorBoardLog log(folder_.string());
  const auto before = open_descriptors();
  {
    const FullDisk disk(10);
    for (int update = 1; update <= 3; ++update) log.record(training(update));  // one warning
  }
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_THAT(files("train_inner"), testing::IsEmpty());
  log.record(training(5));
  EXPECT_THAT(frames(files("train_inner").at(0)), SizeIs(2));
}

}  // namespace
}  // namespace phraseq::tensorboard
