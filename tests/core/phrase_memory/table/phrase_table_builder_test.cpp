#include "core/phrase_memory/table/phrase_table_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/phrase_memory/table/word_aligner.h"
#include "tests/core/io/temporary_folder.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Bitext bitext_of(std::initializer_list<std::pair<const char*, const char*>> pairs) {
  Bitext bitext;
  for (const auto& [source, target] : pairs) {
    bitext.source.add(source);
    bitext.target.add(target);
  }
  return bitext;
}

const Bitext& houses() {
  static const Bitext bitext = bitext_of({{"das haus", "the house"},
                                          {"das buch", "the book"},
                                          {"ein buch", "a book"},
                                          {"haus ein", "house a"}});
  return bitext;
}

TEST(WordAligner, LearnsWhatTranslatesWhatFromDistribution) {
  const WordAligner aligner(houses().source, houses().target);
  const auto& source = houses().source;
  const auto& target = houses().target;
  for (size_t i = 0; i < source.sentences.size(); ++i) {
    EXPECT_THAT(aligner.align(source.sentences[i], target.sentences[i]),
                ElementsAre(AlignmentLink{0, 0}, AlignmentLink{1, 1}));
  }
}

TEST(WordAligner, FindsWordsThatChangePlacesUnlessTensionHoldsThem) {
  const Bitext bitext = bitext_of({{"a b c", "z y x"}, {"a", "x"}, {"b", "y"}, {"c", "z"}});
  const auto& source = bitext.source.sentences[0];
  const auto& target = bitext.target.sentences[0];
  EXPECT_TRUE(WordAligner(bitext.source, bitext.target, {.tension = 0.5}).align(source, target) ==
              (WordAlignment{{0, 2}, {1, 1}, {2, 0}}));
  EXPECT_TRUE(WordAligner(bitext.source, bitext.target, {.tension = 8}).align(source, target) ==
              (WordAlignment{{0, 0}, {1, 1}, {2, 2}}));
}

TEST(WordAligner, EqualsOneIterationComputedByHand) {
  const Bitext bitext = bitext_of({{"a b", "x y"}, {"a", "x"}});
  const WordAligner aligner(bitext.source, bitext.target, {.iterations = 1});
  EXPECT_NEAR(aligner.translation(0, 0), 0.9155480564705264, 1e-9);
  EXPECT_NEAR(aligner.translation(0, 1), 0.00011383532456559773, 1e-9);
  EXPECT_NEAR(aligner.translation(1, 0), 0.0003121651039231583, 1e-9);
  EXPECT_NEAR(aligner.translation(1, 1), 0.78768245124394, 1e-9);
}

TEST(WordAligner, AlignsNothingToEmptySentences) {
  const Bitext bitext = bitext_of({{"", "x"}, {"a", ""}, {"", ""}});
  const WordAligner aligner(bitext.source, bitext.target);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_THAT(aligner.align(bitext.source.sentences[i], bitext.target.sentences[i]), IsEmpty());
  }
}

TEST(WordAligner, LeavesOutLongPairsAsIfTheyWereNotThere) {
  Bitext with_long_pairs = houses();
  with_long_pairs.source.add("das haus ein");
  with_long_pairs.target.add("book");
  with_long_pairs.source.add("das");
  with_long_pairs.target.add("book a book");
  const WordAlignerSettings settings{.longest_sentence = 2};
  const WordAligner aligner(with_long_pairs.source, with_long_pairs.target, settings);
  const WordAligner without(houses().source, houses().target, settings);
  EXPECT_THAT(
      aligner.align(with_long_pairs.source.sentences[4], with_long_pairs.target.sentences[4]),
      IsEmpty());
  EXPECT_EQ(aligner.translation(0, 0), without.translation(0, 0));
  EXPECT_GT(aligner.translation(0, 0), 0.1);
}

