// How parse trees get into examples: from data folders, from raw text, and from a separate file.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/corpus/trees/subword_tree.h"
#include "core/io/mapping/mapped_file.h"
#include "core/translate/sentence_source.h"
#include "tests/support/message_of.h"
#include "tests/tasks/task_fixture.h"

namespace phraseq {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Ids = std::vector<int64_t>;
using Given = std::vector<std::pair<std::string, std::string>>;

const Given kLanguages = {{"source-lang", "en"}, {"target-lang", "de"}};

class Trees : public phraseq::testing::TaskTest {
 protected:
  /// en has the=4 cat=5 dog=6. There are three pairs, of which the second has no tree.
  void write_indexed_folder() {
    write_dictionaries();
    write_indexed("train.en-de.en", 7, {{4, 5, 2}, {6, 2}, {4, 6, 5, 2}});
    write_indexed("train.en-de.de", 6, {{4, 5, 2}, {5, 2}, {4, 2}});
    write_indexed("train.en-de.en.trees", kAnyNumber, {{5, 2, 2}, {}, {5, 2, 2}});
  }
  void write_text_folder() {
    write_dictionaries();
    write("train.en", "the cat\ndog\nthe dog cat\n");
    write("train.de", "die Katze\nKatze\ndie\n");
    write("train.en.trees", "(NP (DT the) (NN cat))\n\n(NP the (NP dog cat))\n");
  }
  void write_dictionaries() {
    write("dict.en.txt", "the 9\ncat 5\ndog 1\n");
    write("dict.de.txt", "die 9\nKatze 5\n");
  }
  static Ids tree(const Corpus& corpus, int64_t index) {
    return corpus.get(index).extras.at(kTreeExtra);
  }

  /// All examples of lines of text with these options.
  std::vector<Example> read(const TextFiles& files,
                            int64_t max_source_tokens = 100,
                            bool truncate = false,
                            OnBadLine on_bad_line = OnBadLine::kError) {
    write_dictionaries();
    const auto task = task_from_folder(kLanguages);
    LineReaderOptions reading;
    reading.on_bad_line = on_bad_line;
    return TextSource(*task, files, reading, max_source_tokens, truncate).take(100);
  }
  std::string message(const TextFiles& files) {
    return whole_message_of([&] { read(files); });
  }

