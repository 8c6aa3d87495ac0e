#include "core/corpus/indexed_dataset.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/corpus/indexed_dataset_writer.h"
#include "core/io/mapping/mapped_file.h"
#include "tests/core/io/temporary_folder.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Sentences = std::vector<std::vector<int64_t>>;

std::string write_corpus(const TemporaryFolder& folder,
                         const Sentences& sentences,
                         int64_t vocabulary = 10) {
  const std::string prefix = folder.file("train.de-en.de");
  IndexedDatasetWriter writer(prefix, vocabulary);
  for (const auto& sentence : sentences) writer.add(sentence);
  writer.commit();
  return prefix;
}

std::string rejection_of(const std::string& prefix) {
  return whole_message_of<FormatError>([&] { IndexedDataset::open(prefix); });
}

template <class Value>
std::string with(std::string text, size_t place, Value value) {
  std::memcpy(text.data() + place, &value, sizeof value);
  return text;
}

TEST(IndexedDataset, WritesFairseqsBytes) {
  const TemporaryFolder folder;
  const auto prefix = write_corpus(folder, {{4, 5, 2}, {7, 2}});
  const std::string index(
      "MMIDIDX\0\0"
      "\1\0\0\0\0\0\0\0"
      "\10"
      "\2\0\0\0\0\0\0\0"
      "\3\0\0\0\2\0\0\0"
      "\0\0\0\0\0\0\0\0\6\0\0\0\0\0\0\0",
      50);
  EXPECT_EQ(read_file(prefix + ".idx"), index);
  EXPECT_EQ(read_file(prefix + ".bin"), std::string("\4\0\5\0\2\0\7\0\2\0", 10));
  EXPECT_EQ(folder.entries(), 2U);
}