TEST(AlignedWords, OmitLongPairsWithAWarning) {
  Bitext bitext = houses();
  std::string words;
  for (int i = 0; i <= 1000; ++i) words += "das ";
  bitext.source.add("das");
  bitext.target.add(words);
  testing::internal::CaptureStderr();
  const auto alignments = align_words(bitext, 5);
  EXPECT_THAT(
      testing::internal::GetCapturedStderr(),
      HasSubstr(
          "not aligned: 1 sentence pair with more than 1000 words on a side (first: line 5)"));
  EXPECT_THAT(alignments[0], ElementsAre(AlignmentLink{0, 0}, AlignmentLink{1, 1}));
  EXPECT_THAT(alignments[4], IsEmpty());
}

TEST(AlignedWords, JoinBothDirections) {
  EXPECT_THAT(align_words(houses(), 5),
              ElementsAre(WordAlignment{{0, 0}, {1, 1}},
                          WordAlignment{{0, 0}, {1, 1}},
                          WordAlignment{{0, 0}, {1, 1}},
                          WordAlignment{{0, 0}, {1, 1}}));
}

std::vector<std::string> lines_of(const std::vector<PhraseEntry>& entries) {
  std::vector<std::string> lines;
  for (const auto& entry : entries) lines.push_back(phrase_line(entry));
  return lines;
}

TEST(PhraseTableBuilder, KeepsWhatIsFrequentAndCertain) {
  // "b" is translated as x in two of three places; "c 1" occurs once.
  const Bitext bitext =
      bitext_of({{"a b", "m x"}, {"a b", "m x"}, {"b", "y"}, {"1,5", "1.5"}, {"1,5 c", "1.5 n"}});
  const std::vector<WordAlignment> alignments = {
      {{0, 0}, {1, 1}}, {{0, 0}, {1, 1}}, {{0, 0}}, {{0, 0}}, {{0, 0}, {1, 1}}};
  EXPECT_THAT(lines_of(build_phrase_table(bitext, alignments, {2, 0.95, 7, 0})),
              ElementsAre("1,5 ||| 1.5 ||| numbers ||| 1 ||| 2",
                          "a ||| m ||| others ||| 1 ||| 2",
                          "a b ||| m x ||| others ||| 1 ||| 2"));
  EXPECT_THAT(lines_of(build_phrase_table(bitext, alignments, {3, 0.66, 7, 0})),
              ElementsAre("b ||| x ||| others ||| 0.6666666666666666 ||| 3"));
  EXPECT_THAT(lines_of(build_phrase_table(bitext, alignments, {2, 0.95, 1, 0})),
              ElementsAre("1,5 ||| 1.5 ||| numbers ||| 1 ||| 2", "a ||| m ||| others ||| 1 ||| 2"));
}

TEST(PhraseTableBuilder, TakesTheFirstInTheTextOfEquallyFrequentTranslations) {
  const Bitext bitext = bitext_of({{"b", "u"}, {"b", "z"}, {"b", "x"}, {"b", "y"}});
  const std::vector<WordAlignment> alignments(4, {{0, 0}});
  EXPECT_THAT(lines_of(build_phrase_table(bitext, alignments, {2, 0.25, 7, 0})),
              ElementsAre("b ||| u ||| others ||| 0.25 ||| 4"));
}

TEST(PhraseTableBuilder, OmitsWordsThatATableCannotHold) {
  const Bitext bitext = bitext_of({{"||| b", "x y"}, {"c", "|||"}});
  EXPECT_THAT(lines_of(build_phrase_table(bitext, {{{0, 0}, {1, 1}}, {{0, 0}}}, {1, 0.5, 7, 0})),
              ElementsAre("b ||| y ||| others ||| 1 ||| 1"));
}

PhraseEntry counted(const char* source, int64_t count) {
  PhraseEntry entry;
  entry.source = phrase_words(source);
  entry.count = count;
  return entry;
}

TEST(CValue, SubtractsTheMeanOfLongerPhrasesAroundIt) {
  const auto values = c_values({counted("a b", 12),
                                counted("a b c", 5),
                                counted("z a b", 3),
                                counted("a b c d", 2),
                                counted("a", 40)});
  // "a b" occurs in "a b c" (5), "z a b" (3) and "a b c d" (2): mean 10 / 3.
  EXPECT_NEAR(values[0], 12 - 10.0 / 3, 1e-12);
  EXPECT_NEAR(values[1], 1.584962500721156 * (5 - 2), 1e-12);
  EXPECT_NEAR(values[2], 1.584962500721156 * 3, 1e-12);
  EXPECT_NEAR(values[3], 2.0 * 2, 1e-12);
  EXPECT_EQ(values[4], 0);
}

