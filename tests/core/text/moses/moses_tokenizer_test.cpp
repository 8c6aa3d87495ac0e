// The tokenizer and detokenizer of Moses against sacremoses: tests/golden/moses/generate.py.

#include "core/text/moses/moses_tokenizer.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/io/line_reader.h"
#include "core/text/moses/moses_detokenizer.h"
#include "core/text/moses/moses_normalizer.h"
#include "core/text/unicode.h"

namespace phraseq {
namespace {

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char byte : line) {
    if (byte == '\t') {
      fields.emplace_back();
    } else {
      fields.back() += byte;
    }
  }
  return fields;
}

std::vector<std::string> words_of(const std::string& text) {
  const auto words = split_whitespace(text);
  return {words.begin(), words.end()};
}

/// Counts differences and shows the first ones.
class Differences {
 public:
  void compare(const std::string& ours, const std::string& theirs, const std::string& line) {
    if (ours == theirs)
      return;
    if (++count_ <= 5)
      ADD_FAILURE() << line << "\n  ours:   " << ours << "\n  theirs: " << theirs;
  }
  int count() const { return count_; }

 private:
  int count_ = 0;
};

TEST(MosesTokenizer, GivesTheTokensOfSacremosesAndTheirText) {
  Differences differences;
  std::map<std::string, int> languages;
  for (const std::string& line :
       read_lines(PHRASEQ_SOURCE_FOLDER "/tests/golden/moses/lines.tsv.gz")) {
    const auto fields = fields_of(line);
    ASSERT_EQ(fields.size(), 6U);
    const std::string &language = fields[0], &text = fields[1];
    ++languages[language];
    differences.compare(MosesTokenizer(language).tokenize(text), fields[2], language + ": " + text);
    differences.compare(
        MosesTokenizer(language, {false, false}).tokenize(text), fields[3], language + ": " + text);
    differences.compare(MosesDetokenizer(language).detokenize(words_of(fields[2])),
                        fields[4],
                        language + ", detokenized: " + fields[2]);
    differences.compare(
        MosesNormalizer(language).normalize(text), fields[5], language + ", normalized: " + text);
  }
  EXPECT_EQ(differences.count(), 0);
  EXPECT_GE(languages.size(), 10U);
}

TEST(MosesTokenizer, KeepsAbbreviationsTogether) {
  EXPECT_EQ(MosesTokenizer("en").tokenize("Mr. Smith's No. 5, e.g. at 3.30 p.m. No. Yes."),
            "Mr. Smith &apos;s No. 5 , e.g. at 3.30 p.m. No . Yes .");
  EXPECT_EQ(MosesTokenizer("de").tokenize("Dr. Müller z.B. (ca. 3)."),
            "Dr. Müller z.B. ( ca. 3 ) .");
}

TEST(MosesTokenizer, RemovesControlCharacters) {
  EXPECT_EQ(MosesTokenizer("en").tokenize("a\x01"
                                          "b\tc"),
            "ab c");
}

TEST(MosesTokenizer, OfAnEmptyLineGivesNone) {
  EXPECT_EQ(MosesTokenizer("en").tokenize(""), "");
  EXPECT_EQ(MosesTokenizer("en").tokenize(" \t "), "");
  EXPECT_EQ(MosesDetokenizer("en").detokenize({}), "");
}

TEST(MosesDetokenizer, JoinsDashedWordsInCzech) {
  // sacremoses fails here with a TypeError; Moses itself joins the words.
  EXPECT_EQ(MosesDetokenizer("cs").detokenize({"bude", "l'", "-", "li", "čas"}), "bude l'-li čas");
}

}  // namespace
}  // namespace phraseq
