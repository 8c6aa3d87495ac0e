#include "core/text/word_vectors.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/io/atomic_file.h"
#include "tests/core/io/temporary_folder.h"

namespace phraseq {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr float kOld = 7.0F;  ///< the rows that no vector replaces

/// Reads a file of vectors for a dictionary of <s>, <pad>, </s>, <unk>, the, and café.
class WordVectors : public ::testing::Test {
 protected:
  WordVectors() {
    dictionary_.add("the");
    dictionary_.add("café");
  }

  int64_t read(const std::string& text, size_t dimension = 2) {
    write_file(path_, text);
    table_.assign(static_cast<size_t>(dictionary_.size()) * dimension, kOld);
    ::testing::internal::CaptureStderr();
    const int64_t found = read_word_vectors(path_, dictionary_, table_);
    log_ = ::testing::internal::GetCapturedStderr();
    return found;
  }

  std::vector<float> row(int64_t id, size_t dimension = 2) const {
    const auto first = table_.begin() + static_cast<int64_t>(dimension) * id;
    return {first, first + static_cast<int64_t>(dimension)};
  }

  std::string error(const std::string& text) {
    try {
      read(text);
    } catch (const DataError& failure) {
      ::testing::internal::GetCapturedStderr();
      return failure.what();
    }
    return "no error";
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.file("word_vectors_test.vec");
  Dictionary dictionary_;
  std::vector<float> table_;
  std::string log_;
};

TEST_F(WordVectors, ReplaceTheRowsOfTheirSymbols) {
  EXPECT_EQ(read("3 2\ncafé 0.1 -2e-3\nunknown 5 6\n</s> 1 .5\n"), 2);
  EXPECT_THAT(row(5), ElementsAre(0.1F, -0.002F));
  EXPECT_THAT(row(kEos), ElementsAre(1.0F, 0.5F));  // word2vec writes it, and fairseq reads it
  for (const int64_t id : {kBos, kPad, kUnk, int64_t{4}})
    EXPECT_THAT(row(id), ElementsAre(kOld, kOld));
  EXPECT_THAT(log_, IsEmpty());
}

TEST_F(WordVectors, AreRoundedFromDoubleAsByPython) {
  read("1 2\nthe 0.1000000014901161193847656251 1e-50\n");
  EXPECT_THAT(row(4), ElementsAre(0.1F, 0.0F));
}

TEST_F(WordVectors, MayEndInSpacesAndEmptyLines) {
  EXPECT_EQ(read("1 2 \nthe 1 2 \r\n\n"), 1);
  EXPECT_THAT(row(4), ElementsAre(1.0F, 2.0F));
  EXPECT_THAT(log_, IsEmpty());
}

TEST_F(WordVectors, OfARepeatedTokenTheLastCounts) {
  EXPECT_EQ(read("3 2\nthe 1 2\nthe 3 4\nother 1 2\n"), 1);
  EXPECT_THAT(row(4), ElementsAre(3.0F, 4.0F));
  EXPECT_THAT(log_, HasSubstr("1 vectors are replaced by later ones of the same token"));
}

TEST_F(WordVectors, FillBothRowsOfASymbolThatTheDictionaryHasTwice) {
  dictionary_ = Dictionary::parse("the 3\nthe 2 #fairseq:overwrite\n", "dict.txt");
  EXPECT_EQ(read("1 2\nthe 1 2\n"), 2);
  EXPECT_THAT(row(4), ElementsAre(1.0F, 2.0F));
  EXPECT_THAT(row(5), ElementsAre(1.0F, 2.0F));
}

TEST_F(WordVectors, WithoutAHeaderLackTheFirstOneAsInFairseq) {
  EXPECT_EQ(read("the 1 2\ncafé 3 4\n"), 1);
  EXPECT_THAT(row(4), ElementsAre(kOld, kOld));
  EXPECT_THAT(log_,
              AllOf(HasSubstr("word_vectors_test.vec:1: the line is skipped"),
                    HasSubstr("insert 'COUNT DIMENSION' before it")));
}

TEST_F(WordVectors, WarnIfThereAreFewerThanAnnounced) {
  EXPECT_EQ(read("3 2\nthe 1 2\n"), 1);
  EXPECT_THAT(log_, HasSubstr("the first line announces 3 vectors, but there are 1"));
}

TEST_F(WordVectors, OfAnotherDimensionAreErrors) {
  EXPECT_THAT(error("1 3\nthe 1 2 3\n"),
              HasSubstr("word_vectors_test.vec:1: vectors have 3 numbers, but the embeddings of "
                        "the model have 2"));
  EXPECT_THAT(error("1 2\nthe 1 2\nother 1\n"),
              HasSubstr("word_vectors_test.vec:3: 'other' has 1 numbers"));
  EXPECT_THAT(error("1 2\nthe\n"), HasSubstr("word_vectors_test.vec:2: 'the' has 0 numbers"));
  EXPECT_THAT(error("1 2\nthe 1  2\n"), HasSubstr("word_vectors_test.vec:2: 'the' has 3 numbers"));
}

TEST_F(WordVectors, WithBadNumbersAreErrors) {
  for (const char* const bad : {"x", "nan", "inf", "1e39", "0,5", "1.0.0"}) {
    EXPECT_THAT(error(std::string("1 2\nthe 1 ") + bad + "\n"),
                HasSubstr(std::string("word_vectors_test.vec:2: '") + bad +
                          "' in the vector of 'the' is not a finite number"));
  }
}

TEST_F(WordVectors, ThatAreNoTextAreErrors) {
  EXPECT_THAT(error(""), HasSubstr("word_vectors_test.vec is empty"));
  EXPECT_THAT(error(std::string("1 2\nthe \x80\x3f\xff\n")),
              AllOf(HasSubstr("word_vectors_test.vec:2: invalid text"), HasSubstr("-binary 0")));
}

TEST_F(WordVectors, OfAMissingFileAreAnErrorOfTheSystem) {
  table_.resize(12);
  EXPECT_THROW(read_word_vectors("/nowhere/at/all.vec", dictionary_, table_), IoError);
}

}  // namespace
}  // namespace phraseq
