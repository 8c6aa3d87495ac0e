#include "core/corpus/data_folder.h"

#include <cstdlib>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/corpus/indexed_dataset_writer.h"
#include "tests/core/io/temporary_folder.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

void write_side(const TemporaryFolder& folder,
                const std::string& split,
                const std::string& pair,
                const std::string& language,
                const std::vector<int64_t>& ids) {
  IndexedDatasetWriter writer(folder.file(split + "." + pair + "." + language), 10);
  writer.add(ids);
  writer.commit();
}

void write_pair(const TemporaryFolder& folder,
                const std::string& split,
                const std::string& source,
                const std::string& target) {
  const std::string pair = source + "-" + target;
  write_side(folder, split, pair, source, {4, 5, 2});
  write_side(folder, split, pair, target, {6, 2});
}

std::string manifest(const std::string& more) {
  return R"({"version": 1, "complete": true, "source_language": "de", "target_language": "en")" +
         more + "}";
}

TEST(DataFolder, FindsTheLanguagesOfAFairseqFolderInItsFileNames) {
  const TemporaryFolder folder;
  write_pair(folder, "train", "pt-br", "zh-tw");
  write_pair(folder, "valid1", "pt-br", "zh-tw");
  const auto data = DataFolder::open(folder.path());
  EXPECT_EQ(data.source(), "pt-br");
  EXPECT_EQ(data.target(), "zh-tw");
  EXPECT_THAT(data.splits(), ElementsAre("train", "valid1"));
  EXPECT_THAT(data.dataset("train", "zh-tw").get(0), ElementsAre(6, 2));
  EXPECT_EQ(data.tokenizer(), "word");
  EXPECT_EQ(data.tokenizer_model("pt-br"), "");
  EXPECT_TRUE(data.tokenizer_options().empty());
}

TEST(DataFolder, AsksForTheLanguagePairWhenThereAreTwo) {
  const TemporaryFolder folder;
  write_pair(folder, "train", "de", "en");
  write_pair(folder, "train", "en", "de");
  EXPECT_THAT([&] { DataFolder::open(folder.path()); },
              ThrowsMessage<UsageError>(HasSubstr("contains the language pairs de-en, en-de\n")));
  EXPECT_EQ(DataFolder::open(folder.path(), "en").target(), "de");
  EXPECT_EQ(DataFolder::open(folder.path(), "", "en").source(), "de");
  EXPECT_THAT([&] { DataFolder::open(folder.path(), "fr"); },
              ThrowsMessage<UsageError>(HasSubstr("de-en, en-de, not the requested one")));
}

TEST(DataFolder, ServesBothDirections) {
  const TemporaryFolder folder;
  write_pair(folder, "train", "de", "en");
  for (const auto& data :
       {DataFolder::open(folder.path(), "en", "de"), DataFolder::open(folder.path(), "en")}) {
    EXPECT_EQ(data.source(), "en");
    EXPECT_EQ(data.target(), "de");
    EXPECT_TRUE(data.has_split("train"));
    EXPECT_THAT(data.dataset("train", "en").get(0), ElementsAre(6, 2));
  }
  EXPECT_THROW(DataFolder::open(folder.path(), "en", "fr"), UsageError);
}

TEST(DataFolder, ReadsOurManifest) {
  const TemporaryFolder folder;
  folder.write("manifest.json", manifest(R"(, "tokenizer": {"name": "sentencepiece",
      "options": {"lowercase": true}, "models": {"de": "sentencepiece.model"}})"));
  const auto data = DataFolder::open(folder.path());
  EXPECT_EQ(data.source(), "de");
  EXPECT_EQ(data.target(), "en");
  EXPECT_EQ(data.tokenizer(), "sentencepiece");
  EXPECT_EQ(data.tokenizer_model("de"), folder.file("sentencepiece.model"));
  EXPECT_EQ(data.tokenizer_options().value("lowercase", false), true);
}

/// The message of the error for a folder whose text is to be translated.
std::string rejection_of_pair(const TemporaryFolder& folder,
                              const std::string& source = {},
                              const std::string& target = {}) {
  return whole_message_of<UsageError>(
      [&] { DataFolder::open(folder.path(), source, target).require_pair(); });
}

