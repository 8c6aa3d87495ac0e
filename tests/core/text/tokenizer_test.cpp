#include "core/text/tokenizer.h"

#include <set>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/text/sentencepiece/sentencepiece_tokenizer.h"
#include "core/text/sentencepiece/sentencepiece_training.h"
#include "core/text/word_tokenizer.h"

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Pieces = std::vector<std::string>;

/// A model learned within milliseconds from a few lines with many repetitions.
std::string tiny_model(SentencePieceType type, int64_t pieces = 23) {
  int line_number = 0;
  const auto next = [&](std::string& line) {
    line = line_number % 2 == 0 ? "the newest and the widest river" : "lower and slower and lowest";
    return line_number++ < 40;
  };
  return train_sentencepiece(next, {type, pieces, 1.0});
}

TEST(WordTokenizer, SplitsJoinsAndLowercasesOnDemand) {
  EXPECT_THAT(WordTokenizer().encode(" Der  Hund "), ElementsAre("Der", "Hund"));
  EXPECT_THAT(WordTokenizer(true).encode("Der HUND"), ElementsAre("der", "hund"));
  EXPECT_EQ(WordTokenizer().decode({"Der", "Hund"}), "Der Hund");
  EXPECT_THAT(WordTokenizer().sample("a b", 3), ElementsAre("a", "b"));
}

TEST(SentencePieceTokenizer, RestoresTheText) {
  for (const auto& [name, type] : kSentencePieceTypeNames) {
    const SentencePieceTokenizer tokenizer(tiny_model(type), "tiny");
    const auto pieces = tokenizer.encode("the lowest river");
    EXPECT_GT(pieces.size(), 3U);
    EXPECT_EQ(tokenizer.decode(pieces), "the lowest river");
    EXPECT_THAT(tokenizer.encode(""), ElementsAre());
  }
}

TEST(SentencePieceTokenizer, KeepsUnknownCharactersAsTheyAre) {
  const SentencePieceTokenizer tokenizer(tiny_model(SentencePieceType::kBpe), "tiny");
  EXPECT_THAT(tokenizer.encode("\xE2\x98\x83"), ElementsAre("\xE2\x96\x81", "\xE2\x98\x83"));
}

/// SentencePiece's normalization keeps U+0085.
TEST(SentencePieceTokenizer, SeparatesAtWhitespaceWithinPieces) {
  const SentencePieceTokenizer tokenizer(
      tiny_model(SentencePieceType::kUnigram), "tiny", {.alpha = 1});
  const std::string line = "\xC2\x85 \xE2\x98\x83\xC2\x85\xE2\x98\x83";
  const auto symbols = ElementsAre("\xE2\x96\x81", "\xE2\x96\x81", "\xE2\x98\x83", "\xE2\x98\x83");
  EXPECT_THAT(tokenizer.encode(line), symbols);
  EXPECT_THAT(tokenizer.sample(line, 1), symbols);
}

TEST(SentencePieceTokenizer, RejectsAPieceThatSentencePieceThrowsAt) {
  using namespace std::string_literals;
  const std::string model = "\n\x09\n\x05<unk>\x18\x02\n\x04\n\x02\0a"s;  // <unk> and "\0a"
  try {
    const SentencePieceTokenizer tokenizer(model, "tiny");
    FAIL() << "the model was accepted";
  } catch (const FormatError& error) {
    EXPECT_THAT(error.what(), HasSubstr("tiny: not a SentencePiece model (17 bytes): "));
    EXPECT_THAT(error.what(), HasSubstr("zero-length key"));
  }
}

TEST(SentencePieceTokenizer, LowercasesOnDemand) {
  const SentencePieceTokenizer tokenizer(
      tiny_model(SentencePieceType::kBpe), "tiny", {.lowercase = true});
  EXPECT_EQ(tokenizer.encode("THE River"), tokenizer.encode("the river"));
}

TEST(SentencePieceTokenizer, KeepsALanguageTokenAtTheBeginningOnDemand) {
  const std::string model = tiny_model(SentencePieceType::kBpe);
  const SentencePieceTokenizer plain(model, "tiny");
  const SentencePieceTokenizer tokenizer(model, "tiny", {.language_token = true});
  Pieces expected = plain.encode("the river");
  expected.insert(expected.begin(), ">>fra<<");
  EXPECT_EQ(tokenizer.encode(">>fra<< the river"), expected);
  EXPECT_EQ(tokenizer.sample(">>fra<< the river", 3).front(), ">>fra<<");
  EXPECT_NE(plain.encode(">>fra<< the river"), expected);
  for (const char* line : {"the >>fra<< river", ">>fra the river", "the river"})
    EXPECT_EQ(tokenizer.encode(line), plain.encode(line)) << line;
}

