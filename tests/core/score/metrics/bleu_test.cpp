#include "core/score/metrics/bleu.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/score/example.h"

namespace phraseq::score {
namespace {

double example(BleuSettings settings) { return example_score(Bleu(std::move(settings))); }

double sentence(const std::string& hypothesis,
                const std::vector<Lines>& references,
                BleuSettings settings) {
  settings.tokenizer = "none";
  return corpus_score(Bleu(std::move(settings)), {hypothesis}, references);
}

TEST(Bleu, NamesAnOrderInTheSignatureUnlessItIsFour) {
  const auto names = [](int order) {
    std::string text;
    for (const auto& field : Bleu(BleuSettings{.max_order = order}).signature())
      text += field.name + ":" + field.value + "|";
    return text;
  };
  EXPECT_EQ(names(4), "case:mixed|eff:no|tok:13a|smooth:exp|");
  EXPECT_EQ(names(2), "case:mixed|eff:no|tok:13a|smooth:exp|order:2|");
}

// Expected values: sacrebleu 2.6.0.
TEST(Bleu, EqualsSacrebleuOnTheExample) {
  constexpr double k13a = 48.530827009929865;
  EXPECT_DOUBLE_EQ(example({}), k13a);
  EXPECT_DOUBLE_EQ(example({.lowercase = true}), k13a);
  EXPECT_DOUBLE_EQ(example({.smoothing = Smoothing::kFloor}), k13a);
  EXPECT_DOUBLE_EQ(example({.smoothing = Smoothing::kNone}), k13a);
  EXPECT_DOUBLE_EQ(example({.effective_order = true}), k13a);
  EXPECT_DOUBLE_EQ(example({.smoothing = Smoothing::kAddK}), 52.70109002482467);
  EXPECT_DOUBLE_EQ(example({.max_order = 2}), 60.50312757020198);
}

TEST(Bleu, EqualsSacrebleuWithEveryTokenizer) {
  EXPECT_DOUBLE_EQ(example({.tokenizer = "none"}), 49.19195660047277);
  EXPECT_DOUBLE_EQ(example({.tokenizer = "intl"}), 43.91623493336995);
  EXPECT_DOUBLE_EQ(example({.tokenizer = "char"}), 72.61064153440596);
}

TEST(Bleu, SmoothsASentenceWithoutALongMatch) {
  const std::vector<Lines> reference = {{"a b x d"}};
  EXPECT_DOUBLE_EQ(sentence("a b c d", reference, {.smoothing = Smoothing::kFloor}),
                   18.803015465431972);
  EXPECT_DOUBLE_EQ(sentence("a b c d", reference, {.smoothing = Smoothing::kNone}), 0.0);
}

TEST(Bleu, NeedsEffectiveOrderForASentenceOfTwoWords) {
  EXPECT_DOUBLE_EQ(sentence("a b", {{"a b"}}, {}), 0.0);
  EXPECT_NEAR(sentence("a b", {{"a b"}}, {.effective_order = true}), 100.0, 1e-12);
}

TEST(Bleu, IsZeroForAnEmptyHypothesisAndForAnEmptyReference) {
  const Bleu bleu({});
  const auto empty_hypothesis =
      collect_statistics(bleu, {""}, std::vector<Lines>{{"a b"}}, 1).sums();
  EXPECT_EQ(bleu.parts(empty_hypothesis).score, 0.0);
  EXPECT_EQ(bleu.parts(empty_hypothesis).brevity_penalty, 0.0);
  const auto empty_reference =
      collect_statistics(bleu, {"a b"}, std::vector<Lines>{{""}}, 1).sums();
  EXPECT_EQ(bleu.parts(empty_reference).score, 0.0);
  EXPECT_EQ(bleu.parts(empty_reference).brevity_penalty, 1.0);
  EXPECT_EQ(bleu.detail(empty_reference),
            "0.0/0.0/0.0/0.0 (BP = 1.000 ratio = 0.000 hyp_len = 2 ref_len = 0)");
}

TEST(Bleu, TakesTheShorterOfTwoEquallyCloseReferences) {
  std::vector<double> row(10);
  const std::vector<std::string_view> references = {"a b c d e", "a b c"};
  Bleu({.tokenizer = "none"}).measure("a b c d", references, row);
  EXPECT_EQ(row[1], 3);
}

TEST(Bleu, ClipsMatchesByTheReferenceThatHasMost) {
  std::vector<double> row(4);
  const std::vector<std::string_view> references = {"a a b", "a c c c"};
  Bleu({.tokenizer = "none", .max_order = 1}).measure("a a a c c", references, row);
  EXPECT_EQ(row, (std::vector<double>{5, 4, 4, 5}));
}

TEST(Bleu, ReportsItsPartsAndItsSettings) {
  const Bleu bleu({});
  const auto sums = collect_statistics(bleu, kHypotheses, kReferences, 1).sums();
  EXPECT_EQ(bleu.detail(sums),
            "82.4/50.0/45.5/37.5 (BP = 0.943 ratio = 0.944 hyp_len = 17 ref_len = 18)");
  EXPECT_EQ(Bleu({.smoothing = Smoothing::kFloor}).signature().back().value, "floor[0.10]");
  EXPECT_EQ(Bleu({.smoothing = Smoothing::kAddK}).signature().back().value, "add-k[1.00]");
}

TEST(Bleu, AsMultiBleuWorksOnBytes) {
  std::vector<double> row(10);
  const std::vector<std::string_view> references = {"\u00C4 b\u00A0c d", "x"};
  Bleu(multi_bleu_settings(true)).measure("\u00E4 B\u00A0C d", references, row);
  EXPECT_EQ(row[0], 3);  // a no-break space is not whitespace
  EXPECT_EQ(row[1], 3);
  EXPECT_EQ(row[2], 2);  // only ASCII letters are lowercased
}

TEST(Bleu, AsMtevalTakesTheShortestReferenceAndIgnoresCase) {
  std::vector<double> row(10);
  const std::vector<std::string_view> references = {"the dog, yes", "Dog."};
  Bleu(mteval_v11b_settings(false)).measure("The DOG, no", references, row);
  EXPECT_EQ(row[0], 4);
  EXPECT_EQ(row[1], 2);
  EXPECT_EQ(row[2], 3);
  Bleu(mteval_v11b_settings(true)).measure("The DOG, no", references, row);
  EXPECT_EQ(row[2], 1);
}

TEST(Bleu, RejectsFilesOfDifferentLengthsWithBothCounts) {
  try {
    collect_statistics(
        Bleu({}), {"a", "b", "c"}, std::vector<Lines>{{"a", "b", "c"}, {"a", "b"}}, 2);
    FAIL() << "was accepted";
  } catch (const DataError& error) {
    EXPECT_EQ(error.message(), "the system has 3 lines, reference 2 has 2");
  }
  EXPECT_THROW(collect_statistics(Bleu({}), {}, std::vector<Lines>{{}}, 1), DataError);
}

TEST(Bleu, DoesNotDependOnTheNumberOfThreads) {
  Lines hypotheses;
  Lines reference;
  for (int line = 0; line < 101; ++line) {
    hypotheses.push_back("word" + std::to_string(line % 7) + " and more " +
                         std::to_string(line % 3));
    reference.push_back("word" + std::to_string(line % 5) + " and more " +
                        std::to_string(line % 3));
  }
  const std::vector<Lines> references = {reference};
  const Bleu bleu({});
  const auto one = collect_statistics(bleu, hypotheses, references, 1);
  EXPECT_EQ(one.values, collect_statistics(bleu, hypotheses, references, 3).values);
}

}  // namespace
}  // namespace phraseq::score
