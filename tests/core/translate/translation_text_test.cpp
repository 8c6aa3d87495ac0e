#include "core/translate/translation_text.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/data/multilingual/tag_extras.h"
#include "core/translate/extras/constrained_line.h"
#include "core/translate/extras/scored_text.h"
#include "core/translate/extras/unknown_words.h"
#include "core/translate/hypothesis_text.h"
#include "tests/core/io/temporary_folder.h"

namespace phraseq {
namespace {

/// Words are their own symbols; a text consists of the symbols in brackets.
class WordTask : public Task {
 public:
  WordTask() {
    for (const char* word : {"ein", "klei@@", "nes", "Haus", "\u2581a"}) dictionary_.add(word);
    dictionary_.finalize(0, -1, 1);
  }
  const Dictionary& source_dictionary() const override { return dictionary_; }
  const Dictionary& target_dictionary() const override { return dictionary_; }
  const std::string& source_language() const override { return language_; }
  const std::string& target_language() const override { return language_; }
  ArchitectureSetup architecture_setup() const override { return {}; }
  bool has_split(const std::string&) const override { return false; }
  std::unique_ptr<Corpus> open(const std::string&,
                               bool,
                               const SequenceConventions&) const override {
    return nullptr;
  }
  Batch collate(const std::vector<Example>&, const SequenceConventions&) const override {
    return {};
  }
  Example encode(const std::string& source, const std::optional<std::string>&) const override {
    return {0, dictionary_.encode(source), {}, {}};
  }
  std::string symbols(std::span<const int64_t> ids, PairSide) const override {
    return dictionary_.decode(ids);
  }
  std::string text(std::span<const int64_t> ids, PairSide) const override {
    return "[" + dictionary_.decode(ids) + "]";
  }
  TaskState save() const override { return {}; }

 private:
  Dictionary dictionary_;
  std::string language_ = "xx";
};

class TranslationText : public ::testing::Test {
 protected:
  TranslationText() {
    translation_.example.id = 41;
    translation_.example.source = task_.source_dictionary().encode("klei@@ nes Haus");
    translation_.example.target = task_.target_dictionary().encode("ein Baum");
    Hypothesis hypothesis;
    hypothesis.tokens = task_.target_dictionary().encode("klei@@ nes");
    hypothesis.token_scores = {std::log(0.5), std::log(0.25), std::log(0.125)};
    hypothesis.log_probability = std::log(0.015625);
    hypothesis.score = hypothesis.log_probability / 3;
    hypothesis.attention = {
        {0.5f, 0.25f, 0.25f, 0.0f}, {0.0f, 0.25f, 0.75f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}};
    translation_.hypotheses = {hypothesis};
    hypothesis.score = -4;
    hypothesis.tokens = {2};
    hypothesis.token_scores = {-4};
    hypothesis.attention = {{0, 0, 0, 1}};
    translation_.hypotheses.push_back(hypothesis);
  }

  std::string text(const TranslationFormat& format) const {
    return translation_text(translation_, task_, format);
  }

