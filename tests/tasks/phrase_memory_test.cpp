// How phrases of a phrase memory get into batches: from data folders, from raw text, and from lines
// to translate.

#include <chrono>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/corpus/preprocess.h"
#include "core/data/phrases/phrase_extras.h"
#include "core/text/word_tokenizer.h"
#include "core/translate/sentence_source.h"
#include "tests/support/message_of.h"
#include "tests/tasks/task_fixture.h"

namespace phraseq {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Ids = std::vector<int64_t>;
using Given = std::vector<std::pair<std::string, std::string>>;

struct PiecesOptions final : Options {
  void describe(OptionTable&) override {}
};
struct Pieces final : WordTokenizer {
  Pieces(const PiecesOptions&, const TokenizerSetup&) {}
};

class PhraseMemoryTask : public phraseq::testing::TaskTest {
 protected:
  PhraseMemoryTask() {
    task_name_ = "translation_with_phrase_memory";
    set_log_quiet(true);
  }
  void SetUp() override {
    TaskTest::SetUp();
    registry_.add<Tokenizer, Pieces, PiecesOptions>("pieces", "Anything but words");
    write("table",
          "big dog ||| grosser Hund ||| others ||| 1 ||| 3\n"
          "Oslo ||| Oslo ||| locations ||| 1 ||| 2\n");
    write("train.en", "a big dog\nOslo a Oslo\na a\n");
    write("train.de", "ein grosser Hund\nOslo ein Oslo\nein ein\n");
  }
  /// en has a=4 big=5 dog=6, and de has ein=4 grosser=5 Hund=6. Oslo is in neither of them.
  void write_dictionaries() {
    write("dict.en.txt", "a 9\nbig 5\ndog 1\n");
    write("dict.de.txt", "ein 9\ngrosser 5\nHund 1\n");
  }
  Given with_table(Given more = {}) const {
    Given options = {{"source-lang", "en"}, {"target-lang", "de"}, {"phrase-table", path("table")}};
    options.insert(options.end(), more.begin(), more.end());
    return options;
  }
  /// Preprocesses the text, in which "Oslo" is unknown, into folder/bin.
  void preprocess_text(int64_t slots = 10, bool with_phrases = true) {
    write_dictionaries();
    PreprocessOptions options;
    options.source_lang = "en";
    options.target_lang = "de";
    options.trainpref = path("train");
    options.srcdict = path("dict.en.txt");
    options.tgtdict = path("dict.de.txt");
    options.destdir = path("bin");
    options.memory.pn_slots = slots;
    if (with_phrases)
      options.memory.phrase_table = path("table");
    preprocess(options,
               {"word",
                nlohmann::json::object(),
                [](const TokenizerSetup&) { return std::make_unique<WordTokenizer>(); }},
               nullptr);
  }
  std::unique_ptr<Task> task_of_bin(const Given& options = {}) {
    TaskSetup setup;
    setup.data = path("bin");
    return make_task(setup, options);
  }
  std::unique_ptr<Task> task_of_state(const TaskState& state, const std::string& table = {}) {
    TaskSetup setup;
    setup.state = &state;
    setup.phrase_table = table;
    return make_task(setup);
  }
  static Ids extra(const Batch& batch, const char* name) { return batch.host_extras.at(name); }
  static void expect_training_phrases(const Corpus& corpus) {
    const Example dog = corpus.get(0);
    ASSERT_EQ(dog.phrases.size(), 1U);
    EXPECT_THAT(dog.phrases[0].places, ElementsAre(1, 2));
    EXPECT_THAT(dog.phrases[0].target, ElementsAre(5, 6));
    EXPECT_EQ(dog.phrases[0].span_begin, 1);
    const Example oslo = corpus.get(1);
    ASSERT_EQ(oslo.phrases.size(), 2U);
    EXPECT_THAT(oslo.phrases[1].places, ElementsAre(2));
    EXPECT_THAT(oslo.phrases[1].target, ElementsAre(3));
    EXPECT_THAT(oslo.phrases[1].target_words, ElementsAre("Oslo"));
    EXPECT_EQ(oslo.phrases[1].span_begin, 2);
    EXPECT_EQ(oslo.phrases[1].category, "locations");
    EXPECT_THAT(corpus.get(2).phrases, IsEmpty());
  }
};

TEST_F(PhraseMemoryTask, FindsPhrasesInRawText) {
  write_dictionaries();
  const auto task = task_from_folder(with_table());
  EXPECT_EQ(task->architecture_setup().extras.at("phrase_slots"), 10);
  expect_training_phrases(*task->open("train", true));
}

TEST_F(PhraseMemoryTask, ReadsThePhrasesOfADataFolderWithItsSettings) {
  preprocess_text(/*slots=*/7);
  const auto task = task_of_bin();
  EXPECT_EQ(task->architecture_setup().extras.at("phrase_slots"), 7);
  expect_training_phrases(*task->open("train", true));
}

TEST_F(PhraseMemoryTask, NoticesThatThePhrasesOfADataFolderWereRewritten) {
  preprocess_text();
  const auto corpus = task_of_bin()->open("train", true);
  corpus->fingerprint();
  const std::string slots = path("bin/train.en-de.en.phrases.bin");
  std::string content = read_file(slots);
  ++content[0];
  const auto later = std::filesystem::last_write_time(slots) + std::chrono::hours(1);
  std::ofstream(slots, std::ios::binary) << content;
  std::filesystem::last_write_time(slots, later);
  EXPECT_THAT(message_of([&] { corpus->start_epoch(2); }),
              HasSubstr(slots + ": the content has changed"));
}

/// With --pn-lowercase on text that keeps its case, the words of phrases are still those of the
/// vocabulary.
TEST_F(PhraseMemoryTask, KnowsTheWordsOfPhrasesWhenCaseIsIgnored) {
  write("train.en", "a BIG Dog\noslo a Oslo\na a\n");
  write_dictionaries();
  const auto task = task_from_folder(with_table({{"pn-lowercase", "yes"}}));
  const auto check = [](const Example& dog) {
    ASSERT_EQ(dog.phrases.size(), 1U);
    EXPECT_THAT(dog.phrases[0].places, ElementsAre(1, 2));
    EXPECT_THAT(dog.phrases[0].target, ElementsAre(5, 6));
    EXPECT_THAT(dog.phrases[0].target_words, ElementsAre("grosser", "Hund"));
  };
  const auto corpus = task->open("train", true);
  check(corpus->get(0));
  EXPECT_EQ(corpus->get(0).phrases[0].span_begin, 1);
  EXPECT_EQ(corpus->get(1).phrases.size(), 2U);
  const TaskState state = task->save();
  check(task_of_state(state)->encode("a bIG dOG"));
}

TEST_F(PhraseMemoryTask, WarnsOfATableInOtherLettersThanTheVocabulary) {
  write_dictionaries();
  write("table", "big dog ||| grosser hund ||| others ||| 1 ||| 3\n");
  ::testing::internal::CaptureStderr();
  task_from_folder(with_table({{"pn-lowercase", "yes"}}));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("1 of 2 target words"), HasSubstr("'hund'"), HasSubstr("'Hund'")));
  write("table", "big dog ||| grosser Hund ||| others ||| 1 ||| 3\n");
  ::testing::internal::CaptureStderr();
  task_from_folder(with_table({{"pn-lowercase", "yes"}}));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), IsEmpty());
}