TEST(IndexedDataset, ReadsBackWhatWasWritten) {
  const TemporaryFolder folder;
  for (const int64_t vocabulary : {int64_t{65'499}, int64_t{65'500}, int64_t{4'294'967'295}}) {
    const int64_t last = vocabulary - 1;
    const auto prefix = write_corpus(folder, {{last, 2}, {}, {5, 6, last, 2}}, vocabulary);
    const auto data = IndexedDataset::open(prefix);
    EXPECT_EQ(data.size(), 3);
    EXPECT_EQ(data.tokens(), 6);
    EXPECT_THAT(data.get(0), ElementsAre(last, 2));
    EXPECT_THAT(data.get(1), ElementsAre());
    EXPECT_THAT(data.get(2), ElementsAre(5, 6, last, 2));
    EXPECT_EQ(data.length(2), 4);
    EXPECT_NO_THROW(data.check_ids(vocabulary));
  }
}

TEST(IndexedDataset, ChoosesTheIdTypeAsFairseq) {
  const TemporaryFolder folder;
  const auto type_of = [&](int64_t vocabulary) {
    return static_cast<int>(read_file(write_corpus(folder, {{4, 2}}, vocabulary) + ".idx")[17]);
  };
  EXPECT_EQ(type_of(65'499), 8);
  EXPECT_EQ(type_of(65'500), 9);
  EXPECT_EQ(type_of(4'294'967'294), 9);
  EXPECT_EQ(type_of(4'294'967'295), 5);
}

TEST(IndexedDataset, HoldsACorpusOfNoSentences) {
  const TemporaryFolder folder;
  const auto data = IndexedDataset::open(write_corpus(folder, {}));
  EXPECT_EQ(data.size(), 0);
  EXPECT_EQ(data.tokens(), 0);
  EXPECT_NO_THROW(data.check_ids(4));
}

TEST(IndexedDataset, ReadsWhatFairseqWrote) {
  const char* place = std::getenv("PHRASEQ_DATA");
  if (place == nullptr)
    GTEST_SKIP() << "PHRASEQ_DATA is not set";
  const auto data = IndexedDataset::open(
      indexed_prefix(std::string(place) + "/fairseq/data-bin", "train", "en", "de", "de"));
  EXPECT_EQ(data.size(), 29'000);
  EXPECT_EQ(data.get(0).back(), 2);
  EXPECT_NO_THROW(data.check_ids(9'648));
}

TEST(IndexedDataset, RejectsABinFileShorterOrLongerThanItsIndexPromises) {
  const TemporaryFolder folder;
  const auto prefix = write_corpus(folder, {{4, 5, 2}, {7, 2}});
  std::filesystem::resize_file(prefix + ".bin", 9);
  EXPECT_THAT(rejection_of(prefix),
              AllOf(HasSubstr(prefix + ".bin: 9 bytes"),
                    HasSubstr("requires 10 bytes"),
                    HasSubstr("truncated"),
                    HasSubstr("phraseq preprocess")));
  std::filesystem::resize_file(prefix + ".bin", 12);
  EXPECT_THAT(rejection_of(prefix),
              AllOf(HasSubstr("12 bytes"),
                    HasSubstr("requires 10 bytes"),
                    HasSubstr("belongs to another index")));
}

TEST(IndexedDataset, RejectsTheBinFileOfAnotherIndex) {
  const TemporaryFolder folder;
  const TemporaryFolder other;
  const auto prefix = write_corpus(folder, {{4, 5, 2}, {7, 2}});
  const auto longer = write_corpus(other, {{4, 5, 2}, {7, 8, 2}});
  std::filesystem::copy_file(
      longer + ".bin", prefix + ".bin", std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(rejection_of(prefix), HasSubstr("12 bytes"));
}

TEST(IndexedDataset, RejectsEveryDefectOfAnIndex) {
  const TemporaryFolder folder;
  const auto prefix = write_corpus(folder, {{4, 5, 2}, {7, 2}});
  const std::string good = read_file(prefix + ".idx");
  const auto message = [&](const std::string& index) {
    folder.write("train.de-en.de.idx", index);
    return rejection_of(prefix);
  };
  EXPECT_THAT(message("XX" + good.substr(2)),
              AllOf(HasSubstr("not an index"), HasSubstr("0x58 0x58")));
  EXPECT_THAT(message(std::string("TNTIDX\0\0", 8) + good), HasSubstr("'cached' or 'lazy'"));
  EXPECT_THAT(message(with(good, 9, uint64_t{2})),
              HasSubstr("version 2, this program reads version 1"));
  EXPECT_THAT(message(with(good, 17, uint8_t{6})), HasSubstr("type code 6"));
  EXPECT_THAT(message(with(good, 17, uint8_t{0})), HasSubstr("type code 0"));
  EXPECT_THAT(message(with(good, 17, uint8_t{255})), HasSubstr("type code 255"));
  EXPECT_THAT(message(with(good, 18, uint64_t{3})),
              HasSubstr("50 bytes, expected 26 + 12 for each of 3"));
  EXPECT_THAT(message(with(good, 18, ~uint64_t{0})), HasSubstr("50 bytes, expected"));
  EXPECT_THAT(message(with(good, 30, int32_t{-2})), HasSubstr("sentence 2 has -2 ids"));
  EXPECT_THAT(message(with(good, 30, int32_t{2'000'000'000})),
              HasSubstr("requires 4000000006 bytes"));
  EXPECT_THAT(message(with(good, 42, int64_t{7})),
              HasSubstr("sentence 2 starts at byte 7, expected 6"));
  EXPECT_THAT(message(with(good, 42, int64_t{-1})), HasSubstr("sentence 2 starts at byte -1"));
  EXPECT_EQ(message(good), kNothingThrown);
}

TEST(IndexedDataset, RejectsAnIndexCutOffAnywhere) {
  const TemporaryFolder folder;
  const auto prefix = write_corpus(folder, {{4, 5, 2}, {7, 2}});
  const std::string good = read_file(prefix + ".idx");
  for (size_t length = 0; length < good.size(); ++length) {
    folder.write("train.de-en.de.idx", good.substr(0, length));
    EXPECT_THAT(rejection_of(prefix), HasSubstr("train.de-en.de.idx: ")) << length;
  }
}

TEST(IndexedDataset, NoticesEveryFlippedBitOfAnIndex) {
  const TemporaryFolder folder;
  const auto prefix = write_corpus(folder, {{4, 5, 2}, {7, 2}});
  const std::string good = read_file(prefix + ".idx");
  for (size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    folder.write("train.de-en.de.idx", bad);
    EXPECT_THROW(IndexedDataset::open(prefix), FormatError) << bit;
  }
}

TEST(IndexedDataset, FindsANegativeId) {
  const TemporaryFolder folder;
  const auto prefix = write_corpus(folder, {{4, 2}, {5, 2}});
  folder.write("train.de-en.de.idx", with(read_file(prefix + ".idx"), 17, uint8_t{3}));  // i16
  folder.write("train.de-en.de.bin", with(read_file(prefix + ".bin"), 4, int16_t{-1}));
  const auto data = IndexedDataset::open(prefix);
  EXPECT_EQ(data.get(1)[0], -1);
  EXPECT_THROW(data.check_ids(10), DataError);
}

TEST(IndexedDataset, NamesTheFirstSentenceWithAnIdBeyondTheDictionary) {
  const TemporaryFolder folder;
  const auto data = IndexedDataset::open(write_corpus(folder, {{4, 2}, {9, 2}, {9, 2}}));
  EXPECT_NO_THROW(data.check_ids(10));
  try {
    data.check_ids(9);
    FAIL() << "no error";
  } catch (const DataError& error) {
    EXPECT_THAT(
        error.what(),
        HasSubstr("sentence 2 contains the id 9, but the largest id of the dictionary is 8"));
  }
}

TEST(IndexedDataset, NoticesThatAFileWasRewritten) {
  const TemporaryFolder folder;
  const std::string prefix = write_corpus(folder, {{4, 5, 2}, {7, 2}});
  const auto data = IndexedDataset::open(prefix);
  data.ids_fingerprint();
  const std::string ids = prefix + ".bin", content = read_file(ids);
  const auto later = std::filesystem::last_write_time(ids) + std::chrono::hours(1);
  std::filesystem::last_write_time(ids, later);  // writes within a few milliseconds are one
  EXPECT_NO_THROW(data.require_unchanged()) << "the content is the same";
  std::ofstream(ids, std::ios::binary) << with<uint16_t>(content, 0, 6);
  std::filesystem::last_write_time(ids, later);
  EXPECT_THAT([&] { data.require_unchanged(); },
              ThrowsMessage<FormatError>(HasSubstr(ids + ": the content has changed")));
}

TEST(IndexedDataset, StaysAsItIsIfItsFilesAreReplaced) {
  const TemporaryFolder folder;
  const std::string prefix = write_corpus(folder, {{4, 5, 2}, {7, 2}});
  const auto data = IndexedDataset::open(prefix);
  write_corpus(folder, {{5, 4, 2}});
  EXPECT_NO_THROW(data.require_unchanged());
  EXPECT_THAT(data.get(0), ElementsAre(4, 5, 2));
}

TEST(IndexedDataset, RejectsASentenceThatIsNotThere) {
  const TemporaryFolder folder;
  const auto data = IndexedDataset::open(write_corpus(folder, {{4, 2}}));
  EXPECT_THROW(data.get(1), DataError);
  EXPECT_THROW(data.length(-1), DataError);
}

TEST(IndexedDataset, ReportsWhichFileIsMissing) {
  const TemporaryFolder folder;
  const auto prefix = write_corpus(folder, {{4, 2}});
  EXPECT_TRUE(IndexedDataset::exists(prefix));
  std::filesystem::remove(prefix + ".bin");
  EXPECT_FALSE(IndexedDataset::exists(prefix));
  EXPECT_THROW(IndexedDataset::open(prefix), IoError);
}

TEST(IndexedDatasetWriter, RejectsAnIdOutsideTheVocabulary) {
  const TemporaryFolder folder;
  IndexedDatasetWriter writer(folder.file("x"), 5);
  const std::vector<int64_t> too_large = {4, 5};
  const std::vector<int64_t> negative = {-1};
  EXPECT_THROW(writer.add(too_large), DataError);
  EXPECT_THROW(writer.add(negative), DataError);
}

TEST(IndexedDatasetWriter, LeavesNothingWithoutCommit) {
  const TemporaryFolder folder;
  {
    IndexedDatasetWriter writer(folder.file("x"), 5);
    const std::vector<int64_t> ids = {4};
    writer.add(ids);
  }
  EXPECT_EQ(folder.entries(), 0U);
}

}  // namespace
}  // namespace phraseq
