#include <filesystem>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/data/batching/batch_iterator.h"
#include "tests/support/message_of.h"
#include "tests/tasks/task_fixture.h"

namespace phraseq {
namespace {

using ::testing::HasSubstr;
using Ids = std::vector<int64_t>;

class TranslationTask : public phraseq::testing::TaskTest {
 protected:
  /// en has the=4 cat=5 dog=6, and de has die=4 Katze=5. There are two training pairs.
  void write_small_folder() {
    write("dict.en.txt", "the 9\ncat 5\ndog 1\n");
    write("dict.de.txt", "die 9\nKatze 5\n");
    write_indexed("train.en-de.en", 7, {{4, 5, 2}, {6, 2}});
    write_indexed("train.en-de.de", 6, {{4, 5, 5, 2}, {5, 2}});
  }
};

TEST_F(TranslationTask, FindsLanguagesAndDictionariesInTheFolder) {
  write_small_folder();
  const auto task = task_from_folder();
  EXPECT_EQ(task->source_language(), "en");
  EXPECT_EQ(task->target_language(), "de");
  EXPECT_EQ(task->architecture_setup().source_vocabulary, 7);
  EXPECT_EQ(task->architecture_setup().target_vocabulary, 6);
  EXPECT_FALSE(task->architecture_setup().joined_dictionary);
  EXPECT_TRUE(task->has_split("train"));
  EXPECT_FALSE(task->has_split("valid"));
}

TEST_F(TranslationTask, NamesTheTaskForTextOfOneLanguage) {
  write("dict.en.txt", "the 9\n");
  write_indexed("train.en-None.en", 5, {{4, 2}});
  EXPECT_THAT(whole_message_of<UsageError>([&] { task_from_folder(); }),
              HasSubstr("--task language_modeling"));
}

TEST_F(TranslationTask, RejectsLanguageModels) {
  write_small_folder();
  SequenceConventions conventions;
  conventions.reads_source = false;
  const auto task = task_from_folder();
  EXPECT_THAT(whole_message_of<UsageError>([&] { task->open("train", true, conventions); }),
              HasSubstr("--task language_modeling"));
}

TEST_F(TranslationTask, FeedsTheDecoderTheStartTokenAndTheTargetWithoutItsEnd) {
  write_small_folder();
  const auto task = task_from_folder();
  const auto corpus = task->open("train", true);
  const Batch batch = task->collate({corpus->get(1), corpus->get(0)});
  EXPECT_EQ(batch.sentence_ids, (Ids{1, 0}));
  EXPECT_TRUE(at::equal(batch.source.ids, at::tensor({6, 2, 4, 5, 2}, at::kLong)));
  EXPECT_TRUE(at::equal(batch.target_in.ids, at::tensor({2, 5, 2, 4, 5, 5}, at::kLong)));
  EXPECT_TRUE(at::equal(batch.target_out, at::tensor({5, 2, 4, 5, 5, 2}, at::kLong)));
  EXPECT_EQ(batch.target_in.offsets, (Ids{0, 2, 6}));
}

TEST_F(TranslationTask, BeginsSequencesAsTheArchitectureAsks) {
  write_small_folder();
  const auto task = task_from_folder();
  const SequenceConventions conventions{/*start_with_bos=*/true, /*source_has_bos=*/true};
  const auto corpus = task->open("train", true, conventions);
  EXPECT_EQ(corpus->source_length(0), 4);
  EXPECT_EQ(corpus->target_length(0), 4);
  const Batch batch = task->collate({corpus->get(0)}, conventions);
  EXPECT_TRUE(at::equal(batch.source.ids, at::tensor({0, 4, 5, 2}, at::kLong)));
  EXPECT_TRUE(at::equal(batch.target_in.ids, at::tensor({0, 4, 5, 5}, at::kLong)));
}

TEST_F(TranslationTask, MakesABatchWithoutTargetsForTranslating) {
  write_small_folder();
  const auto task = task_from_folder();
  const Batch batch = task->collate({task->encode("the dog"), task->encode("cat")});
  EXPECT_FALSE(batch.has_target());
  EXPECT_TRUE(at::equal(batch.source.ids, at::tensor({4, 6, 2, 5, 2}, at::kLong)));
  EXPECT_THROW(task->collate({task->encode("the dog"), task->encode("cat", "Katze")}), UsageError);
}

TEST_F(TranslationTask, ReadsAFolderMadeForTheOtherDirection) {
  write_small_folder();
  const auto task = task_from_folder({{"source-lang", "de"}, {"target-lang", "en"}});
  const auto corpus = task->open("train", true);
  EXPECT_EQ(corpus->get(1).source, (Ids{5, 2}));
  EXPECT_EQ(corpus->get(1).target, (Ids{6, 2}));
}

TEST_F(TranslationTask, TrainsOnAllPartsOfASplit) {
  write_small_folder();
  for (const char* part : {"train1", "train2"}) {
    write_indexed(part + std::string(".en-de.en"), 7, {{4, 2}});
    write_indexed(part + std::string(".en-de.de"), 6, {{4, 5, 2}});
  }
  const auto task = task_from_folder({{"upsample-primary", "2"}});
  const auto corpus = task->open("train", true);
  ASSERT_EQ(corpus->size(), 6);
  EXPECT_EQ(corpus->get(2).source, corpus->get(0).source);
  EXPECT_EQ(corpus->get(5).target, (Ids{4, 5, 2}));
  EXPECT_EQ(corpus->get(5).id, 5);
  EXPECT_EQ(task->open("train", false)->size(), 2) << "only one split without training";
  EXPECT_EQ(task->open("train1", true)->size(), 1) << "there is no train11";
  EXPECT_EQ(task->open("train2,train1", true)->size(), 3);
}

TEST_F(TranslationTask, RejectsAPartThatTheManifestDoesNotList) {
  write_small_folder();
  write("manifest.json",
        R"({"version":1,"complete":true,"source_language":"en","target_language":"de",)"
        R"("splits":{"train":{}}})");
  write_indexed("train1.en-de.en", 7, {{4, 2}});
  write_indexed("train1.en-de.de", 6, {{4, 2}});
  const auto task = task_from_folder();
  EXPECT_THAT(whole_message_of<DataError>([&] { task->open("train", true); }),
              HasSubstr("'train1' is not in the manifest"));
}

TEST_F(TranslationTask, UsesOneOfSeveralFoldersInEachEpoch) {
  write_small_folder();
  for (const char* folder : {"b", "c"}) {
    std::filesystem::create_directories(path(folder));
    const std::string prefix = std::string(folder) + "/";
    write(prefix + "dict.en.txt", "the 9\ncat 5\ndog 1\n");
    write(prefix + "dict.de.txt", "die 9\nKatze 5\n");
    write_indexed(prefix + "train.en-de.en", 7, {{4, 2}, {4, 2}, {4, 2}});
    write_indexed(prefix + "train.en-de.de", 6, {{4, 2}, {4, 2}, {4, 2}});
  }
  write_indexed("c/train1.en-de.en", 7, {{5, 2}});
  write_indexed("c/train1.en-de.de", 6, {{5, 2}});
  TaskSetup setup;
  setup.data = folder_.string() + ":" + path("b") + ":" + path("c");
  const auto task = make_task(setup);
  const auto corpus = task->open("train", true);
  std::vector<int64_t> sizes;
  for (int64_t epoch = 1; epoch <= 4; ++epoch) {
    corpus->start_epoch(epoch);
    sizes.push_back(corpus->size());
  }
  EXPECT_EQ(sizes, (Ids{2, 3, 4, 2}));
  EXPECT_EQ(task->open("train", false)->size(), 2) << "only training uses the other folders";

  write("b/dict.en.txt", "the 9\nbird 5\ndog 1\n");
  EXPECT_THAT(whole_message_of<DataError>([&] { make_task(setup); }),
              HasSubstr("b: dict.en.txt is not that of " + folder_.string() +
                        ": the first difference is id 5: 'bird', expected 'cat'"));
}

TEST_F(TranslationTask, RejectsSidesOfDifferentSizesAndIdsBeyondTheDictionary) {
  write_small_folder();
  write_indexed("valid.en-de.en", 7, {{4, 2}, {5, 2}});
  write_indexed("valid.en-de.de", 6, {{4, 2}});
  write_indexed("test.en-de.en", 7, {{4, 2}});
  write_indexed("test.en-de.de", 7, {{6, 2}});
  const auto task = task_from_folder();
  EXPECT_THAT(whole_message_of<DataError>([&] { task->open("valid", false); }),
              AllOf(HasSubstr("2 sentences"), HasSubstr(": 1")));
  EXPECT_THAT(whole_message_of<DataError>([&] { task->open("test", false); }),
              HasSubstr("the id 6, but the largest id of the dictionary is 5"));
}

TEST_F(TranslationTask, NamesTheFileOfASentenceWithoutEnd) {
  write_small_folder();
  write_indexed("train.en-de.de", 6, {{4, 5, 5, 2}, {5}});
  const auto corpus = task_from_folder()->open("train", true);
  corpus->get(0);
  EXPECT_THAT(whole_message_of<DataError>([&] { corpus->get(1); }),
              HasSubstr("train.en-de.de.bin: sentence 2 does not end in </s>"));
}

TEST_F(TranslationTask, TakesTextThatSpellsASpecialSymbolForAnUnknownWord) {
  write_small_folder();
  const auto task = task_from_folder();
  EXPECT_EQ(task->encode("the </s> <pad> bird").source, (Ids{4, 3, 3, 3, 2}));
}

TEST_F(TranslationTask, TurnsIdsIntoSymbolsAndText) {
  write_small_folder();
  const auto task = task_from_folder();
  EXPECT_EQ(task->symbols(Ids{4, 3, 5, 2, 1}, PairSide::kTarget), "die <unk> Katze");
  EXPECT_EQ(task->text(Ids{0, 4, 5, 2}, PairSide::kSource), "the cat");
}

TEST_F(TranslationTask, IsRestoredFromItsStateAlone) {
  write_small_folder();
  const TaskState state = task_from_folder()->save();
  EXPECT_EQ(state.texts.at("source_dictionary"), "the 9\ncat 5\ndog 1\n");
  EXPECT_EQ(state.texts.at("tokenizer"), "word");
  EXPECT_TRUE(state.blobs.empty());
  TaskSetup setup;
  setup.state = &state;
  const auto task = make_task(setup);
  EXPECT_EQ(task->encode("the dog", "die Katze").target, (Ids{4, 5, 2}));
  EXPECT_EQ(task->target_language(), "de");
  EXPECT_FALSE(task->has_split("train"));
  EXPECT_EQ(task->save().texts, state.texts);
}

TEST_F(TranslationTask, KeepsAJoinedDictionaryOnce) {
  write_small_folder();
  write("dict.de.txt", "the 9\ncat 5\ndog 1\n");
  const TaskState state = task_from_folder()->save();
  EXPECT_EQ(state.texts.count("target_dictionary"), 0U);
  TaskSetup setup;
  setup.state = &state;
  EXPECT_TRUE(make_task(setup)->architecture_setup().joined_dictionary);
  EXPECT_EQ(make_task(setup)->target_dictionary().size(), 7);
}

TEST_F(TranslationTask, RejectsAStateWithAnEntryMissing) {
  write_small_folder();
  TaskState state = task_from_folder()->save();
  state.texts.erase("target_dictionary");
  TaskSetup setup;
  setup.state = &state;
  EXPECT_THAT(whole_message_of<FormatError>([&] { make_task(setup); }),
              HasSubstr("target_dictionary"));
}

TEST_F(TranslationTask, RejectsAFolderWithOtherDictionariesThanTheCheckpoint) {
  write_small_folder();
  const TaskState state = task_from_folder()->save();
  TaskSetup setup;
  setup.state = &state;
  setup.data = folder_.string();
  EXPECT_TRUE(make_task(setup)->has_split("train"));
  write("dict.de.txt", "Katze 9\ndie 5\n");
  EXPECT_THAT(whole_message_of<FormatError>([&] { make_task(setup); }), HasSubstr("dict.de.txt"));
}

TEST_F(TranslationTask, IncludesTheDictionariesInTheFingerprintOfTheData) {
  write_small_folder();
  const std::string before = task_from_folder()->open("train", true)->fingerprint();
  EXPECT_EQ(before, task_from_folder()->open("train", true)->fingerprint());
  write("dict.de.txt", "Katze 9\ndie 5\n");
  EXPECT_NE(before, task_from_folder()->open("train", true)->fingerprint());
}

TEST_F(TranslationTask, ReadsFairseqsFolderAsItIs) {
  if (real_data().empty())
    GTEST_SKIP() << "PHRASEQ_DATA is not set";
  TaskSetup setup;
  setup.data = real_data() + "/fairseq/data-bin";
  const auto task = make_task(setup);
  EXPECT_EQ(task->source_language(), "en");
  EXPECT_EQ(task->source_dictionary().size(), 9648);
  EXPECT_TRUE(task->architecture_setup().joined_dictionary);
  EXPECT_EQ(task->open("train", true)->size(), 29'000);

  const std::shared_ptr<Corpus> valid = task->open("valid", false);
  BatchingOptions batching;
  batching.max_tokens = 3000;
  batching.shuffle = false;
  BatchIterator batches(
      valid, batching, [&](const auto& examples) { return task->collate(examples); });
  int64_t sentences = 0;
  int64_t tokens = 0;
  while (const auto batch = batches.next()) {
    sentences += batch->sentences();
    tokens += batch->target_out.numel();
    EXPECT_LE(std::max(batch->source.tokens(), batch->target_in.tokens()), 3000);
  }
  EXPECT_EQ(batches.skipped().total(), 0);
  EXPECT_EQ(sentences, 1'014);
  EXPECT_EQ(tokens, 16'153);  // the number of fairseq-validate
}

}  // namespace
}  // namespace phraseq
