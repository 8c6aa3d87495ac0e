#include "core/data/joined/joined_corpus.h"

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/data/batching/batch_iterator.h"
#include "core/data/joined/data_folders.h"
#include "core/data/joined/rotating_corpus.h"
#include "tests/core/data/random_corpus.h"
#include "tests/core/io/temporary_folder.h"

namespace phraseq {
namespace {

using phraseq::testing::LengthsCorpus;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Lengths = std::vector<std::pair<int64_t, int64_t>>;

/// A corpus whose sentences have these source lengths.
std::unique_ptr<Corpus> corpus_of(const std::vector<int64_t>& lengths) {
  Lengths pairs;
  for (const int64_t length : lengths) pairs.emplace_back(length, length + 1);
  return std::make_unique<LengthsCorpus>(pairs);
}

TEST(JoinedCorpus, HasThePartsInOrderWithTheFirstOneRepeated) {
  std::vector<std::unique_ptr<Corpus>> parts;
  parts.push_back(corpus_of({2, 3}));
  parts.push_back(corpus_of({}));
  parts.push_back(corpus_of({5, 6, 7}));
  const JoinedCorpus joined(std::move(parts), 2);
  std::vector<int64_t> sources, targets, ids;
  for (int64_t i = 0; i < joined.size(); ++i) {
    sources.push_back(joined.source_length(i));
    targets.push_back(joined.target_length(i));
    const Example example = joined.get(i);
    ids.push_back(example.id);
    EXPECT_EQ(static_cast<int64_t>(example.source.size()), sources.back());
  }
  EXPECT_THAT(sources, ElementsAre(2, 3, 2, 3, 5, 6, 7));
  EXPECT_THAT(targets, ElementsAre(3, 4, 3, 4, 6, 7, 8));
  EXPECT_THAT(ids, ElementsAre(0, 1, 2, 3, 4, 5, 6));
  EXPECT_EQ(joined.get(4).source.front(), 10) << "the first token of sentence 0 of the last part";
  EXPECT_EQ(joined.fingerprint(), "7 sentences of 3 parts + lengths 2 + lengths 0 + lengths 3");
}

/// Folders of 3, 2 and 4 sentences, and how often each was opened.
class Rotating : public ::testing::Test {
 protected:
  void SetUp() override { set_log_quiet(true); }

  std::unique_ptr<RotatingCorpus> open() {
    std::vector<RotatingCorpus::Folder> folders;
    for (size_t i = 0; i < lengths.size(); ++i) {
      folders.push_back({std::string(1, static_cast<char>('A' + i)), [this, i] {
                           ++opened[i];
                           return corpus_of(lengths[i]);
                         }});
    }
    return std::make_unique<RotatingCorpus>(std::move(folders));
  }

