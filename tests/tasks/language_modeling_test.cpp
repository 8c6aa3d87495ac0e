#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/data/batching/batch_plan.h"
#include "core/data/blocks/block_corpus.h"
#include "tests/support/message_of.h"
#include "tests/tasks/task_fixture.h"

namespace phraseq {
namespace {

using ::testing::HasSubstr;
using Ids = std::vector<int64_t>;

class LanguageModelingTask : public phraseq::testing::TaskTest {
 protected:
  void SetUp() override {
    TaskTest::SetUp();
    load_plugin_file(registry_,
                     PHRASEQ_BUILD_FOLDER "/lib/phraseq/libphraseq-language_modeling.so");
    task_name_ = "language_modeling";
    write("dict.txt", "the 9\ncat 5\ndog 1\n");
    write_indexed("train", 7, {{4, 5, 2}, {2}, {6, 4, 2}});
  }

  static SequenceConventions of_language_models() {
    SequenceConventions conventions;
    conventions.reads_source = false;
    return conventions;
  }
};

TEST_F(LanguageModelingTask, CutsTheTextOfAFolderOfFairseqsIntoBlocks) {
  const auto task = task_from_folder({{"tokens-per-sample", "4"}});
  EXPECT_EQ(task->source_language(), "");
  EXPECT_TRUE(task->architecture_setup().joined_dictionary);
  EXPECT_EQ(task->architecture_setup().extras.at("max_block_tokens"), 4);
  const auto corpus = task->open("train", true, of_language_models());
  ASSERT_EQ(corpus->size(), 2);
  const Batch batch = task->collate({corpus->get(1), corpus->get(0)}, of_language_models());
  EXPECT_TRUE(at::equal(batch.target_in.ids, at::tensor({2, 6, 4, 2, 4, 5, 2}, at::kLong)));
  EXPECT_TRUE(at::equal(batch.target_out, at::tensor({6, 4, 2, 4, 5, 2, 2}, at::kLong)));
  EXPECT_EQ(batch.target_in.offsets, (Ids{0, 3, 7}));
  EXPECT_EQ(batch.sentence_ids, (Ids{1, 0}));
}

TEST_F(LanguageModelingTask, CutsAllPartsOfTheTrainingSetAsOneText) {
  write_indexed("train1", 7, {{5, 2}});
  const auto task = task_from_folder({{"tokens-per-sample", "4"}});
  for (const char* const subset : {"train", "train,train1"}) {
    const auto corpus = task->open(subset, true, of_language_models());
    ASSERT_EQ(corpus->size(), 3) << subset;
    EXPECT_EQ(corpus->get(1).target, (Ids{6, 4, 2, 5})) << subset;
    EXPECT_EQ(corpus->get(2).source, (Ids{5})) << subset;
  }
  EXPECT_EQ(task->open("train", false)->size(), 2) << "only one split without training";
}

TEST_F(LanguageModelingTask, CutsAllPartsOfRawTextWithoutAName) {
  std::filesystem::remove(path("train.idx"));
  write("train", "the cat\n");
  write("train1", "dog\n");
  const auto task = task_from_folder({{"sample-break-mode", "eos"}});
  const auto corpus = task->open("train", true, of_language_models());
  ASSERT_EQ(corpus->size(), 2);
  EXPECT_EQ(corpus->get(1).target, (Ids{6, 2}));
}

TEST_F(LanguageModelingTask, UsesOneOfSeveralFoldersInEachEpoch) {
  std::filesystem::create_directories(path("b"));
  write("b/dict.txt", "the 9\ncat 5\ndog 1\n");
  write_indexed("b/train", 7, {{5, 2}});
  TaskSetup setup;
  setup.data = folder_.string() + ":" + path("b");
  const auto task = make_task(setup, {{"tokens-per-sample", "4"}});
  const auto corpus = task->open("train", true, of_language_models());
  std::vector<int64_t> sizes;
  for (int64_t epoch = 1; epoch <= 3; ++epoch) {
    corpus->start_epoch(epoch);
    sizes.push_back(corpus->size());
  }
  EXPECT_EQ(sizes, (Ids{2, 1, 2}));
  EXPECT_EQ(task->open("train", false)->size(), 2) << "only training uses the other folders";

  write("b/dict.txt", "the 9\nbird 5\ndog 1\n");
  EXPECT_THAT(whole_message_of<DataError>([&] { make_task(setup); }),
              HasSubstr("b: dict.txt is not that of " + folder_.string() +
                        ": the first difference is id 5: 'bird', expected 'cat'"));
}

TEST_F(LanguageModelingTask, ReadsFilesWithoutANameAsTextOfTheLanguageThatIsGiven) {
  const auto task = task_from_folder({{"source-lang", "en"}});
  EXPECT_EQ(task->source_language(), "en");
  EXPECT_EQ(task->open("train", true, of_language_models())->size(), 1);
  const TaskState state = task->save();
  TaskSetup setup;
  setup.state = &state;
  setup.data = folder_.string();
  EXPECT_TRUE(make_task(setup)->has_split("train"));
  write("dict.txt", "the 9\ncat 5\n");
  EXPECT_THAT(whole_message_of<FormatError>([&] { make_task(setup); }), HasSubstr("dict.txt"));
}

TEST_F(LanguageModelingTask, TrainsOnBlocksOfOneToken) {
  const auto task = task_from_folder({{"tokens-per-sample", "3"}});
  const auto corpus = task->open("train", true, of_language_models());
  ASSERT_EQ(corpus->target_length(2), 1);
  BatchingOptions options;
  EXPECT_EQ(plan_batches(*corpus, options, 1).skipped.total(), 0);
  options.max_target_positions = 2;
  EXPECT_EQ(plan_batches(*corpus, options, 1).skipped.total(), 2);
}

TEST_F(LanguageModelingTask, GivesALineAsAPromptOrAsABlockToBeScored) {
  const auto task = task_from_folder({{"add-bos-token", "yes"}});
  const Example prompt = task->encode("the dog", std::nullopt);
  EXPECT_EQ(prompt.extras.at(kPromptExtra), (Ids{4, 6}));
  EXPECT_EQ(prompt.source, (Ids{4, 6, 2}));
  EXPECT_EQ(task->encode("", std::nullopt).extras.at(kPromptExtra), Ids{});
  const Example scored = task->encode("", "the dog");
  EXPECT_EQ(scored.source, (Ids{0, 4, 6}));
  EXPECT_EQ(scored.target, (Ids{4, 6, 2}));
}

TEST_F(LanguageModelingTask, IsRestoredFromItsState) {
  const auto task = task_from_folder();
  const TaskState state = task->save();
  TaskSetup setup;
  setup.state = &state;
  const auto again = make_task(setup);
  EXPECT_EQ(again->encode("cat dog", std::nullopt).source, (Ids{5, 6, 2}));
  setup.data = folder_.string();
  EXPECT_TRUE(make_task(setup)->has_split("train"));
  write("dict.txt", "the 9\ncat 5\n");
  EXPECT_THAT(whole_message_of<FormatError>([&] { make_task(setup); }), HasSubstr("dict.txt"));
}

TEST_F(LanguageModelingTask, RejectsArchitecturesThatReadASource) {
  const auto task = task_from_folder();
  EXPECT_THAT(whole_message_of<UsageError>([&] { task->open("train", true); }),
              HasSubstr("--arch transformer_lm"));
}

TEST_F(LanguageModelingTask, RejectsBlocksThatAreNotPaired) {
  const auto task = task_from_folder();
  EXPECT_THROW(task->collate({{0, {2, 4}, {4}, {}}}), UsageError);
  EXPECT_THROW(task->collate({{0, {2}, {4}, {}}, {1, {2}, {}, {}}}), UsageError);
}

TEST_F(LanguageModelingTask, ReadsRawTextOfOneLanguage) {
  write("dict.en.txt", "the 9\ncat 5\n");
  std::filesystem::remove(path("dict.txt"));
  std::filesystem::remove(path("train.idx"));
  write("valid.en", "the cat\n\ncat\n");
  const auto task = task_from_folder({{"source-lang", "en"}, {"sample-break-mode", "eos"}});
  const auto corpus = task->open("valid", false);
  ASSERT_EQ(corpus->size(), 3);
  EXPECT_EQ(corpus->get(0).target, (Ids{4, 5, 2}));
  EXPECT_EQ(corpus->get(1).target, (Ids{2}));
}

}  // namespace
}  // namespace phraseq