TEST(PhraseTableBuilder, KeepsTermsByTheirCValue) {
  const Bitext bitext = bitext_of({{"a b", "m n"}, {"a b", "m n"}, {"a b", "m n"}});
  const WordAlignment diagonal = {{0, 0}, {1, 1}};
  EXPECT_THAT(lines_of(build_phrase_table(bitext, {diagonal, diagonal, diagonal}, {1, 1, 7, 3})),
              ElementsAre("a b ||| m n ||| others ||| 1 ||| 3"));
  EXPECT_THAT(build_phrase_table(bitext, {diagonal, diagonal, diagonal}, {1, 1, 7, 3.5}),
              IsEmpty());
}

class BitextFiles : public ::testing::Test {
 protected:
  void SetUp() override { set_log_quiet(true); }

  TemporaryFolder folder;
};

TEST_F(BitextFiles, AreReadLowercasedWhenAsked) {
  const auto source = folder.write("s", "A b\n\n");
  const auto target = folder.write("t", "X\ny\n");
  const Bitext bitext = read_bitext(source, target, true);
  EXPECT_EQ(bitext.source.words.word(0), "a");
  EXPECT_EQ(bitext.target.words.word(0), "x");
  EXPECT_EQ(bitext.source.sentences[1].size(), 0u);
}

TEST_F(BitextFiles, OfDifferentLengthAreRejected) {
  const auto one = folder.write("one", "a\n");
  const auto two = folder.write("two", "a\nb\n");
  EXPECT_THAT(whole_message_of<DataError>([&] { read_bitext(one, two); }), HasSubstr("two:2: "));
  EXPECT_THAT(whole_message_of<DataError>([&] { read_bitext(two, one); }),
              HasSubstr("one ends before this line"));
}

TEST_F(BitextFiles, WithoutSentencesAreRejected) {
  const auto empty = folder.write("empty", "");
  EXPECT_THAT(message_of<DataError>([&] { read_bitext(empty, empty); }),
              HasSubstr("empty: no sentences"));
}

TEST_F(BitextFiles, NeedOneAlignmentLinePerSentence) {
  EXPECT_THAT(
      whole_message_of<DataError>([&] { read_alignments(folder.write("few", "0-0\n"), houses()); }),
      HasSubstr("few: 1 line for 4 sentences"));
  EXPECT_THAT(whole_message_of<DataError>(
                  [&] { read_alignments(folder.write("many", "0-0\n\n\n\n0-0\n"), houses()); }),
              HasSubstr("many:5: the bitext has only 4 sentences"));
  EXPECT_THAT(whole_message_of<DataError>(
                  [&] { read_alignments(folder.write("far", "0-0\n2-0\n"), houses()); }),
              HasSubstr("far:2: the link 2-0 is outside"));
}

TEST(Categorize, TakesTheCategoryOfARuleAndKeepsTheTranslation) {
  std::vector<PhraseEntry> entries;
  for (const char* source : {"March 1 , 2003", "1,345.5", "Ada King", "some words"})
    entries.push_back({phrase_words(source), {"x"}, "others", 1, 5, 0});
  std::vector<PhraseEntry> untouched = entries;
  categorize(untouched, PhraseRules::kNone);
  categorize(entries, PhraseRules::kEnglishGerman);
  std::vector<std::string> categories;
  for (const PhraseEntry& entry : entries) {
    categories.push_back(entry.category);
    EXPECT_THAT(entry.target, ElementsAre("x"));
  }
  EXPECT_THAT(categories, ElementsAre("dates", "numbers", "names", "others"));
  for (const PhraseEntry& entry : untouched) EXPECT_EQ(entry.category, "others");
}

}  // namespace
}  // namespace phraseq
