#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/corpus/data_folder.h"
#include "core/corpus/preprocess.h"
#include "core/corpus/shards/folder_gatherer.h"
#include "core/corpus/shards/gather_options.h"
#include "core/corpus/shards/shard_files.h"
#include "core/io/mapping/mapped_file.h"
#include "core/options/option_text.h"
#include "core/text/word_tokenizer.h"
#include "tests/core/io/temporary_folder.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

ChosenTokenizer plain_words() {
  return {"word", {{"lowercase", false}}, [](const TokenizerSetup&) {
            return std::make_unique<WordTokenizer>(false);
          }};
}

/// Shards that `preprocess` wrote, with trees and phrases.
class GatherFolders : public ::testing::Test {
 protected:
  void SetUp() override {
    set_log_quiet(true);
    for (int line = 0; line < 11; ++line) {
      // One line in the middle is bad, so that lines and sentences have different numbers.
      source += line == 4 ? "\x01\n" : "a w" + std::to_string(line % 3) + " red house\n";
      target += "ein rotes Haus v" + std::to_string(line) + "\n";
      trees +=
          line == 7 ? "\n" : "(S (A a) (B w" + std::to_string(line % 3) + ") (C red) (D house))\n";
    }
    write_text("train", source, target, trees);
    write_text("valid", "a\nb\n", "x\ny\n", "(S a)\n\n");
    folder.write(
        "table",
        "red house ||| rotes Haus ||| others ||| 0.9 ||| 4\nw1 ||| v1 ||| others ||| 0.5 ||| 3\n");
    run("dict", /*shards=*/"1", -1, [](PreprocessOptions& o) { o.dict_only = true; });
  }

  void write_text(const std::string& name,
                  const std::string& de,
                  const std::string& en,
                  const std::string& brackets) {
    folder.write(name + ".de", de);
    folder.write(name + ".en", en);
    folder.write(name + ".de.trees", brackets);
  }

  void run(const std::string& destination,
           const std::string& shards,
           int64_t shard,
           const std::function<void(PreprocessOptions&)>& change = {}) {
    PreprocessOptions options;
    options.source_lang = "de";
    options.target_lang = "en";
    options.trainpref = folder.file("train");
    options.validpref = {folder.file("valid")};
    options.destdir = folder.file(destination);
    options.on_bad_line = OnBadLine::kSkip;
    options.trees = true;
    options.memory.phrase_table = folder.file("table");
    options.shards.num_shards = shards;
    options.shards.shard_id = shard;
    options.overwrite = true;
    if (destination != "dict") {
      options.srcdict = folder.file("dict/dict.de.txt");
      options.tgtdict = folder.file("dict/dict.en.txt");
    }
    if (change)
      change(options);
    OptionTable table;
    options.describe(table);
    for (OptionField& field : table.fields()) {
      if (field.name == "destdir")
        field.from_text("elsewhere", OptionOrigin::kCommandLine);  // all shards record the same
    }
    nlohmann::json recorded = to_json(table, true);
    options.destdir = folder.file(destination);
    preprocess(options, plain_words(), recorded);
  }

  void write_shards(int64_t count) {
    for (int64_t shard = 0; shard < count; ++shard) run("out", std::to_string(count), shard);
  }

  void gather(bool overwrite = false) {
    gather_folders(find_shards(folder.file("out")), folder.file("out"), overwrite);
  }

  std::string message() {
    return whole_message_of([&] { gather(/*overwrite=*/true); });
  }

  TemporaryFolder folder;
  std::string source, target, trees;
};

TEST_F(GatherFolders, GivesTheBytesOfOneProcess) {
  run("one", "1", -1);
  for (const int64_t count : {2, 3, 16}) {
    write_shards(count);
    gather(/*overwrite=*/true);
    size_t files = 0;
    for (const auto& entry : fs::directory_iterator(folder.file("one"))) {
      const std::string name = entry.path().filename();
      EXPECT_TRUE(read_file(entry.path()) == read_file(folder.file("out/" + name)))
          << name << " of " << count << " shards:\n"
          << (name == "manifest.json" ? read_file(folder.file("out/" + name)) : "");
      ++files;
    }
    EXPECT_EQ(files, 22U);
    EXPECT_NO_THROW(DataFolder::open(folder.file("out")).trees("train", "de"));
    for (const std::string& shard : find_shards(folder.file("out"))) fs::remove_all(shard);
  }
}