  WordTask task_;
  Translation translation_;
};

TEST_F(TranslationText, IsScoredWithUnknownWordsThatMatchNothing) {
  const Example& example = translation_.example;  // "ein Baum", and "Baum" is not known
  Hypothesis same;
  same.tokens = example.target;
  const ScoredText scored(task_);
  EXPECT_EQ(scored.hypothesis(hypothesis_text(task_, example, same, PostProcess::kNotGiven)),
            "[ein \uE000]");
  EXPECT_EQ(scored.reference(reference_text(task_, example, PostProcess::kNotGiven)),
            "[ein \uE001]");
}

TEST(ReplacedUnknownWords, AreDecodedWhereSentencePieceWroteThem) {
  EXPECT_EQ(replace_unknown_words("Das \u2047  ist \u2047 s", {"\u2581Haus", "\u2581gro\u00df"}),
            "Das Haus ist gro\u00dfs");
  EXPECT_EQ(replace_unknown_words(" \u2047  \u2047  da", {"\u2581Tom", "s"}), "Toms da");
  EXPECT_EQ(replace_unknown_words(" \u2047  da", {"<unk>"}), " \u2047  da");
  EXPECT_EQ(replace_unknown_words("ein \u2047 ", {"a", "b"}), "ein \u2047 ");
}

TEST_F(TranslationText, KeepsACharacterThatOnlySentencePieceWritesForUnknownWords) {
  EXPECT_EQ(ScoredText(task_).hypothesis("was \u2047 <unk>"), "was \u2047 \uE000");
}

/// Spells unknown words like SentencePiece and counts the texts that are requested.
class PieceTask final : public WordTask {
 public:
  std::string text(std::span<const int64_t> /*ids*/, PairSide /*side*/) const override {
    ++asked;
    return " \u2047 ";
  }
  mutable int asked = 0;
};

TEST(ScoredTextOfSentencePiece, HasItsUnknownWordsAndAsksTheTaskOnce) {
  const PieceTask task;
  const ScoredText scored(task);
  EXPECT_EQ(scored.hypothesis("was \u2047 <unk>"), "was \uE000 \uE000");
  EXPECT_EQ(scored.reference("\u2047 da"), "\uE001 da");
  EXPECT_EQ(task.asked, 1);
}

TEST_F(TranslationText, ReplacesUnknownWordsByAlignedSourceWords) {
  Translation unknown;
  unknown.example.source = task_.source_dictionary().encode("Zug Haus ein");  // Zug is <unk>
  keep_source_text(unknown.example, "Zug  Haus ein");
  Hypothesis hypothesis;
  hypothesis.tokens = {kUnk, task_.target_dictionary().id("ein"), kUnk, kEos};
  hypothesis.token_scores = {-1, -1, -1, -1};
  hypothesis.slots = {-1, -1, -1, -1};
  hypothesis.attention = {{0.9f, 0.1f, 0, 0}, {0, 0, 1, 0}, {0, 0.6f, 0.4f, 0}, {0, 0, 0, 1}};
  const TemporaryFolder folder;
  const std::string file = folder.write("dictionary", "Haus house 0.5\nBaum tree\n");
  hypothesis.unknown_words =
      UnknownWords::read(file).replacements(task_, unknown.example, hypothesis);
  unknown.hypotheses = {hypothesis};
  EXPECT_EQ(translation_text(unknown, task_, {}), "[Zug ein house]\n");
  EXPECT_EQ(hypothesis_symbols(task_, unknown.example, unknown.hypotheses[0]), "Zug ein house");

  unknown.hypotheses[0].unknown_words =
      UnknownWords().replacements(task_, unknown.example, hypothesis);
  EXPECT_EQ(translation_text(unknown, task_, {}), "[Zug ein Haus]\n");
  folder.write("dictionary", "Haus house\nBaum\n");
  EXPECT_THROW(UnknownWords::read(file), DataError);
}

TEST_F(TranslationText, CopiesUnknownWordsOfCutSourcesWithALanguageToken) {
  const int64_t tag = task_.source_dictionary().id("klei@@");
  Example example;
  example.extras[kSourceTagExtra] = {tag};
  example.source = task_.source_dictionary().encode("Zug Haus ein");  // Zug is <unk>
  example.source.insert(example.source.begin(), tag);
  keep_source_text(example, "Zug  Haus ein");
  ASSERT_TRUE(keeps_a_word_for_each_token(example));
  example.source.erase(example.source.begin() + 3);  // ein
  cut_source_text(example);
  Hypothesis hypothesis;
  hypothesis.tokens = {kUnk, kUnk, kEos};
  hypothesis.attention = {{0, 1, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 1}};
  EXPECT_EQ(UnknownWords().replacements(task_, example, hypothesis),
            (std::vector<std::string>{"Zug", "klei@@"}));
}

TEST_F(TranslationText, PrintsConstraints) {
  set_constraints(translation_.example, {task_.target_dictionary().encode("Haus")});
  auto constraints = constraints_of(translation_.example);
  constraints[0].pop_back();
  set_constraints(translation_.example, constraints);
  EXPECT_NE(text({OutputFormat::kFairseq}).find("\nC-41\tHaus\nH-41"), std::string::npos);
  const auto object = nlohmann::json::parse(text({OutputFormat::kJsonl}));
  EXPECT_EQ(object["constraints"], nlohmann::json({"[Haus]"}));
}

/// Its texts and symbols contain every character that a program may take for the end of a line.
class LineEndTask final : public WordTask {
 public:
  std::string symbols(std::span<const int64_t>, PairSide) const override { return kText; }
  std::string text(std::span<const int64_t>, PairSide) const override { return kText; }