TEST(DataFolder, NamesTheTaskForTextOfOneLanguage) {
  const TemporaryFolder english;
  write_side(english, "train", "en-None", "en", {4, 2});
  const auto advice =
      AllOf(HasSubstr("text of one language"), HasSubstr("--task language_modeling"));
  EXPECT_THAT(rejection_of_pair(english), advice);
  EXPECT_THAT(rejection_of_pair(english, "en"), advice);
  EXPECT_THAT(rejection_of_pair(english, "", "en"), advice);
  EXPECT_THAT(rejection_of_pair(english, "en", "de"), advice);
  EXPECT_THROW(DataFolder::open_monolingual(english.path(), "de"), UsageError);
  const TemporaryFolder nameless;
  nameless.write("dict.txt", "a 1\n");
  EXPECT_THAT(rejection_of_pair(nameless), advice);
  IndexedDatasetWriter text(nameless.file("train"), 10);
  text.add(std::vector<int64_t>{4, 2});
  text.commit();
  EXPECT_THAT(rejection_of_pair(nameless, "en", "de"), advice);
  const TemporaryFolder half;  // --only-source with --target-lang
  write_side(half, "train", "en-de", "en", {4, 2});
  EXPECT_THAT(rejection_of_pair(half), advice);
  EXPECT_THAT(rejection_of_pair(half, "de", "en"), advice);
  const TemporaryFolder pair;
  write_pair(pair, "train", "de", "en");
  EXPECT_EQ(rejection_of_pair(pair), kNothingThrown);
  EXPECT_THAT(rejection_of_pair(pair, "en", "fr"),
              HasSubstr("contains the language pair de-en, not the requested one"));
}

TEST(DataFolder, SaysThatThereIsDataOfAPairThatTheManifestDoesNotList) {
  const TemporaryFolder folder;
  write_pair(folder, "train", "de", "en");
  write_pair(folder, "train", "fr", "en");
  folder.write("manifest.json", manifest(""));
  for (const auto& [source, target] : {std::pair("fr", "en"), std::pair("en", "fr")}) {
    const std::string pair = fmt::format("{}-{}", source, target);
    EXPECT_THAT(rejection_of_pair(folder, source, target),
                AllOf(HasSubstr("lists the language pair de-en, not " + pair + ", although"),
                      HasSubstr("--destdir " + folder.path() + "/" + pair),
                      Not(HasSubstr("--source-lang"))));
  }
  EXPECT_THAT(rejection_of_pair(folder, "fr"), HasSubstr("Give --source-lang"));
  EXPECT_THAT(rejection_of_pair(folder, "fr", "de"),
              AllOf(HasSubstr("pair de-en, not the requested one"), Not(HasSubstr("Give"))));
}

TEST(DataFolder, RejectsAFolderThatIsNotFinished) {
  const TemporaryFolder folder;
  write_pair(folder, "train", "de", "en");
  folder.write("manifest.json", R"({"version": 1, "complete": false})");
  try {
    DataFolder::open(folder.path());
    FAIL() << "no error";
  } catch (const FormatError& error) {
    EXPECT_THAT(error.what(), HasSubstr("did not finish this folder"));
  }
}

TEST(DataFolder, RejectsAManifestOfANewerVersionOrOfAnotherKind) {
  const TemporaryFolder folder;
  for (const char* text :
       {R"({"version": 2, "complete": true})", "[]", "{", R"({"complete": true})"}) {
    folder.write("manifest.json", text);
    EXPECT_THROW(DataFolder::open(folder.path(), "de", "en"), FormatError) << text;
  }
}

TEST(DataFolder, RejectsADictionaryOrIndexThatWasReplaced) {
  const TemporaryFolder folder;
  write_pair(folder, "train", "de", "en");
  folder.write("dict.de.txt", "a 1\n");
  folder.write("manifest.json", manifest(R"(, "dictionaries": {"de": {"crc32c": "00000000"}},
      "splits": {"train": {"de": {"index_crc32c": "00000000"}}})"));
  const auto data = DataFolder::open(folder.path());
  EXPECT_THROW(data.dictionary("de"), FormatError);
  EXPECT_THROW(data.dataset("train", "de"), FormatError);
  EXPECT_NO_THROW(data.dataset("train", "en"));
}

TEST(DataFolder, ReportsThatThereIsNone) {
  const TemporaryFolder folder;
  EXPECT_THROW(DataFolder::open(folder.file("none")), IoError);
  EXPECT_THROW(DataFolder::open(folder.path()), UsageError);
}

TEST(DataFolder, OpensWhatFairseqWrote) {
  const char* place = std::getenv("PHRASEQ_DATA");
  if (place == nullptr)
    GTEST_SKIP() << "PHRASEQ_DATA is not set";
  const auto data = DataFolder::open(std::string(place) + "/fairseq/data-bin");
  EXPECT_EQ(data.source(), "en");
  EXPECT_EQ(data.target(), "de");
  EXPECT_THAT(data.splits(), ElementsAre("test", "train", "valid"));
  EXPECT_EQ(data.dictionary("de").size(), 9'648);
  EXPECT_EQ(data.dataset("test", "de").size(), 1'000);
}

}  // namespace
}  // namespace phraseq
