#include "core/translate/extras/lexical_shortlist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/io/temporary_folder.h"

namespace phraseq {
namespace {

using Ids = std::vector<int64_t>;

/// A dictionary whose words are single letters with ids 4, 5, …
Dictionary dictionary_of(const std::string& words) {
  std::string text;
  for (const char letter : words) text += std::string(1, letter) + " 1\n";
  return Dictionary::parse(text, "words");
}

class Shortlist : public ::testing::Test {
 protected:
  LexicalShortlist read(const std::string& text,
                        const ShortlistSize& size,
                        const std::string& target = "uvwxyz") const {
    return LexicalShortlist::read(
        folder_.write("lex.s2t", text), dictionary_of("abc"), dictionary_of(target), size);
  }

  TemporaryFolder folder_;
};

TEST_F(Shortlist, HasTheBestTranslationsOfEveryWordAndTheFirstWords) {
  const auto shortlist =
      read("z a 0.3\nx a 0.5\ny a 0.2\ny b 0.9\nw b 0\n", {/*best=*/2, /*frequent=*/5});
  EXPECT_EQ(shortlist.candidates(Ids{4, kEos}), (Ids{0, 1, 2, 3, 4, 7, 9}));
  EXPECT_EQ(shortlist.candidates(Ids{5, 4, 5, kEos}), (Ids{0, 1, 2, 3, 4, 7, 8, 9}));
  EXPECT_EQ(shortlist.candidates(Ids{6, kUnk, kEos}), (Ids{0, 1, 2, 3, 4}));
}

TEST_F(Shortlist, PrefersTheFirstOfEquallyProbableWordsAndHasTheSpecialOnesAlways) {
  const auto shortlist = read("z a 0.5\nv a 0.5\n", {1, 0});
  EXPECT_EQ(shortlist.candidates(Ids{4, kEos}), (Ids{0, 1, 2, 3, 5}));
}

TEST_F(Shortlist, HasTheSourceWordsWhereBothLanguagesShareTheDictionary) {
  const auto shortlist = read("c a 1\n", {1, 0}, "abc");
  EXPECT_EQ(shortlist.candidates(Ids{4, 5, kEos}), (Ids{0, 1, 2, 3, 4, 5, 6}));
}

TEST_F(Shortlist, OmitsWordsThatAreNotInTheDictionariesAndRejectsATableWithoutAny) {
  EXPECT_EQ(read("Q a 1\nx Q 1\nx a 0.1\n", {9, 0}).candidates(Ids{4}), (Ids{0, 1, 2, 3, 7}));
  try {
    read("Q a 1\nx Q 1\n", {9, 0});
    FAIL() << "was accepted";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("none of 2 pairs has words of the model's"));
  }
}

TEST_F(Shortlist, WarnsThatMostPairsAreNotOfTheModel) {
  ::testing::internal::CaptureStderr();
  read("x a 1\nQ a 1\nR a 1\nS a 1\n", {9, 0});
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              ::testing::HasSubstr("only 1 of 4 pairs have words of the model's dictionaries"));
}

}  // namespace
}  // namespace phraseq