TEST(SentencePieceTokenizer, DecodesPiecesThatTheModelDoesNotHave) {
  const SentencePieceTokenizer tokenizer(tiny_model(SentencePieceType::kBpe), "tiny");
  EXPECT_EQ(tokenizer.decode({"\u2581zz", "qq", "\u2581zz"}), "zzqq zz");
  Pieces pieces = tokenizer.encode("the river");
  pieces.insert(pieces.end(), {"\u2581zz", "qq"});
  EXPECT_EQ(tokenizer.decode(pieces), "the river zzqq");
}

TEST(SentencePieceTokenizer, SamplesTheSameForTheSameSeedWhateverWasSampledBefore) {
  for (const auto& [name, type] : kSentencePieceTypeNames) {
    const SentencePieceTokenizer tokenizer(tiny_model(type), "tiny", {.alpha = 0.3});
    const std::string line = "the newest and the slowest river";
    std::vector<Pieces> first;
    for (uint64_t seed = 0; seed < 20; ++seed) first.push_back(tokenizer.sample(line, seed));
    for (uint64_t seed = 20; seed-- > 0;)
      EXPECT_EQ(tokenizer.sample(line, seed), first[seed]) << name;
    std::thread([&] { EXPECT_EQ(tokenizer.sample(line, 7), first[7]); }).join();
    EXPECT_GT(std::set<Pieces>(first.begin(), first.end()).size(), 5U) << name;
    for (const Pieces& pieces : first) EXPECT_EQ(tokenizer.decode(pieces), line);
  }
}

TEST(SentencePieceTokenizer, WithoutDropoutReturnsTheBestSegmentation) {
  const SentencePieceTokenizer tokenizer(
      tiny_model(SentencePieceType::kBpe), "tiny", {.alpha = 0.0});
  EXPECT_EQ(tokenizer.sample("the lowest", 5), tokenizer.encode("the lowest"));
}

TEST(SentencePieceTokenizer, ReturnsTheModelItWasMadeFrom) {
  const std::string model = tiny_model(SentencePieceType::kUnigram);
  EXPECT_EQ(SentencePieceTokenizer(model, "tiny").model(), model);
}

TEST(SentencePieceTokenizer, RejectsBytesThatAreNotAModel) {
  for (const std::string& bytes : {std::string(),
                                   std::string("no model"),
                                   tiny_model(SentencePieceType::kBpe).substr(0, 100)}) {
    EXPECT_THROW(SentencePieceTokenizer(bytes, "x.model"), FormatError) << bytes.size();
  }
}

TEST(SentencePieceTraining, IsReproducible) {
  EXPECT_EQ(tiny_model(SentencePieceType::kBpe), tiny_model(SentencePieceType::kBpe));
  EXPECT_EQ(tiny_model(SentencePieceType::kUnigram), tiny_model(SentencePieceType::kUnigram));
}

TEST(SentencePieceTraining, ReportsThatATextIsTooSmall) {
  try {
    tiny_model(SentencePieceType::kBpe, 5000);
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("5000 bpe pieces"));
    EXPECT_THAT(error.what(), HasSubstr("--subwords"));
  }
}

/// The model of `lines` lines that each repeat the text `times` times.
std::string repeated_model(const std::string& text, int times, int lines) {
  int line_number = 0;
  const auto next = [&](std::string& line) {
    line.clear();
    for (int i = 0; i < times; ++i) line += (i == 0 ? "" : " ") + text;
    return line_number++ < lines;
  };
  return train_sentencepiece(next, {SentencePieceType::kBpe, 23, 1.0});
}

TEST(SentencePieceTraining, LearnsTheSameFromLongLinesAsFromShortOnes) {
  const std::string text = "the newest and the widest river lower and slower and lowest";
  EXPECT_TRUE(repeated_model(text, 500, 2) == repeated_model(text, 1, 1000));
}

TEST(SentencePieceTraining, CutsLongWordsBetweenCharacters) {
  std::string word = "a";
  while (word.size() < 10'000) word += "äöü";
  int line_number = 0;
  const auto next = [&](std::string& line) {
    line = word;
    return line_number++ < 10;
  };
  // Three symbols, and ▁ a ä ö ü: there is no room for the symbol of half a character.
  EXPECT_NO_THROW(train_sentencepiece(next, {SentencePieceType::kBpe, 8, 1.0}));
}

TEST(SentencePieceTraining, PassesOnAFailureOfTheSource) {
  int lines = 0;
  const auto next = [&](std::string& line) -> bool {
    line = "some words";
    if (++lines == 5)
      throw DataError("the fifth line");
    return true;
  };
  EXPECT_THROW(train_sentencepiece(next, {SentencePieceType::kBpe, 20, 1.0}), DataError);
}

}  // namespace
}  // namespace phraseq
