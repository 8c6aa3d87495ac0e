#include "core/text/languages/language_pairs.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/text/languages/language_tokens.h"
#include "tests/core/io/temporary_folder.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The message of the UsageError that `action` throws.
template <class Action>
std::string refusal(const Action& action) {
  return whole_message_of<UsageError>(action);
}

TEST(LanguagePairs, AreReadFromAListOrAFile) {
  const auto pairs = parse_language_pairs("en-de, zh_CN-en");
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[1].source, "zh_CN");
  EXPECT_EQ(pairs[1].name(), "zh_CN-en");
  const TemporaryFolder folder;
  folder.write("pairs", "en-de,zh_CN-en\n");
  EXPECT_EQ(parse_language_pairs(folder.file("pairs")), pairs);
}

TEST(LanguagePairs, ThatAreMalformedAreRefused) {
  EXPECT_THAT(refusal([] { parse_language_pairs("en-de,en"); }),
              HasSubstr("'en' is not a language pair"));
  EXPECT_THAT(refusal([] { parse_language_pairs("en-../x"); }),
              HasSubstr("is not a language pair"));
  EXPECT_THAT(refusal([] { parse_language_pairs("a-b-c"); }), HasSubstr("is not a language pair"));
  EXPECT_THAT(refusal([] { parse_language_pairs("a-b,a-b"); }), HasSubstr("a-b is listed twice"));
  EXPECT_THAT(refusal([] { parse_language_pairs("de-en fr-en"); }),
              HasSubstr("'de-en fr-en' is not a language pair"));
  EXPECT_THAT(refusal([] { parse_language_pairs("de-e n"); }),
              HasSubstr("'de-e n' is not a language pair"));
}

TEST(LanguagePairs, WithSeveralHyphensAreDividedWhereThereAreLanguages) {
  const auto listed = pair_test({"en", "pt-BR", "zh-Hans"}, "", "");
  const auto pairs = parse_language_pairs("en-pt-BR,zh-Hans-pt-BR", listed);
  EXPECT_THAT(pairs, ElementsAre(LanguagePair{"en", "pt-BR"}, LanguagePair{"zh-Hans", "pt-BR"}));
  EXPECT_THAT(refusal([&] { parse_language_pairs("en-pt-PT", listed); }),
              HasSubstr("'en-pt-PT' is not a language pair"));
  EXPECT_THAT(refusal([] {
                parse_language_pairs("a-b-c", pair_test({"a", "a-b", "b-c", "c"}, "", ""));
              }),
              HasSubstr("'a-b-c' is a to b-c or a-b to c"));
}

TEST(LanguagePairs, WithSeveralHyphensAreDividedAsTheDataIs) {
  const TemporaryFolder folder;
  folder.write("dict.en.txt", "");
  folder.write("dict.pt-BR.txt", "");
  const auto in_folder = pair_test({}, "", folder.path());
  EXPECT_THAT(parse_language_pairs("en-pt-BR", in_folder),
              ElementsAre(LanguagePair{"en", "pt-BR"}));
  std::filesystem::create_directory(folder.file("zh-Hans-de"));
  folder.write("zh-Hans-de/train.zh-Hans", "");
  folder.write("zh-Hans-de/train.de.gz", "");
  EXPECT_THAT(parse_language_pairs("de-zh-Hans", in_folder),
              ElementsAre(LanguagePair{"de", "zh-Hans"}));
}

TEST(LanguagePairs, NameTheLanguagesUnlessTheirOrderIsGiven) {
  const auto pairs = parse_language_pairs("en-de,fr-en");
  EXPECT_THAT(known_languages({}, "", pairs), ElementsAre("de", "en", "fr"));
  EXPECT_THAT(known_languages({"fr", "nl", "en", "de"}, "", pairs),
              ElementsAre("fr", "nl", "en", "de"));
  const TemporaryFolder folder;
  folder.write("langs", "fr\n en\n\nde\n");
  EXPECT_THAT(known_languages({}, folder.file("langs"), pairs), ElementsAre("fr", "en", "de"));
  EXPECT_THAT(refusal([&] {
                known_languages({"en", "de"}, "", pairs);
              }),
              HasSubstr("has the language 'fr', which is not among the languages en, de"));
  EXPECT_THAT(refusal([&] {
                known_languages({"en", "de", "fr", "en"}, "", pairs);
              }),
              HasSubstr("'en' is listed twice"));
}

TEST(LanguageTokens, FollowAllSymbolsInTheOrderOfTheLanguages) {
  Dictionary dictionary = Dictionary::parse("a 3\n__en__ 1\nb 1\n", "test");
  add_language_tokens(dictionary, {"fr", "en", "de"}, LanguageTokenStyle::kMultilingual);
  EXPECT_EQ(dictionary.to_text(), "a 3\n__en__ 2\nb 1\n__fr__ 1\n__de__ 1\n");
  Dictionary mbart;
  add_language_tokens(mbart, {"de_DE"}, LanguageTokenStyle::kMbart);
  EXPECT_EQ(mbart.to_text(), "[de_DE] 1\n<mask> 1\n");
  EXPECT_EQ(language_token("deu_Latn", LanguageTokenStyle::kPlain), "deu_Latn");
}

}  // namespace
}  // namespace phraseq
