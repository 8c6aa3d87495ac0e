#include <zlib.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/data/batching/batch_plan.h"
#include "core/data/text/task_data.h"
#include "tests/support/message_of.h"
#include "tests/tasks/task_fixture.h"

namespace phraseq {
namespace {

using ::testing::HasSubstr;
using Ids = std::vector<int64_t>;
using Given = std::vector<std::pair<std::string, std::string>>;

const Given kPair = {{"source-lang", "en"}, {"target-lang", "de"}};

Given with(Given options, const std::string& name, const std::string& value) {
  options.emplace_back(name, value);
  return options;
}

/// All ids of all sentences, both sides.
std::vector<Ids> contents(const Corpus& corpus) {
  std::vector<Ids> all;
  for (int64_t i = 0; i < corpus.size(); ++i) {
    const Example example = corpus.get(i);
    EXPECT_EQ(static_cast<int64_t>(example.source.size()), corpus.source_length(i));
    EXPECT_EQ(static_cast<int64_t>(example.target.size()), corpus.target_length(i));
    all.push_back(example.source);
    all.push_back(example.target);
  }
  return all;
}

class TextData : public phraseq::testing::TaskTest {
 protected:
  void write_small_text() {
    write("dict.en.txt", "the 9\ncat 5\n");
    write("dict.de.txt", "die 9\nKatze 5\n");
    write("train.en", "the cat\n\ncat the cat\n");
    write("train.de", "die Katze\nKatze\ndie\n");
  }
  /// Writes 40 lines of Multi30k and the SentencePiece model of the fairseq set.
  Given write_real_text() {
    const std::string text = read_gzip(real_data() + "/multi30k/train.en.gz", 40);
    write("train.en", text);
    write("train.de", text);
    return with(kPair, "subword-model", real_data() + "/fairseq/spm10k.model");
  }
  static std::string read_gzip(const std::string& file, int lines) {
    gzFile input = gzopen(file.c_str(), "rb");
    std::string text;
    char line[10'000];
    for (int i = 0; i < lines && gzgets(input, line, sizeof line) != nullptr; ++i) text += line;
    gzclose(input);
    return text;
  }
};

TEST_F(TextData, TokenizesTheLinesOfBothSides) {
  write_small_text();
  const auto task = task_from_folder(kPair);
  const auto corpus = task->open("train", true);
  EXPECT_EQ(contents(*corpus),
            (std::vector<Ids>{{4, 5, 2}, {4, 5, 2}, {2}, {5, 2}, {5, 4, 5, 2}, {4, 2}}));
}

TEST_F(TextData, LeavesEmptyLinesToThePlanWhichCountsThem) {
  write_small_text();
  const auto task = task_from_folder(kPair);
  const BatchPlan plan = plan_batches(*task->open("train", true), {}, 1);
  EXPECT_EQ(plan.skipped.text(), "source is empty: 1 (sentence 2)");
}

TEST_F(TextData, ReadsCompressedText) {
  write_small_text();
  gzFile output = gzopen(path("valid.en.gz").c_str(), "wb");
  gzputs(output, "cat\n");
  gzclose(output);
  write("valid.de", "Katze\n");
  const auto task = task_from_folder(kPair);
  EXPECT_TRUE(task->has_split("valid"));
  EXPECT_EQ(contents(*task->open("valid", false)), (std::vector<Ids>{{5, 2}, {5, 2}}));
}

TEST_F(TextData, OpensASplitWithoutTargetsOnlyForTranslating) {
  write_small_text();
  write("test.en", "the\n");
  const auto task = task_from_folder(kPair);
  EXPECT_EQ(task->open("test", false)->target_length(0), 0);
  EXPECT_THAT(whole_message_of<IoError>([&] { task->open("test", true); }), HasSubstr("test.de"));
}

TEST_F(TextData, NamesBothFilesAndCountsWhenTheyAreNotParallel) {
  write_small_text();
  write("train.de", "die Katze\nKatze\n");
  const auto task = task_from_folder(kPair);
  EXPECT_THAT(whole_message_of<DataError>([&] { task->open("train", true); }),
              AllOf(HasSubstr("train.en has 3 lines"), HasSubstr("train.de has 2")));
}

TEST_F(TextData, ChangesItsFingerprintWithTheText) {
  write_small_text();
  const std::string before = task_from_folder(kPair)->open("train", true)->fingerprint();
  write("train.de", "die Katze\nKatze\ndie die\n");
  EXPECT_NE(before, task_from_folder(kPair)->open("train", true)->fingerprint());
}

TEST_F(TextData, ReportsWhatToDoWithoutADictionary) {
  write("train.en", "the\n");
  write("train.de", "die\n");
  EXPECT_THAT(whole_message_of<IoError>([&] { task_from_folder(kPair); }),
              AllOf(HasSubstr("dict.en.txt"), HasSubstr("--subword-model")));
}

TEST_F(TextData, RejectsBpeDropoutForWords) {
  write_small_text();
  EXPECT_THAT(
      whole_message_of<UsageError>([&] { task_from_folder(with(kPair, "bpe-dropout", "0.1")); }),
      HasSubstr("'word' cannot segment at random: it has no option bpe-dropout"));
}

TEST_F(TextData, SaysThatBpeDropoutNeedsTheRawText) {
  DataLoaderSetup setup;
  setup.folder = folder_.string();
  setup.source_language = "en";
  setup.target_language = "de";
  setup.sample = true;
  const auto loader = create<DataLoader>(registry_.select(DataLoader::kKind, "text"), setup);
  EXPECT_THAT(
      whole_message_of<UsageError>([&] { loader->open("train", true); }),
      AllOf(HasSubstr("--bpe-dropout needs raw text, and there is no " + path("train.en") + " or "),
            HasSubstr("train without --bpe-dropout")));
}

TEST_F(TextData, IsChosenForBpeDropoutOnlyInTraining) {
  write("train.en-de.en.idx", "");
  TaskSetup setup;
  setup.data = folder_.string();
  EXPECT_EQ(loader_for(setup, "auto", /*samples=*/false), "indexed");
  EXPECT_EQ(loader_for(setup, "auto", /*samples=*/true), "text");
  const TaskState state{};
  setup.state = &state;
  EXPECT_EQ(loader_for(setup, "text", /*samples=*/true), "indexed");
}

TEST_F(TextData, TakesThePiecesOfASubwordModelForItsDictionary) {
  if (real_data().empty())
    GTEST_SKIP() << "PHRASEQ_DATA is not set";
  const auto task = task_from_folder(write_real_text());
  // 10,000 pieces, including <unk>, <s> and </s>: 9,997 and four specials are padded to 10,008.
  EXPECT_EQ(task->source_dictionary().size(), 10'008);
  EXPECT_TRUE(task->architecture_setup().joined_dictionary);
  const std::string line = "Two young, White males are outside near many bushes.";
  const Example example = task->encode(line);
  EXPECT_EQ(std::count(example.source.begin(), example.source.end(), kUnk), 0);
  EXPECT_EQ(task->text(example.source, PairSide::kSource), line);

  const TaskState state = task->save();
  EXPECT_EQ(state.blobs.count("target_tokenizer"), 0U);
  TaskSetup setup;
  setup.state = &state;
  EXPECT_EQ(make_task(setup)->encode(line).source, example.source);
}

TEST_F(TextData, SegmentsAtRandomBySeedEpochAndLine) {
  if (real_data().empty())
    GTEST_SKIP() << "PHRASEQ_DATA is not set";
  const Given plain = write_real_text();
  const Given dropping = with(plain, "bpe-dropout", "0.3");
  const auto segment = [&](uint64_t seed, std::vector<int64_t> epochs, bool training = true) {
    TaskSetup setup;
    setup.data = folder_.string();
    setup.seed = seed;
    const auto task = make_task(setup, dropping);
    const auto corpus = task->open("train", training);
    for (const int64_t epoch : epochs) corpus->start_epoch(epoch);
    return contents(*corpus);
  };
  const auto third = segment(1, {3});
  EXPECT_EQ(third, segment(1, {1, 2, 3})) << "an epoch does not depend on those before it";
  EXPECT_NE(third, segment(1, {4}));
  EXPECT_NE(third, segment(2, {3}));

  const auto task = task_from_folder(plain);
  const auto undropped = contents(*task->open("train", true));
  EXPECT_EQ(undropped, segment(1, {3}, /*training=*/false));
  int64_t different_sides = 0;
  for (size_t i = 0; i < third.size(); i += 2) {
    EXPECT_EQ(task->text(third[i], PairSide::kSource), task->text(undropped[i], PairSide::kSource))
        << "line " << i / 2;
    different_sides += third[i] != third[i + 1] ? 1 : 0;
  }
  EXPECT_GT(different_sides, 20) << "the same text on both sides is segmented independently";
}

}  // namespace
}  // namespace phraseq
