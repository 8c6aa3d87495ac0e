#include <iostream>
#include <span>
#include <streambuf>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/corpus/shards/gather_options.h"
#include "core/corpus/shards/shard_files.h"
#include "core/corpus/shards/shard_seal.h"
#include "core/corpus/shards/text_gatherer.h"
#include "core/io/crc32c.h"
#include "core/io/mapping/mapped_file.h"
#include "tests/core/io/temporary_folder.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

using ::testing::HasSubstr;

/// Shards of a text, written as the commands write them.
class GatherText : public ::testing::Test {
 protected:
  /// Writes shard `index` of `count` with a seal.
  void write(const Shard& shard, const std::string& lines, int64_t sentences) {
    ShardSeal seal;
    seal.shard = shard;
    seal.sentences = sentences;
    seal.format = format;
    seal.checksum = crc32c_text(crc32c(std::as_bytes(std::span(lines))));
    seal.run = run;
    folder.write("out" + shard_path("", shard), lines + seal.line());
  }

  std::string gathered() {
    std::string text;
    gather_text(find_shards(folder.file("out")), [&](std::string_view more) { text += more; });
    return text;
  }

  std::string message() {
    return whole_message_of<DataError>([&] { gathered(); });
  }

  TemporaryFolder folder;
  std::string format = "plain";
  nlohmann::json run = {{"input", "7 lines"}};
};

TEST_F(GatherText, PutsLinesInTheOrderOfTheSentences) {
  write({0, 3}, "a\nd\ng\n", 7);
  write({1, 3}, "b\n\n", 7);
  write({2, 3}, "c\nf\n", 7);
  EXPECT_EQ(gathered(), "a\nb\nc\nd\n\nf\ng\n");
}

TEST_F(GatherText, KeepsTheLinesOfASentenceTogether) {
  format = "fairseq";
  write({0, 2}, "S-0\ta\nH-0\t-1\tx\nP-0\t-1\nS-2\tc\nH-2\t-1\tz\n", 3);
  write({1, 2}, "S-1\tb\nH-1\t-1\ty\n", 3);
  EXPECT_EQ(gathered(), "S-0\ta\nH-0\t-1\tx\nP-0\t-1\nS-1\tb\nH-1\t-1\ty\nS-2\tc\nH-2\t-1\tz\n");
  format = "jsonl";
  write({0, 2}, "{\"id\":0,\"x\":1}\n{\"id\":2,\"x\":1}\n", 3);
  write({1, 2}, "{\"id\":1,\"x\":1}\n", 3);
  EXPECT_EQ(gathered(), "{\"id\":0,\"x\":1}\n{\"id\":1,\"x\":1}\n{\"id\":2,\"x\":1}\n");
}

TEST_F(GatherText, AcceptsATranslationThatLooksLikeASeal) {
  write({0, 2}, "#phraseq-shard {}\nc\n", 3);
  write({1, 2}, "#phraseq-shard \n", 3);
  EXPECT_EQ(gathered(), "#phraseq-shard {}\n#phraseq-shard \nc\n");
}

TEST_F(GatherText, AcceptsAShardWithoutSentences) {
  write({0, 2}, "a\n", 1);
  write({1, 2}, "", 1);
  EXPECT_EQ(gathered(), "a\n");
  write({0, 2}, "", 0);
  write({1, 2}, "", 0);
  EXPECT_EQ(gathered(), "");
}

TEST_F(GatherText, NamesAMissingShard) {
  write({0, 4}, "a\n", 4);
  write({3, 4}, "d\n", 4);
  EXPECT_THAT(message(), HasSubstr("out: 2 of 4 shards are missing: 1, 2"));
  EXPECT_THAT(message(), HasSubstr("--num-shards 4 --shard-id 1"));
}

TEST_F(GatherText, SaysThatThereAreNoShardsOrThoseOfSeveralRuns) {
  EXPECT_THAT(message(), HasSubstr("there are no shards"));
  folder.write("out.shard-x-of-2", "");
  folder.write("out.shard-2-of-2", "");
  folder.write("out.shard-1-of-2.bak", "");
  folder.write("out.shard-0-of-99999999999", "");  // more than any run has
  EXPECT_THAT(message(), HasSubstr("there are no shards"));
  write({0, 2}, "a\n", 1);
  write({1, 2}, "", 1);
  write({0, 3}, "a\n", 1);
  EXPECT_THAT(message(), HasSubstr("there are shards of several runs, with 2 and 3 shards"));
  EXPECT_EQ(find_shards(folder.file("out"), 2).size(), 2U);
  EXPECT_THROW(find_shards(folder.file("out"), 3), DataError);
}