TEST_F(PhraseMemoryTask, PutsPhrasesIntoBatches) {
  preprocess_text();
  const auto task = task_of_bin();
  const auto corpus = task->open("train", true);
  const Batch batch = task->collate({corpus->get(1), corpus->get(2), corpus->get(0)});
  EXPECT_EQ(extra(batch, kPhraseTags), (Ids{0, -1, 1, -1, -1, -1, -1, -1, 0, 0, -1}));
  EXPECT_EQ(extra(batch, kPhraseSlotOffsets), (Ids{0, 2, 2, 3}));
  EXPECT_EQ(extra(batch, kPhraseWords), (Ids{3, 3, 5, 6}));
  EXPECT_EQ(extra(batch, kPhraseSpanSlot), (Ids{0, -1, 1, -1, -1, -1, -1, -1, 0, -1, -1}));
  EXPECT_EQ(extra(batch, kPhraseSpanLength), (Ids{1, 0, 1, 0, 0, 0, 0, 0, 2, 0, 0}));
}

TEST_F(PhraseMemoryTask, HasThemInTheBatchBeforeTheArchitecturesExtension) {
  preprocess_text();
  const auto task = task_of_bin();
  SequenceConventions conventions;
  conventions.extend = [](const std::vector<Example>&, Batch& batch) {
    batch.host_extras["seen"] = batch.host_extras.at(kPhraseTags);
  };
  const Batch batch = task->collate({task->open("train", true)->get(0)}, conventions);
  EXPECT_TRUE(batch.host_extras.contains("seen"));
}

TEST_F(PhraseMemoryTask, TranslatesWithTheContentsOfACheckpoint) {
  preprocess_text(/*slots=*/1);
  const TaskState state = task_of_bin()->save();
  std::filesystem::remove_all(path("bin"));
  std::filesystem::remove(path("table"));
  const auto task = task_of_state(state);
  EXPECT_EQ(task->architecture_setup().extras.at("phrase_slots"), 1);
  const Example example = task->encode("Oslo big dog");
  ASSERT_EQ(example.phrases.size(), 1U);  // the longer one
  EXPECT_THAT(example.phrases[0].target_words, ElementsAre("grosser", "Hund"));
  EXPECT_EQ(example.phrases[0].span_begin, -1);
  const Example scored = task->encode("Oslo big dog", "ein grosser Hund");
  EXPECT_EQ(scored.phrases[0].span_begin, 1);
  EXPECT_EQ(task->save().blobs, state.blobs);
  EXPECT_EQ(task->save().texts, state.texts);
}

