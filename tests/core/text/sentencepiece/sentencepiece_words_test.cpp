#include "core/text/sentencepiece/sentencepiece_words.h"

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>
#include <string>
#include <unordered_map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text/sentencepiece/sentencepiece_tokenizer.h"

namespace phraseq {
namespace {

using testing::ElementsAre;

/// The training text of all models.
class Lines final : public sentencepiece::SentenceIterator {
 public:
  bool done() const override { return left_ == 0; }
  void Next() override { --left_; }
  const std::string& value() const override { return line_; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  int left_ = 20;
  std::string line_ = "the newest and the widest river lower and slowest";
};

/// Trains a model with these settings in addition to its type and size.
std::string model_with(std::unordered_map<std::string, std::string> settings) {
  settings.insert({{"model_type", "bpe"}, {"vocab_size", "40"}, {"minloglevel", "2"}});
  settings.insert({{"hard_vocab_limit", "false"}, {"num_threads", "1"}});
  Lines lines;
  std::string model;
  EXPECT_TRUE(sentencepiece::SentencePieceTrainer::Train(settings, &lines, &model).ok());
  return model;
}

TEST(SeparateWords, AreThoseBetweenPrintableAsciiCharacters) {
  EXPECT_THAT(separate_words("the  red, (big) car"), ElementsAre("the  red,", "(big)", "car"));
  EXPECT_THAT(separate_words("die Übung an"), ElementsAre("die Übung", "an"));
  EXPECT_THAT(separate_words(" a\t b "), ElementsAre(" a\t b "));
  EXPECT_THAT(separate_words(""), ElementsAre(""));
}

TEST(SeparateWords, AreThoseOfBpeModelsWithTheUsualBlanksAndRules) {
  EXPECT_TRUE(has_separate_words(model_with({})));
  EXPECT_TRUE(has_separate_words(model_with({{"normalization_rule_name", "nfkc_cf"}})));
  EXPECT_FALSE(has_separate_words(model_with({{"model_type", "unigram"}})));
  EXPECT_FALSE(has_separate_words(model_with({{"add_dummy_prefix", "false"}})));
  EXPECT_FALSE(has_separate_words(model_with({{"remove_extra_whitespaces", "false"}})));
  EXPECT_FALSE(has_separate_words(model_with({{"treat_whitespace_as_suffix", "true"}})));
  EXPECT_FALSE(has_separate_words(model_with({{"user_defined_symbols", "new york"}})));
  EXPECT_FALSE(has_separate_words("no model"));
}

TEST(SeparateWords, BecomeThePiecesThatSentencePieceMakesOfTheLine) {
  const std::string model = model_with({{"user_defined_symbols", "<x>"}});
  ASSERT_TRUE(has_separate_words(model));
  const SentencePieceTokenizer tokenizer(model, "tiny");
  sentencepiece::SentencePieceProcessor processor;
  ASSERT_TRUE(processor.LoadFromSerializedProto(model).ok());
  for (const std::string line : {"the lowest river",
                                 "  the  the the river ",
                                 "the \xE2\x98\x83 \xE2\x98\x83 river \xE2\x96\x81 \xE2\x96\x81the",
                                 "e\xCC\x81 e \xCC\x88 the \xEF\xAC\x81 fi",
                                 "<x> <x>the the<x> </s> <unk> the",
                                 "x x x Q Q",
                                 ""}) {
    std::vector<std::string> pieces;
    ASSERT_TRUE(processor.Encode(line, &pieces).ok());
    for (int time = 0; time < 2; ++time) EXPECT_EQ(tokenizer.encode(line), pieces) << line;
  }
}

}  // namespace
}  // namespace phraseq
