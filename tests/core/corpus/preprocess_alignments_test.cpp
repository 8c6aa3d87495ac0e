// phraseq preprocess --align-suffix: alignments next to the text of a data folder.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/corpus/data_folder.h"
#include "core/corpus/shards/folder_gatherer.h"
#include "core/corpus/shards/shard_files.h"
#include "core/io/mapping/mapped_file.h"
#include "tests/core/corpus/preprocess_case.h"

namespace phraseq {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PreprocessAlignmentsTest : public PreprocessCase {
 protected:
  PreprocessAlignmentsTest() {
    write("train", "a b c\nb\na c\n", "u v\nw\nv u w\n", "2-0 0-1 0-0\n\n1-2 0-0 1-2\n");
    options.align_suffix = "align";
  }

  void write(const std::string& name,
             std::string_view source,
             std::string_view target,
             std::string_view alignments) {
    PreprocessCase::write(name, source, target);
    folder.write(name + ".align", alignments);
  }
  std::vector<std::vector<int64_t>> stored(const std::string& split = "train") const {
    const IndexedDataset links = data().alignments(split);
    std::vector<std::vector<int64_t>> all;
    for (int64_t i = 0; i < links.size(); ++i) all.push_back(links.get(i));
    return all;
  }
};

TEST_F(PreprocessAlignmentsTest, StoresLinksAsTheyAreWritten) {
  run();
  EXPECT_THAT(stored(),
              ElementsAre(ElementsAre(2, 0, 0, 1, 0, 0), IsEmpty(), ElementsAre(1, 2, 0, 0, 1, 2)));
  const nlohmann::json record = data().manifest().at("splits").at("train").at("en");
  EXPECT_EQ(record["alignments"]["links"], 6);
  EXPECT_EQ(record["alignments"]["refused"], 0);
}

TEST_F(PreprocessAlignmentsTest, WritesTheFilesOfFairseq) {
  const std::string golden = PHRASEQ_SOURCE_FOLDER "/tests/golden/fairseq_align/";
  options.source_lang = "xx";
  options.target_lang = "yy";
  options.trainpref = golden + "train";
  run();
  for (const char* name :
       {"train.align.xx-yy.bin", "train.align.xx-yy.idx", "dict.xx.txt", "dict.yy.txt"})
    EXPECT_TRUE(read_file(options.destdir + "/" + name) == read_file(golden + name)) << name;
}

TEST_F(PreprocessAlignmentsTest, NamesTheLineOfALinkOutsideOfItsSentences) {
  write("train", "a b c\nb\na c\n", "u v\nw\nv u w\n", "2-0\n\n1-2 2-0\n");
  EXPECT_THAT(message(),
              AllOf(HasSubstr("train.align:3"),
                    HasSubstr("the link 2-0 is outside the sentences of 2 and 3 words")));
  write("train", "a b c\nb\na c\n", "u v\nw\nv u w\n", "2-0\n0:0\n1-2\n");
  EXPECT_THAT(message(), AllOf(HasSubstr("train.align:2"), HasSubstr("'0:0'")));
  options.on_bad_alignment = OnBadAlignment::kSkip;
  run();
  EXPECT_THAT(stored(), ElementsAre(ElementsAre(2, 0), IsEmpty(), ElementsAre(1, 2)));
}

TEST_F(PreprocessAlignmentsTest, NamesTheFileWithAnotherNumberOfLines) {
  folder.write("train.align", "0-0\n0-0\n");
  EXPECT_THAT(message(),
              AllOf(HasSubstr("train.align has 2"),
                    HasSubstr("Line n of the alignment file must be the alignment of line n")));
}

TEST_F(PreprocessAlignmentsTest, NeedsOnlyTheFileOfTheTrainingText) {
  folder.write("valid.en", "a\n");
  folder.write("valid.de", "u\n");
  options.validpref = {folder.file("valid")};
  run();
  EXPECT_FALSE(data().has_alignments("valid"));
  EXPECT_TRUE(data().has_alignments("train"));
  EXPECT_FALSE(DataFolder::open(options.destdir, "de", "en").has_alignments("train"));
  options.align_suffix = "links";
  options.overwrite = true;
  EXPECT_THAT(message(), HasSubstr("train.links"));
}

TEST_F(PreprocessAlignmentsTest, LeavesOutTheAlignmentsOfSkippedLines) {
  write("train", "a b c\nb\xff\na c\n", "u v\nw\nv u w\n", "2-0\n0-0\n1-2\n");
  options.on_bad_line = OnBadLine::kSkip;
  run();
  EXPECT_THAT(stored(), ElementsAre(ElementsAre(2, 0), ElementsAre(1, 2)));
}

TEST_F(PreprocessAlignmentsTest, GathersTheAlignmentsOfShards) {
  run();
  const auto whole = stored();
  options.srcdict = options.destdir + "/dict.en.txt";
  options.tgtdict = options.destdir + "/dict.de.txt";
  options.destdir = folder.file("parts");
  options.shards.num_shards = "2";
  for (options.shards.shard_id = 0; options.shards.shard_id < 2; ++options.shards.shard_id) run();
  const auto parts = find_shards(options.destdir, 2);
  options.destdir = folder.file("gathered");
  gather_folders(parts, options.destdir, false);
  EXPECT_EQ(stored(), whole);
}

}  // namespace
}  // namespace phraseq