TEST_F(GatherText, NamesATruncatedShard) {
  write({0, 2}, "a\nc\n", 3);
  folder.write("out.shard-1-of-2", "b\n");
  EXPECT_THAT(message(), HasSubstr("out.shard-1-of-2: the last line is not '#phraseq-shard …'"));
  folder.write("out.shard-1-of-2", "");
  EXPECT_THAT(message(), HasSubstr("out.shard-1-of-2: the last line is not"));
  folder.write("out.shard-1-of-2", "b\n#phraseq-shard {\"shard\":1}\n");
  EXPECT_THAT(message(), HasSubstr("damaged last line"));
  folder.write("out.shard-1-of-2", "b\n#phraseq-shard {\"shard\":1");
  EXPECT_THAT(message(), HasSubstr("the last line is not"));
}

TEST_F(GatherText, NamesAShardThatWasModified) {
  write({0, 2}, "a\nc\n", 3);
  write({1, 2}, "b\n", 3);
  const std::string whole = read_file(folder.file("out.shard-0-of-2"));
  for (const auto& [from, to] : {std::pair("a\n", "A\n"), std::pair("a\nc\n", "c\na\n")}) {
    std::string changed = whole;
    folder.write("out.shard-0-of-2", changed.replace(0, std::string(from).size(), to));
    EXPECT_THAT(message(), HasSubstr("out.shard-0-of-2: CRC-32C "));
  }
  folder.write("out.shard-0-of-2", whole);
  EXPECT_EQ(gathered(), "a\nb\nc\n");
}

TEST_F(GatherText, NamesTheSentenceWhoseLinesAreMissingOrTooMany) {
  write({0, 2}, "a\nc\n", 4);
  write({1, 2}, "b\n", 4);
  EXPECT_THAT(message(), HasSubstr("out.shard-1-of-2:2: the lines of sentence 4 are missing"));
  write({1, 2}, "b\nd\nf\n", 4);
  EXPECT_THAT(message(), HasSubstr("out.shard-1-of-2:3: a line after the last sentence"));
  format = "fairseq";
  write({0, 2}, "H-0\ta\nH-4\tc\n", 4);
  write({1, 2}, "H-1\tb\nH-3\td\n", 4);
  EXPECT_THAT(message(), HasSubstr("out.shard-0-of-2:2: the lines of sentence 3 are missing"));
}

TEST_F(GatherText, RejectsShardsOfDifferentRuns) {
  write({0, 2}, "a\nc\n", 3);
  write({1, 2}, "b\n", 4);
  EXPECT_THAT(message(), HasSubstr("of different runs: the number of sentences is 3 and 4"));
  run["input"] = "8 lines";
  write({1, 2}, "b\n", 3);
  EXPECT_THAT(message(), HasSubstr("of different runs: input is \"7 lines\" and \"8 lines\""));
  run["input"] = "7 lines";
  format = "jsonl";
  write({1, 2}, "b\n", 3);
  EXPECT_THAT(message(), HasSubstr("of different runs: the format is plain and jsonl"));
  format = "plain";
  folder.write("out.shard-1-of-2", "a\nc\n" + ShardSeal{{0, 2}, 3, "plain", run, ""}.line());
  EXPECT_THAT(message(), HasSubstr("out.shard-1-of-2: contains shard 0 of 2"));
}

/// Makes standard output a full disk while the object lives.
class FullStandardOutput {
 public:
  FullStandardOutput() : earlier_(std::cout.rdbuf(&full_)) {}
  ~FullStandardOutput() { std::cout.rdbuf(earlier_); }  // also clears the failure
  FullStandardOutput(const FullStandardOutput&) = delete;
  FullStandardOutput& operator=(const FullStandardOutput&) = delete;

 private:
  struct Full : std::streambuf {};  // accepts nothing
  Full full_;
  std::streambuf* earlier_;
};

TEST_F(GatherText, RemovesNoShardWhoseLinesCouldNotBePrinted) {
  set_log_quiet(true);
  write({0, 2}, "a\n", 2);
  write({1, 2}, "b\n", 2);
  GatherOptions options;
  options.name = folder.file("out");
  options.output = "-";
  options.delete_shards = true;
  {
    const FullStandardOutput full;
    gather(options);
    EXPECT_FALSE(std::cout.good());
  }
  EXPECT_EQ(folder.entries(), 2U);
  gather(options);
  EXPECT_EQ(folder.entries(), 0U);
}

}  // namespace
}  // namespace phraseq