TEST_F(PhraseMemoryTask, TranslatesWithAnotherTableOnDemand) {
  preprocess_text();
  const TaskState state = task_of_bin()->save();
  write("other", "a ||| Ah ||| others ||| 1 ||| 1\n");
  const auto task = task_of_state(state, path("other"));
  const Example example = task->encode("a big dog");
  ASSERT_EQ(example.phrases.size(), 1U);
  EXPECT_THAT(example.phrases[0].target_words, ElementsAre("Ah"));
}

TEST_F(PhraseMemoryTask, CutsPhrasesWithTheirSentence) {
  write_dictionaries();
  const auto task = task_from_folder(with_table());
  write("in.txt", "Oslo a big dog\n");
  TextSource source(*task, {path("in.txt")}, {}, /*max_source_tokens=*/4, /*truncate=*/true);
  const auto example = source.next();
  ASSERT_EQ(example->phrases.size(), 1U);
  EXPECT_THAT(example->phrases[0].target_words, ElementsAre("Oslo"));
}

TEST_F(PhraseMemoryTask, NamesTheRemedyWhereADataFolderHasNoPhrases) {
  preprocess_text(10, /*with_phrases=*/false);
  EXPECT_THAT(whole_message_of<UsageError>([&] { task_of_bin(); }),
              AllOf(HasSubstr("no phrase memory"), HasSubstr("Preprocess the data with")));
  const auto task = task_of_bin({{"phrase-table", path("table")}});
  EXPECT_THAT(whole_message_of<DataError>([&] { task->open("train", true); }),
              AllOf(HasSubstr("needs the phrases of 'train'"), HasSubstr("--phrase-table FILE")));
}

TEST_F(PhraseMemoryTask, RejectsOptionsThatTheDataFoldersPhrasesContradict) {
  preprocess_text(/*slots=*/7);
  EXPECT_THAT(whole_message_of<UsageError>([&] {
                task_of_bin({{"pn-slots", "5"}, {"pn-repeat", "shared"}});
              }),
              AllOf(HasSubstr("pn_slots is 7 there"), HasSubstr("pn_repeat is \"slots\" there")));
  write("other", "a ||| Ah ||| others ||| 1 ||| 1\n");
  EXPECT_THAT(whole_message_of<UsageError>([&] {
                task_of_bin({{"phrase-table", path("other")}});
              }),
              HasSubstr("other is not its table"));
  EXPECT_NO_THROW(task_of_bin({{"pn-slots", "7"}, {"phrase-table", path("table")}}));
}

TEST_F(PhraseMemoryTask, RejectsATokenizerThatDoesNotProduceWords) {
  preprocess_text();
  TaskState state = task_of_bin()->save();
  state.texts["tokenizer"] = "pieces";
  EXPECT_THAT(whole_message_of<UsageError>([&] { task_of_state(state); }),
              AllOf(HasSubstr("the tokenizer 'pieces' produces other units"),
                    HasSubstr("Preprocess without subwords")));
}

TEST_F(PhraseMemoryTask, RejectsMorePhrasesThanSlots) {
  preprocess_text(/*slots=*/1);
  const auto task = task_of_bin();
  Example example = task->encode("Oslo");
  example.phrases.push_back(example.phrases[0]);
  EXPECT_THAT(whole_message_of<DataError>([&] { task->collate({example}); }),
              HasSubstr("sentence 1 has 2 phrases, the memory of the model has 1 slots"));
}

TEST_F(PhraseMemoryTask, HasTheMemoryInItsDatasFingerprint) {
  write_dictionaries();
  const auto ten = task_from_folder(with_table())->open("train", true)->fingerprint();
  const auto two = task_from_folder(with_table({{"pn-slots", "2"}}))->open("train", true);
  EXPECT_NE(two->fingerprint(), ten);
}

TEST_F(PhraseMemoryTask, IsRejectedByThePlainTask) {
  write_dictionaries();
  task_name_ = "translation";
  TaskSetup setup;
  setup.data = path("");
  setup.phrase_table = path("table");
  EXPECT_THAT(whole_message_of<UsageError>([&] {
                make_task(setup, {{"source-lang", "en"}, {"target-lang", "de"}});
              }),
              HasSubstr("no phrase memory"));
}

}  // namespace
}  // namespace phraseq
