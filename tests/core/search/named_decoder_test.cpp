#include "core/search/named_decoder.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text/dictionary.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

using testing::HasSubstr;
using Translations = std::vector<std::vector<Hypothesis>>;

constexpr int64_t kWords = 9;  // ids from 0 to 8

struct ToldOptions final : Options {
  void describe(OptionTable&) override {}
};

/// Returns the translations that a test has set.
class ToldDecoder final : public Decoder {
 public:
  ToldDecoder(const ToldOptions&, const DecoderSetup&) {}
  Translations decode(const DecodingRequest&) override { return told; }

  static Translations told;
};

Translations ToldDecoder::told;

/// The result for a plugin's decoder that returns `found` for a batch of one sentence.
Translations decoded(const Translations& found) {
  ToldDecoder::told = found;
  Registry registry;
  registry.add<Decoder, ToldDecoder, ToldOptions>("told", "Returns what it was told.");
  NamedDecoder decoder(registry.select("decoder", "told"), {.target_vocabulary = kWords});
  Batch batch;
  batch.source.offsets = {0, 0};
  DecodingRequest request;
  request.batch = &batch;
  return decoder.decode(request);
}

Hypothesis hypothesis(const std::vector<int64_t>& tokens) {
  Hypothesis one;
  one.tokens = tokens;
  one.token_scores.assign(tokens.size(), -1.0);
  return one;
}

std::string message_for(const Translations& found) {
  return message_of([&] { decoded(found); });
}

TEST(NamedDecoder, PassesOnTranslationsUpToTheLastWord) {
  const auto found = decoded({{hypothesis({kWords - 1, kEos}), hypothesis({kEos})}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].size(), 2U);
}

TEST(NamedDecoder, NamesTheDecoderOfAnInvalidTranslation) {
  EXPECT_THAT(message_for({}),
              HasSubstr("'told' failed in decode: it returned translations of 0 sentences, not "
                        "of 1"));
  EXPECT_THAT(message_for({{}}),
              HasSubstr("'told' failed in decode: a sentence has no hypothesis"));
  EXPECT_THAT(message_for({{hypothesis({4, 5})}}), HasSubstr("a hypothesis does not end in </s>"));
  EXPECT_THAT(message_for({{hypothesis({})}}), HasSubstr("a hypothesis does not end in </s>"));
  EXPECT_THAT(message_for({{hypothesis({kWords, kEos})}}),
              HasSubstr("a hypothesis contains id 9, but there are 9 words"));
  EXPECT_THAT(message_for({{hypothesis({-1, kEos})}}), HasSubstr("a hypothesis contains id -1"));
  Hypothesis unscored = hypothesis({4, kEos});
  unscored.token_scores.pop_back();
  EXPECT_THAT(message_for({{hypothesis({kEos}), unscored}}),
              HasSubstr("a hypothesis of 2 tokens has 1 token_scores"));
}

}  // namespace
}  // namespace phraseq