TEST_F(GatherFolders, MayUseAnyShardAsADataFolder) {
  write_shards(3);
  const auto shard = DataFolder::open(folder.file("out.shard-1-of-3"));
  EXPECT_EQ(shard.dataset("train", "de").size(), 3);  // sentences 2, 5, 8 of 10
  EXPECT_EQ(shard.dataset("valid", "de").size(), 2);
  const auto target_side = shard.dataset("train", "en");
  const auto dictionary = shard.dictionary("en");
  EXPECT_EQ(dictionary.decode(target_side.get(0)), "ein rotes Haus v1");
  EXPECT_EQ(dictionary.decode(target_side.get(1)), "ein rotes Haus v5");  // line 5 was left out
}

TEST_F(GatherFolders, NamesAMissingShardAndOneOfAnotherRun) {
  write_shards(2);
  fs::remove_all(folder.file("out.shard-1-of-2"));
  EXPECT_THAT(message(), HasSubstr("1 of 2 shards is missing: 1"));
  write_text("train", source, "x" + target, trees);
  run("out", "2", 1);
  EXPECT_THAT(message(), HasSubstr("their manifests differ in splits.train.en.input_crc32c"));
  write_text("train", source, target, trees);
  const std::string other = folder.write("other.txt", "ein 1\n");
  run("out", "2", 1, [&](PreprocessOptions& o) { o.tgtdict = other; });
  EXPECT_THAT(message(), HasSubstr("their manifests differ in dictionaries.en.crc32c"));
}

TEST_F(GatherFolders, RejectsARenamedShardAndADamagedOne) {
  write_shards(2);
  fs::remove_all(folder.file("out.shard-1-of-2"));
  fs::copy(folder.file("out.shard-0-of-2"), folder.file("out.shard-1-of-2"));
  EXPECT_THAT(message(), HasSubstr("does not say that this is shard 1 of 2"));
  run("out", "2", 1);
  const std::string ids = folder.file("out.shard-1-of-2/train.de-en.de.bin");
  std::string bytes = read_file(ids);
  bytes[0] = static_cast<char>(bytes[0] + 1);
  folder.write("out.shard-1-of-2/train.de-en.de.bin", bytes);
  EXPECT_THAT(message(), HasSubstr("train.de-en.de.bin: CRC-32C"));
  EXPECT_FALSE(fs::exists(folder.file("out"))) << "a failure leaves no result";
}

TEST_F(GatherFolders, DoesNotReplaceADataFolderUnasked) {
  write_shards(2);
  gather();
  EXPECT_THROW(gather(), UsageError);
  EXPECT_NO_THROW(gather(/*overwrite=*/true));
  fs::remove(folder.file("out/manifest.json"));  // as fairseq's
  EXPECT_THROW(gather(), UsageError);
  for (const char* name : {"dict.de.txt", "train.de-en.de.idx", "valid.de-en.de.bin"}) {
    fs::remove_all(folder.file("out"));
    fs::create_directory(folder.file("out"));
    folder.write(std::string("out/") + name, "");
    EXPECT_THROW(gather(), UsageError) << name;
    EXPECT_EQ(read_file(folder.file(std::string("out/") + name)), "") << name;
  }
}

TEST_F(GatherFolders, DoesNotRemoveTheResultWithAShard) {
  write_shards(2);
  GatherOptions options;
  options.name = folder.file("out");
  options.delete_shards = options.overwrite = true;
  for (const char* within : {"out.shard-0-of-2", "out.shard-1-of-2/all", "./out.shard-0-of-2/"}) {
    options.output = folder.file(within);
    EXPECT_THAT(whole_message_of([&] { phraseq::gather(options); }), HasSubstr("which is read"));
  }
  options.output = folder.file("out.shard-0-of-2-gathered");
  EXPECT_NO_THROW(phraseq::gather(options));
  EXPECT_FALSE(fs::exists(folder.file("out.shard-0-of-2")));
}

}  // namespace
}  // namespace phraseq