  static constexpr int64_t kAnyNumber = 1000;
};

TEST_F(Trees, OfADataFolderAreExtrasOfItsExamples) {
  write_indexed_folder();
  const auto corpus = task_from_folder()->open("train", true);
  EXPECT_EQ(tree(*corpus, 0), (Ids{5, 2, 2}));
  EXPECT_EQ(tree(*corpus, 1), Ids{});
}

TEST_F(Trees, AreNotAnExtraOfABatchWithoutTrees) {
  write_indexed_folder();
  std::filesystem::remove(path("train.en-de.en.trees.idx"));
  const auto task = task_from_folder();
  EXPECT_TRUE(task->open("train", true)->get(0).extras.empty());
}

TEST_F(Trees, AreNotUsedInTheOtherDirection) {
  write_indexed_folder();
  const auto task = task_from_folder({{"source-lang", "de"}, {"target-lang", "en"}});
  EXPECT_TRUE(task->open("train", true)->get(0).extras.empty());
}

TEST_F(Trees, OfADataFolderMustCoverTheirSentences) {
  write_indexed_folder();
  const auto task = task_from_folder();
  const auto corpus = task->open("train", true);
  EXPECT_THAT(whole_message_of<FormatError>([&] { corpus->get(2); }),
              HasSubstr("train.en-de.en.trees: tree 3 covers 2 subwords, the sentence has 3"));
}

TEST_F(Trees, OfADataFolderAreAsManyAsItsSentences) {
  write_indexed_folder();
  write_indexed("train.en-de.en.trees", kAnyNumber, {{5, 2, 2}});
  const auto task = task_from_folder();
  EXPECT_THAT(whole_message_of<DataError>([&] { task->open("train", true); }),
              AllOf(HasSubstr("train.en-de.en: 3 sentences"), HasSubstr(".trees: 1")));
}

TEST_F(Trees, AreAPartOfTheDatasFingerprint) {
  write_indexed_folder();
  const auto with = task_from_folder()->open("train", true)->fingerprint();
  std::filesystem::remove(path("train.en-de.en.trees.idx"));
  EXPECT_NE(task_from_folder()->open("train", true)->fingerprint(), with);
}

TEST_F(Trees, ForRawTextAreAlignedWhenItIsRead) {
  write_text_folder();
  const auto task = task_from_folder(kLanguages);
  const auto corpus = task->open("train", true);
  EXPECT_EQ(tree(*corpus, 0), (Ids{5, 2, 2}));
  EXPECT_EQ(tree(*corpus, 1), Ids{});
  EXPECT_EQ(tree(*corpus, 2), (Ids{5, 2, 5, 2, 2}));
}

TEST_F(Trees, ForRawTextNeedAsManyLines) {
  write_text_folder();
  write("train.en.trees", "\n\n");
  const auto task = task_from_folder(kLanguages);
  EXPECT_THAT(whole_message_of<DataError>([&] { task->open("train", true); }),
              AllOf(HasSubstr("train.en has 3 lines"), HasSubstr("train.en.trees has 2")));
}

TEST_F(Trees, ForRawTextMustMatchIt) {
  write_text_folder();
  write("train.en.trees", "\n\n(NP the (NP cat dog))\n");
  const auto task = task_from_folder(kLanguages);
  EXPECT_THAT(
      whole_message_of<DataError>([&] { task->open("train", true); }),
      HasSubstr("train.en.trees:3:13: leaf 2 of 3 is 'cat', but the subwords have 'dog' 'cat'"));
}

TEST_F(Trees, FollowTheRandomSegmentationOfEveryEpoch) {
  if (real_data().empty())
    GTEST_SKIP() << "PHRASEQ_DATA is not set";
  const std::string files = real_data() + "/trees/link-grammar/multi30k-train-first200";
  const std::string text = read_file(files + ".txt");
  write("train.en", text);
  write("train.de", text);
  write("train.en.trees", read_file(files + ".trees"));
  const auto task = task_from_folder({{"source-lang", "en"},
                                      {"target-lang", "de"},
                                      {"subword-model", real_data() + "/fairseq/spm10k.model"},
                                      {"bpe-dropout", "0.3"}});
  const auto corpus = task->open("train", true);
  std::vector<std::vector<Ids>> epochs;
  for (const int64_t epoch : {1, 2, 1}) {
    corpus->start_epoch(epoch);
    epochs.emplace_back();
    for (int64_t i = 0; i < corpus->size(); ++i) {
      epochs.back().push_back(tree(*corpus, i));
      const SubwordTree decoded = SubwordTree::decode(epochs.back().back());
      if (decoded.is_parsed()) {
        ASSERT_EQ(decoded.subwords, corpus->source_length(i) - 1) << "sentence " << i + 1;
      }
    }
  }
  EXPECT_NE(epochs[0], epochs[1]);
  EXPECT_EQ(epochs[0], epochs[2]);
}

TEST_F(Trees, OfLinesToTranslateComeFromAFileOfTheirOwn) {
  write("in.txt", "the cat\ndog\n");
  write("in.trees", "(NP (DT the) (NN cat))\n\n");
  const auto examples = read({path("in.txt"), {}, path("in.trees")});
  ASSERT_EQ(examples.size(), 2U);
  EXPECT_EQ(examples[0].source, (Ids{4, 5, 2}));
  EXPECT_EQ(examples[0].extras.at(kTreeExtra), (Ids{5, 2, 2}));
  EXPECT_EQ(examples[1].extras.at(kTreeExtra), Ids{});
  EXPECT_TRUE(read({path("in.txt")})[0].extras.empty());
}

TEST_F(Trees, OfLinesToScoreAreGivenWithBothSides) {
  write("in.txt", "cat\n");
  write("out.txt", "Katze\n");
  write("in.trees", "(NN cat)\n");
  const auto examples = read({path("in.txt"), path("out.txt"), path("in.trees")});
  EXPECT_EQ(examples[0].target, (Ids{5, 2}));
  EXPECT_EQ(examples[0].extras.at(kTreeExtra), Ids{2});
}

TEST_F(Trees, EndWhereTheLinesEnd) {
  write("in.txt", "the cat\ndog\n");
  write("in.trees", "(NP (DT the) (NN cat))\n");
  EXPECT_THAT(message({path("in.txt"), {}, path("in.trees")}),
              AllOf(HasSubstr("in.trees:1: ends here, but"), HasSubstr("in.txt continues")));
  write("in.trees", "\n\n\n");
  EXPECT_THAT(message({path("in.txt"), {}, path("in.trees")}),
              AllOf(HasSubstr("in.txt:2: ends here, but"), HasSubstr("in.trees continues")));
}

TEST_F(Trees, OfLinesNameTheLeafThatIsNotThere) {
  write("in.txt", "the cat\ndog\n");
  write("in.trees", "\n(NN cat)\n");
  EXPECT_THAT(message({path("in.txt"), {}, path("in.trees")}),
              HasSubstr("in.trees:2:5: leaf 1 of 1 is 'cat', but the subwords have 'dog'"));
}

TEST_F(Trees, AreCutWhereTheirSentenceIsCut) {
  write("in.txt", "the dog cat\n");
  write("in.trees", "(NP the (NP dog cat))\n");
  const auto examples = read({path("in.txt"), {}, path("in.trees")}, 3, /*truncate=*/true);
  EXPECT_EQ(examples[0].source, (Ids{4, 6, 2}));
  EXPECT_EQ(examples[0].extras.at(kTreeExtra), (Ids{5, 2, 3, 2}));
}

TEST_F(Trees, AreOmittedWithABadLine) {
  write("in.txt", "the \xFF\ndog\n");
  write("in.trees", "(DT the)\n(NN dog)\n");
  const auto examples = read({path("in.txt"), {}, path("in.trees")}, 100, false, OnBadLine::kSkip);
  EXPECT_EQ(examples[0].extras.at(kTreeExtra), Ids{});
  EXPECT_EQ(examples[1].extras.at(kTreeExtra), Ids{2});
}

}  // namespace
}  // namespace phraseq
