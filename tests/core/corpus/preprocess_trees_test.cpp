// phraseq preprocess --trees: from text and bracketed trees to a data folder.

#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/corpus/data_folder.h"
#include "core/corpus/trees/subword_tree.h"
#include "core/io/mapping/mapped_file.h"
#include "tests/core/corpus/preprocess_case.h"

namespace phraseq {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class PreprocessTreesTest : public PreprocessCase {
 protected:
  PreprocessTreesTest() {
    write("train",
          "dogs chase cats\nno parse\ncats sleep\n",
          "x y\nx\ny\n",
          "(S (NP dogs) (VP chase cats))\n\n(S (NP cats) (VP sleep))\n");
    options.trees = true;
  }

  void write(const std::string& name,
             std::string_view source,
             std::string_view target,
             std::string_view trees) {
    PreprocessCase::write(name, source, target);
    folder.write(name + ".en.trees", trees);
  }
  std::vector<int64_t> tree(int64_t number, const std::string& split = "train") const {
    return data().trees(split, "en").get(number);
  }
};

TEST_F(PreprocessTreesTest, StoresTreesWithTheTextAndCountsWhatWasNotParsed) {
  run();
  EXPECT_THAT(tree(0), ElementsAre(5, 2, 5, 2, 2));
  EXPECT_THAT(tree(1), IsEmpty());
  EXPECT_THAT(tree(2), ElementsAre(5, 2, 2));
  const auto record = data().manifest()["splits"]["train"]["en"]["trees"];
  EXPECT_EQ(record["input"], folder.file("train.en.trees"));
  EXPECT_EQ(record["unparsed"], 1);
  EXPECT_EQ(record["refused"], 0);
  EXPECT_TRUE(data().has_trees("train", "en"));
  EXPECT_FALSE(data().has_trees("train", "de"));
  EXPECT_THAT(data().splits(), ElementsAre("train"));
}

TEST_F(PreprocessTreesTest, FindsTheTreesOfTextWithoutALanguage) {
  options.only_source = true;
  options.source_lang = options.target_lang = "";
  options.trainpref = folder.write("text", "dogs\n");
  EXPECT_THAT(message(), AllOf(HasSubstr("text.trees"), testing::Not(HasSubstr("..trees"))));
  folder.write("text.trees", "(NN dogs)\n");
  EXPECT_EQ(message(), kNothingThrown);
}

TEST_F(PreprocessTreesTest, AllowsThatNothingWasParsed) {
  folder.write("train.en.trees", "\n(())\n\n");
  run();
  EXPECT_EQ(data().trees("train", "en").size(), 3);
  EXPECT_EQ(data().manifest()["splits"]["train"]["en"]["trees"]["unparsed"], 3);
}

TEST_F(PreprocessTreesTest, RejectsAnotherNumberOfLinesNamingBothFiles) {
  folder.write("train.en.trees", "(S (NP dogs) (VP chase cats))\n\n");
  EXPECT_THAT(message(),
              AllOf(HasSubstr("train.en has 3 lines"),
                    HasSubstr("train.en.trees has 2: line 3 of " + folder.file("train.en") +
                              " has no counterpart"),
                    HasSubstr("or an empty line if there is none")));
  folder.write("train.en.trees", "\n\n\n\n");
  EXPECT_THAT(message(),
              HasSubstr("line 4 of " + folder.file("train.en.trees") + " has no counterpart"));
  EXPECT_EQ(folder.entries(), 3U);
}

TEST_F(PreprocessTreesTest, RejectsALeafThatIsNotInTheSentenceAndWritesNothing) {
  folder.write("train.en.trees", "(S (NP dogs) (VP chase cars))\n\n\n");
  EXPECT_THAT(
      message(),
      AllOf(HasSubstr("train.en.trees:1:24: leaf 3 of 3 is 'cars', but the subwords have 'cats'"),
            HasSubstr("leave the line empty")));
  EXPECT_EQ(folder.entries(), 3U);
}

TEST_F(PreprocessTreesTest, RejectsALineThatIsNotATreeAndWritesNothing) {
  folder.write("train.en.trees", "\n\n(S (NP cats) (VP sleep)\n");
  EXPECT_THAT(message(), HasSubstr("train.en.trees:3:24: the line ends, but the bracket"));
  EXPECT_EQ(folder.entries(), 3U);
}

TEST_F(PreprocessTreesTest, LeavesSentencesWithBadTreesWithoutOneOnDemand) {
  folder.write("train.en.trees",
               "(S (NP dogs) (VP chase cars))\nno tree\n(S (NP cats) (VP sleep))\n");
  options.on_bad_tree = OnBadTree::kSkip;
  run();
  EXPECT_THAT(tree(0), IsEmpty());
  EXPECT_THAT(tree(1), IsEmpty());
  EXPECT_THAT(tree(2), ElementsAre(5, 2, 2));
  EXPECT_EQ(data().manifest()["splits"]["train"]["en"]["trees"]["refused"], 2);
}

TEST_F(PreprocessTreesTest, NeedsTreesOfEverySplit) {
  folder.write("valid.en", "dogs\n");
  folder.write("valid.de", "x\n");
  options.validpref = {folder.file("valid")};
  EXPECT_THAT(message(), AllOf(HasSubstr("valid.en.trees"), HasSubstr("valid.en.trees.gz")));
  folder.write("valid.en.trees", "(NN dogs)\n");
  run();
  EXPECT_THAT(tree(0, "valid"), ElementsAre(2));
}

TEST_F(PreprocessTreesTest, SkipsTheTreesOfSkippedLines) {
  write("train",
        "bad \xFF\ndogs\nbad\ncats sleep\n",
        "x\ny\nx\ny\n",
        "(X nothing)\n(NN dogs)\n(X \x01)\n(S (NP cats) (VP slept))\n");
  options.on_bad_line = OnBadLine::kSkip;
  EXPECT_THAT(message(), HasSubstr("train.en.trees:4:18: leaf 2 of 2 is 'slept'"));
  options.on_bad_tree = OnBadTree::kSkip;
  run();
  EXPECT_EQ(data().trees("train", "en").size(), 2);
  EXPECT_THAT(tree(0), ElementsAre(2));
}

TEST_F(PreprocessTreesTest, DoesNotTakeTheTreesOfAnEarlierRunForItsOwn) {
  run();
  options.trees = false;
  options.overwrite = true;
  run();
  EXPECT_FALSE(data().has_trees("train", "en"));
}

TEST_F(PreprocessTreesTest, FindsTreesThatWereReplaced) {
  run();
  folder.write("out/train.en-de.en.trees.bin", std::string(32, '\2'));
  EXPECT_THROW(data().trees("train", "en"), FormatError);
}

TEST_F(PreprocessTreesTest, AlignsRealTreesWithSubwordsOnAnyNumberOfThreads) {
  const char* place = std::getenv("PHRASEQ_DATA");
  if (place == nullptr)
    GTEST_SKIP() << "PHRASEQ_DATA is not set";
  const std::string trees = std::string(place) + "/trees/link-grammar/multi30k-train-first200";
  const std::string text = read_file(trees + ".txt");
  write("train", text, text, read_file(trees + ".trees"));
  options.subword_model = std::string(place) + "/fairseq/spm10k.model";
  run(subword_tokenizer());
  const IndexedDataset sentences = data().dataset("train", "en");
  const IndexedDataset stored = data().trees("train", "en");
  ASSERT_EQ(stored.size(), 200);
  for (int64_t i = 0; i < stored.size(); ++i) {
    const SubwordTree tree = SubwordTree::decode(stored.get(i));
    if (tree.is_parsed()) {
      EXPECT_EQ(tree.subwords, sentences.length(i) - 1) << "sentence " << i + 1;
    }
  }
  EXPECT_EQ(data().manifest()["splits"]["train"]["en"]["trees"]["unparsed"], 1);
  const std::string written = read_file(stored.prefix() + ".bin");
  options.destdir = folder.file("again");
  options.workers = 3;
  run(subword_tokenizer());
  EXPECT_TRUE(read_file(data().trees("train", "en").prefix() + ".bin") == written);
}

}  // namespace
}  // namespace phraseq