 private:
  static constexpr const char* kText = "a\nb\rc\vd\f\x1C\x1D\x1E\u0085\u2028\u2029e\n";
};

TEST_F(TranslationText, IsOneLineWhateverTheModelGenerates) {
  const LineEndTask task;
  for (const PostProcess post_process : {PostProcess::kNotGiven, PostProcess::kSubwordNmt}) {
    EXPECT_EQ(translation_text(translation_, task, {OutputFormat::kPlain, post_process, {}})
                  .find_first_of("\r\v\f\x1C\x1D\x1E\xC2\xE2"),
              std::string::npos);
    const std::string plain =
        translation_text(translation_, task, {OutputFormat::kPlain, post_process, {}});
    EXPECT_EQ(std::count(plain.begin(), plain.end(), '\n'), 1);
    const std::string fairseq =
        translation_text(translation_, task, {OutputFormat::kFairseq, post_process, {}});
    EXPECT_EQ(std::count(fairseq.begin(), fairseq.end(), '\n'), 2 + 2 * 3);  // S, T; twice H, D, P
    EXPECT_EQ(fairseq.find_first_of("\r\v\f\x1C\x1D\x1E\xC2\xE2"), std::string::npos);
    const auto json = nlohmann::json::parse(
        translation_text(translation_, task, {OutputFormat::kJsonl, post_process, {}}));
    EXPECT_EQ(json["hypotheses"][0]["text"].get<std::string>().find_first_of("\n\r\xE2"),
              std::string::npos);
  }
}

TEST_F(TranslationText, PlainIsTheBestHypothesisOnALine) {
  EXPECT_EQ(text({OutputFormat::kPlain, {}, {}}), "[klei@@ nes]\n");
}

TEST_F(TranslationText, FairseqHasItsLinesInBase2) {
  EXPECT_EQ(text({OutputFormat::kFairseq, {}, {}}),
            "S-41\tklei@@ nes Haus\n"
            "T-41\tein <<unk>>\n"
            "H-41\t-2\tklei@@ nes\n"
            "D-41\t-2\t[klei@@ nes]\n"
            "P-41\t-1.0000 -2.0000 -3.0000\n"
            "H-41\t-5.7707801635558535\t\n"
            "D-41\t-5.7707801635558535\t[]\n"
            "P-41\t-5.7708\n");
}

TEST_F(TranslationText, FairseqLeavesTheReferenceOutWhenThereIsNone) {
  translation_.example.target.clear();
  EXPECT_EQ(text({OutputFormat::kFairseq, {}, {}}).find("T-41"), std::string::npos);
}

TEST_F(TranslationText, FairseqJoinsSubwordsOfEveryLineWithoutASubwordModel) {
  const std::string joined = text({OutputFormat::kFairseq, PostProcess::kSubwordNmt, {}});
  EXPECT_NE(joined.find("S-41\tkleines Haus\n"), std::string::npos);
  EXPECT_NE(joined.find("H-41\t-2\tkleines\n"), std::string::npos);
  EXPECT_NE(joined.find("D-41\t-2\t[kleines]\n"), std::string::npos);
}

TEST_F(TranslationText, FairseqPrintsAlignments) {
  EXPECT_NE(text({OutputFormat::kFairseq, {}, PrintAlignment::kHard}).find("A-41\t0-0 2-1\n"),
            std::string::npos);
  EXPECT_NE(text({OutputFormat::kFairseq, {}, PrintAlignment::kSoft})
                .find("A-41\t0.500000,0.250000,0.250000,0.000000 0.000000,0.250000,"),
            std::string::npos);
}

TEST_F(TranslationText, JsonHoldsEverythingInNaturalLogarithms) {
  const std::string line = text({OutputFormat::kJsonl, {}, PrintAlignment::kHard});
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto object = nlohmann::json::parse(line);
  EXPECT_EQ(object["id"], 41);
  EXPECT_EQ(object["source"], "klei@@ nes Haus");
  EXPECT_EQ(object["reference"], "[ein <unk>]");
  ASSERT_EQ(object["hypotheses"].size(), 2u);
  const auto& best = object["hypotheses"][0];
  EXPECT_EQ(best["text"], "[klei@@ nes]");
  EXPECT_EQ(best["symbols"], "klei@@ nes");
  EXPECT_DOUBLE_EQ(best["log_probability"], std::log(0.015625));
  EXPECT_DOUBLE_EQ(best["score"], std::log(0.25));
  EXPECT_DOUBLE_EQ(best["token_log_probabilities"][1], std::log(0.25));
  EXPECT_EQ(best["token_ids"].size(), 3u);
  EXPECT_EQ(best["alignment"], nlohmann::json::parse("[[0, 0], [2, 1]]"));
  EXPECT_EQ(
      nlohmann::json::parse(text(
          {OutputFormat::kJsonl, {}, PrintAlignment::kSoft}))["hypotheses"][0]["attention"][1][2],
      0.75);
}

/// "klei@@" comes from a phrase that writes it as "Ah"; then follow the two words of the second
/// slot, twice.
TEST_F(TranslationText, WordsOfPhrasesAreWrittenAsTheirTableHasThem) {
  translation_.example.phrases = {{{2}, {6}, {"house"}, {"Ah"}, "names"},
                                  {{0, 1}, {3, 3}, {"little", "one"}, {"Bee", "Cee"}, "others"}};
  Hypothesis& best = translation_.hypotheses.front();
  best.tokens = {6, 7, 3, 3, 3, 3, 4, 2};
  best.slots = {0, -1, 1, 1, 1, 1, -1, -1};
  best.token_scores.assign(8, -1.0);
  EXPECT_EQ(text({OutputFormat::kPlain, {}, {}}), "Ah [nes] Bee Cee Bee Cee [Haus]\n");
  EXPECT_NE(text({OutputFormat::kFairseq, {}, {}}).find("H-41\t-2\tAh nes Bee Cee Bee Cee Haus\n"),
            std::string::npos);
  EXPECT_NE(
      text({OutputFormat::kFairseq, {}, {}}).find("D-41\t-2\tAh [nes] Bee Cee Bee Cee [Haus]\n"),
      std::string::npos);
  const auto object = nlohmann::json::parse(text({OutputFormat::kJsonl, {}, {}}));
  EXPECT_EQ(object["hypotheses"][0]["text"], "Ah [nes] Bee Cee Bee Cee [Haus]");
  EXPECT_EQ(object["hypotheses"][0]["phrases"], nlohmann::json::parse(R"([
      {"source": ["house"], "target": ["Ah"], "category": "names", "places": [2], "span": [0, 1]},
      {"source": ["little", "one"], "target": ["Bee", "Cee"], "category": "others",
       "places": [0, 1], "span": [2, 2]},
      {"source": ["little", "one"], "target": ["Bee", "Cee"], "category": "others",
       "places": [0, 1], "span": [4, 2]}])"));
  EXPECT_FALSE(object["hypotheses"][1].contains("phrases"));  // its search had no slots
}

TEST_F(TranslationText, UnknownWordsThatNoPhraseGeneratedStayUnknown) {
  Hypothesis& best = translation_.hypotheses.front();
  best.tokens = {3, 4, 2};
  best.slots = {-1, -1, -1};
  EXPECT_EQ(text({OutputFormat::kPlain, {}, {}}), "[<unk> Haus]\n");
  EXPECT_FALSE(
      nlohmann::json::parse(text({OutputFormat::kJsonl, {}, {}}))["hypotheses"][0].contains(
          "phrases"));
}

}  // namespace
}  // namespace phraseq