  std::vector<std::vector<int64_t>> lengths = {{5, 5, 5}, {6, 6}, {7, 7, 7, 7}};
  std::vector<int> opened = {0, 0, 0};
};

TEST_F(Rotating, EachEpochUsesOneFolderInTurn) {
  const auto corpus = open();
  EXPECT_THAT(opened, ElementsAre(1, 1, 1)) << "all folders are checked at the start";
  EXPECT_EQ(corpus->size(), 3);
  EXPECT_EQ(corpus->mean_epoch_size(), 3);
  const std::string fingerprint = corpus->fingerprint();
  for (int64_t epoch = 1; epoch <= 7; ++epoch) {
    corpus->start_epoch(epoch);
    const auto& expected = lengths[static_cast<size_t>((epoch - 1) % 3)];
    EXPECT_EQ(corpus->size(), static_cast<int64_t>(expected.size())) << epoch;
    EXPECT_EQ(corpus->source_length(0), expected[0]) << epoch;
    EXPECT_EQ(corpus->fingerprint(), fingerprint)
        << "the fingerprint of all folders is the same in every epoch";
  }
  corpus->start_epoch(7);
  EXPECT_THAT(opened, ElementsAre(3, 3, 3)) << "epoch 1 and a repeated epoch open nothing";
}

TEST_F(Rotating, AnnouncesAnEpochOnce) {
  const auto corpus = open();
  const auto log_of = [&](int64_t epoch) {
    ::testing::internal::CaptureStderr();
    corpus->start_epoch(epoch);
    return ::testing::internal::GetCapturedStderr();
  };
  set_log_quiet(false);
  EXPECT_THAT(log_of(1), HasSubstr("epoch 1: 3 sentences of A"));
  EXPECT_EQ(log_of(1), "");
  EXPECT_THAT(log_of(2), HasSubstr("epoch 2: 2 sentences of B"));
}

TEST_F(Rotating, RejectsAFolderThatChangesOrIsEmpty) {
  const auto corpus = open();
  lengths[1] = {6, 6, 6};
  try {
    corpus->start_epoch(2);
    ADD_FAILURE() << "no error";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("B: the data was replaced during training"));
  }
  lengths[2] = {};
  EXPECT_THROW(open(), DataError);
}

/// A run resumed in the middle of epoch 2 or 3 has the batches of an uninterrupted one.
TEST_F(Rotating, TheIteratorResumesInTheMiddleOfAnyEpoch) {
  BatchingOptions options;
  options.max_sentences = 1;
  const auto collate = [](const std::vector<Example>& examples) {
    Batch batch;
    for (const Example& example : examples) batch.sentence_ids.push_back(example.id);
    return batch;
  };
  const auto list = [&](BatchIterator& batches, int count) {
    std::vector<std::string> found;
    while (static_cast<int>(found.size()) < count) {
      if (const auto batch = batches.next())
        found.push_back(fmt::format("{}:{}", batches.epoch(), batch->sentence_ids.at(0)));
    }
    return found;
  };
  BatchIterator whole(open(), options, collate);
  const auto all = list(whole, 14);
  for (int begin = 0; begin <= 9; ++begin) {
    BatchIterator first(open(), options, collate);
    list(first, begin);
    BatchIterator second(open(), options, collate);
    second.restore(first.position());
    const auto rest = list(second, 14 - begin);
    EXPECT_EQ(rest, std::vector<std::string>(all.begin() + begin, all.end())) << begin;
  }
}

TEST(DataFolders, AreSeparatedByColons) {
  EXPECT_THAT(data_folders("a"), ElementsAre("a"));
  EXPECT_THAT(data_folders(""), ElementsAre(""));
  EXPECT_THAT(data_folders("a:/b/c:d"), ElementsAre("a", "/b/c", "d"));
  EXPECT_THROW(data_folders("a:"), UsageError);
  EXPECT_THROW(data_folders("a::b"), UsageError);
}

TEST(DataFolders, AnExistingPathWithAColonIsOne) {
  const TemporaryFolder folder;
  folder.write("a:b", "");
  EXPECT_THAT(data_folders(folder.file("a:b")), ElementsAre(folder.file("a:b")));
  EXPECT_THAT(data_folders(folder.file("a:c")), ElementsAre(folder.file("a"), "c"));
}

TEST(TrainingSplits, AreANameWithItsPartsOrAList) {
  const auto has = [](const std::string& split) {
    return split == "train1" || split == "train2" || split == "train4" || split == "more1";
  };
  EXPECT_THAT(training_splits("train", has), ElementsAre("train", "train1", "train2"));
  EXPECT_THAT(training_splits("valid", has), ElementsAre("valid"));
  EXPECT_THAT(training_splits("train,more", has), ElementsAre("train", "more"));
  for (const char* wrong : {"", ",", "a,", "a,a"})
    EXPECT_THROW(training_splits(wrong, has), UsageError) << wrong;
}

TEST(DictionaryDifference, NamesTheFirstSymbol) {
  const auto dictionary = [](const std::string& text) { return Dictionary::parse(text, "d"); };
  EXPECT_EQ(dictionary_difference(dictionary("a 1\nc 1\n"), dictionary("a 1\nb 1\n")),
            "the first difference is id 5: 'c', expected 'b'");
  EXPECT_EQ(dictionary_difference(dictionary("a 1\n"), dictionary("a 1\nb 1\n")),
            "5 symbols, expected 6; the first difference is id 5: none, expected 'b'");
}

}  // namespace
}  // namespace phraseq
