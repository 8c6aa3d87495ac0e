#include "core/corpus/preprocess.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <signal.h>
#include <string>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "core/corpus/data_folder.h"
#include "core/corpus/preprocess_inputs.h"
#include "core/io/mapping/mapped_file.h"
#include "tests/core/corpus/preprocess_case.h"
#include "tests/core/io/child_process.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class PreprocessTest : public PreprocessCase {
 protected:
  PreprocessTest() : PreprocessCase("de", "en") {
    write("train", "b a a\nb c\n", "x y\nx\n");
    options.padding_factor = 1;
  }

  std::string written(const std::string& name) { return read_file(folder.file("out/" + name)); }
  std::vector<int64_t> sentence(const std::string& language,
                                int64_t number,
                                const std::string& split = "train") {
    return data().dataset(split, language).get(number);
  }
  /// Whether the run left nothing: no result and no temporary folder.
  void expect_no_trace(size_t files_before) { EXPECT_EQ(folder.entries(), files_before); }
};

TEST_F(PreprocessTest, WritesDictionariesDataAndManifest) {
  run();
  EXPECT_EQ(written("dict.de.txt"), "a 2\nb 2\nc 1\n");
  EXPECT_EQ(written("dict.en.txt"), "x 2\ny 1\n");
  EXPECT_THAT(sentence("de", 0), ElementsAre(5, 4, 4, kEos));
  EXPECT_THAT(sentence("de", 1), ElementsAre(5, 6, kEos));
  EXPECT_THAT(sentence("en", 1), ElementsAre(4, kEos));
  const DataFolder made = data();
  EXPECT_EQ(made.source(), "de");
  EXPECT_EQ(made.tokenizer(), "word");
  EXPECT_THAT(made.splits(), ElementsAre("train"));
  EXPECT_EQ(made.manifest()["splits"]["train"]["de"]["tokens"], 7);
  EXPECT_NO_THROW(made.dictionary("de"));
}

TEST_F(PreprocessTest, EqualsFairseqByteForByte) {
  const char* place = std::getenv("PHRASEQ_DATA");
  if (place == nullptr)
    GTEST_SKIP() << "PHRASEQ_DATA is not set";
  const std::string data = place;
  options.source_lang = "en";
  options.target_lang = "de";
  options.trainpref = data + "/multi30k/train";
  options.validpref = {data + "/multi30k/val"};
  options.testpref = {data + "/multi30k/test_2016_flickr"};
  options.joined_dictionary = true;
  options.padding_factor = 8;
  options.workers = 2;
  options.subword_model = data + "/fairseq/spm10k.model";
  run(subword_tokenizer());
  int compared = 0;
  for (const auto& entry : fs::directory_iterator(data + "/fairseq/data-bin")) {
    const std::string name = entry.path().filename();
    EXPECT_TRUE(written(name) == read_file(entry.path())) << name;
    ++compared;
  }
  EXPECT_EQ(compared, 14);
}

TEST_F(PreprocessTest, GivesTheSameBytesForAnyNumberOfWorkers) {
  std::string source;
  std::string target;
  for (int line = 0; line < 60'000; ++line) {
    source += "w" + std::to_string(line % 701) + " w" + std::to_string(line % 13) +
              " some text to fill it\n";
    target += "v" + std::to_string(line % 89) + "\n";
  }
  write("train", source, target);  // several chunks
  run();
  const std::string ids = written("train.de-en.de.bin");
  const std::string index = written("train.de-en.de.idx");
  options.workers = 3;
  options.overwrite = true;
  run();
  EXPECT_TRUE(written("train.de-en.de.bin") == ids);
  EXPECT_TRUE(written("train.de-en.de.idx") == index);
}

/// The peak memory of a process that preprocesses, in KiB.
long peak_memory(const PreprocessOptions& options) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      preprocess(options, word_tokenizer(), nullptr);
    } catch (const Error& error) {
      ::_exit(error.exit_code());
    }
    ::_exit(0);
  }
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  EXPECT_EQ(status, 0);
  return usage.ru_maxrss;
}

// If 28 bytes were kept for each pair, 16 MiB more would be needed. Pages of files that are read
// vary by up to 5 MiB.
TEST_F(PreprocessTest, NeedsNoMoreMemoryForMoreText) {
  std::string source;
  std::string target;
  for (int line = 0; line < 300'000; ++line) {
    source += "a b " + std::to_string(line % 100) + "\n";
    target += "x\n";
  }
  write("train", source, target);
  const long small = peak_memory(options);
  std::ofstream(folder.file("train.de"), std::ios::app) << source << source;
  std::ofstream(folder.file("train.en"), std::ios::app) << target << target;
  options.overwrite = true;
  const long large = peak_memory(options);
  EXPECT_LT(large - small, 16 * 1024) << small << " KiB and " << large << " KiB";
}

TEST_F(PreprocessTest, NeverMakesAnotherLanguagePairUnusable) {
  run();
  write("train", "a\n", "b\n");
  folder.write("train.fr", "c\n");
  options.source_lang = "fr";
  for (const bool overwrite : {false, true}) {
    options.overwrite = overwrite;
    EXPECT_THAT(message(),
                AllOf(HasSubstr(options.destdir + " contains data of de-en\n"),
                      HasSubstr("give --destdir " + options.destdir + "/fr-en.")));
  }
  EXPECT_EQ(data().source(), "de");
  for (const std::string language : {"de", "en"}) {
    fs::remove(options.destdir + "/train.de-en." + language + ".idx");
  }
  EXPECT_EQ(message(), kNothingThrown) << "the files of the other pair are gone";
  EXPECT_EQ(data().source(), "fr");
  std::swap(options.source_lang, options.target_lang);
  EXPECT_EQ(message(), kNothingThrown) << "the other direction has the same files";
}

TEST_F(PreprocessTest, NeverHidesThePairsOfAFolderOfFairseq) {
  run();
  fs::remove(options.destdir + "/manifest.json");
  folder.write("train.fr", "c\nd\n");
  options.source_lang = "fr";
  options.overwrite = true;
  EXPECT_THAT(message(), HasSubstr("contains data of de-en\n"));
}

TEST_F(PreprocessTest, CountsWhatTheDictionaryDoesNotKnow) {
  write("valid", "a zzz <unk>\n", "x q\n");
  options.validpref = {folder.file("valid")};
  options.thresholdsrc = 2;
  run();
  const auto manifest = data().manifest();
  EXPECT_EQ(written("dict.de.txt"), "a 2\nb 2\n");
  EXPECT_EQ(manifest["splits"]["train"]["de"]["replaced"], 1);  // c
  EXPECT_EQ(manifest["splits"]["valid"]["de"]["replaced"], 1);  // zzz; <unk> is in the text
  EXPECT_THAT(sentence("de", 0, "valid"), ElementsAre(4, kUnk, kUnk, kEos));
}

TEST_F(PreprocessTest, WarnsOfAValidationTextWithoutWords) {
  const auto warning = [&](std::string_view source, std::string_view target) {
    write("valid", source, target);
    options.validpref = {folder.file("valid")};
    options.overwrite = true;
    ::testing::internal::CaptureStderr();
    run();
    return ::testing::internal::GetCapturedStderr();
  };
  EXPECT_THAT(warning("", ""), HasSubstr("valid.de: the split 'valid' contains no text"));
  EXPECT_THAT(warning("\n", "\n"), HasSubstr("contains no text"));
  EXPECT_THAT(warning("\na\n", "x\nx\n"), Not(HasSubstr("contains no text")));
}

TEST_F(PreprocessTest, JoinsDictionariesAndTakesGivenOnes) {
  options.joined_dictionary = true;
  run();
  EXPECT_EQ(written("dict.de.txt"), "a 2\nb 2\nx 2\nc 1\ny 1\n");
  EXPECT_EQ(written("dict.en.txt"), written("dict.de.txt"));
  options.joined_dictionary = false;
  options.overwrite = true;
  options.srcdict = folder.write("given.txt", "c 9\n");
  run();
  EXPECT_EQ(written("dict.de.txt"), "c 9\n");
  EXPECT_THAT(sentence("de", 1), ElementsAre(kUnk, 4, kEos));
  EXPECT_EQ(written("dict.en.txt"), "x 2\ny 1\n");
}

TEST_F(PreprocessTest, WarnsOfADictionaryOfAnotherText) {
  const auto warning = [&](std::string_view dictionary) {
    options.srcdict = folder.write("given.txt", std::string(dictionary));
    options.overwrite = true;
    ::testing::internal::CaptureStderr();
    run();
    return ::testing::internal::GetCapturedStderr();
  };
  EXPECT_THAT(warning("▁a 9\n"),
              HasSubstr("train.de: more than half of the tokens are not in the dictionary"));
  EXPECT_THAT(warning("a 9\nb 9\n"), Not(HasSubstr("more than half")));
}

TEST_F(PreprocessTest, WarnsOfLearnedSubwordsThatTheTrainingTextHasOnlyAsPartsOfOthers) {
  std::string text;
  for (int line = 0; line < 50; ++line) text += "abab abab\n";
  write("train", text, text);
  write("valid", "abab abab abab abab\n", "abab abab abab b\n");
  options.validpref = {folder.file("valid")};
  options.subwords = 9;
  ::testing::internal::CaptureStderr();
  run(subword_tokenizer());
  const std::string errors = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(errors,
              HasSubstr("valid." + options.target_lang + ": 33% of the tokens become <unk>"));
  EXPECT_THAT(errors, Not(HasSubstr("valid." + options.source_lang)));
}

TEST_F(PreprocessTest, DoesNotWarnOfASmallDictionaryOfTheSameText) {
  options.nwordssrc = 5;
  ::testing::internal::CaptureStderr();
  run();
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), Not(HasSubstr("more than half")));
}

TEST_F(PreprocessTest, RefusesAGivenDictionaryWithoutSymbols) {
  options.srcdict = folder.write("given.txt", "");
  EXPECT_THAT(message(), HasSubstr("given.txt: the dictionary has no symbols"));
}

TEST_F(PreprocessTest, WritesTextOfOneLanguageUnderFairseqsNames) {
  options.only_source = true;
  options.source_lang = options.target_lang = "";
  folder.write("text", "b a a\nb c\n");
  options.trainpref = folder.file("text");
  run();
  for (const char* name : {"dict.txt", "train.bin", "train.idx", "manifest.json"})
    EXPECT_TRUE(fs::exists(folder.file("out") + "/" + name)) << name;
  const auto made = DataFolder::open_monolingual(folder.file("out"));
  EXPECT_EQ(made.source(), "");
  EXPECT_EQ(made.dictionary("").size(), 7);
  EXPECT_EQ(made.dataset("train", "").get(0), (std::vector<int64_t>{5, 4, 4, 2}));
  EXPECT_THAT(message(), HasSubstr("dict.txt exists"));
}

TEST_F(PreprocessTest, NamesTextOfOneLanguageAfterItAndItsGivenTarget) {
  options.only_source = true;
  options.target_lang = "";
  run();
  EXPECT_TRUE(fs::exists(folder.file("out") + "/train.de-None.de.idx"));
  EXPECT_EQ(DataFolder::open_monolingual(folder.file("out")).source(), "de");
  options.target_lang = "en";
  options.joined_dictionary = true;
  options.srcdict = folder.file("out") + "/dict.de.txt";
  options.destdir = folder.file("pair");
  run();
  EXPECT_TRUE(fs::exists(folder.file("pair") + "/train.de-en.de.idx"));
  EXPECT_FALSE(fs::exists(folder.file("pair") + "/train.de-en.en.idx"));
}

TEST_F(PreprocessTest, ServesEitherSideOfAPairAsTextOfOneLanguage) {
  run();
  const auto english = DataFolder::open_monolingual(folder.file("out"), "en");
  EXPECT_EQ(english.source(), "en");
  EXPECT_EQ(english.dataset("train", "en").size(), 2);
  EXPECT_THROW(DataFolder::open_monolingual(folder.file("out")), UsageError);
}

TEST_F(PreprocessTest, NumbersSeveralValidationSets) {
  write("v", "a\n", "x\n");
  write("w", "b\n", "y\n");
  options.validpref = {folder.file("v"), folder.file("w")};
  run();
  EXPECT_THAT(data().splits(), ElementsAre("train", "valid", "valid1"));
  EXPECT_THAT(sentence("en", 0, "valid1"), ElementsAre(5, kEos));
}

TEST_F(PreprocessTest, LearnsOneSubwordModelPerLanguageOrOneForBoth) {
  std::string source;
  std::string target;
  for (int line = 0; line < 50; ++line) {
    source += "der neue und der alte fluss\n";
    target += "the newer and the older river\n";
  }
  write("train", source, target);
  options.subwords = 20;
  run(subword_tokenizer());
  const auto apart = data();
  EXPECT_EQ(apart.tokenizer(), "sentencepiece");
  EXPECT_EQ(apart.tokenizer_model("de"), folder.file("out/sentencepiece.de.model"));
  EXPECT_NE(read_file(apart.tokenizer_model("de")), read_file(apart.tokenizer_model("en")));
  const SentencePieceTokenizer tokenizer(read_file(apart.tokenizer_model("en")), "en");
  std::vector<std::string> pieces;
  for (const int64_t id : sentence("en", 0)) {
    if (id != kEos)
      pieces.push_back(apart.dictionary("en").symbol(id));
  }
  EXPECT_EQ(tokenizer.decode(pieces), "the newer and the older river");

  options.joined_dictionary = true;
  options.destdir = folder.file("joint");
  run(subword_tokenizer());
  const auto joint = data();
  EXPECT_EQ(joint.tokenizer_model("de"), folder.file("joint/sentencepiece.model"));
  EXPECT_EQ(joint.tokenizer_model("en"), joint.tokenizer_model("de"));
}

TEST_F(PreprocessTest, KeepsEmptyLinesAsPairs) {
  write("train", "a\n\nb\n", "x\ny\n\n");
  run();
  EXPECT_THAT(sentence("de", 1), ElementsAre(kEos));
  EXPECT_THAT(sentence("en", 2), ElementsAre(kEos));
}

TEST_F(PreprocessTest, ReadsCleanTextHoweverItsLinesEnd) {
  run();
  const std::string clean = written("train.de-en.de.bin");
  options.overwrite = true;
  for (const char* text : {"b a a\r\nb c\r\n",
                           "b a a\nb c",
                           "\xEF\xBB\xBF"
                           "b a a\nb c\n"}) {
    folder.write("train.de", text);
    run();
    EXPECT_EQ(written("train.de-en.de.bin"), clean);
    EXPECT_EQ(written("dict.de.txt"), "a 2\nb 2\nc 1\n");
  }
}

TEST_F(PreprocessTest, KeepsSeparatorsInsideALineOfTheText) {
  write("train",
        "a\rb\nc\xE2\x80\xA8"
        "d\xC2\x85"
        "e\n",
        "x\ny\n");
  run();
  EXPECT_EQ(data().dataset("train", "de").size(), 2);
  EXPECT_EQ(sentence("de", 1).size(), 4U);
}

TEST_F(PreprocessTest, RejectsDifferentLineCountsAndWritesNothing) {
  write("train", "a\nb\nc\n", "x\ny\n");
  EXPECT_THAT(message(),
              AllOf(HasSubstr("train.de has 3 lines"),
                    HasSubstr("train.en has 2"),
                    HasSubstr("line 3 of " + folder.file("train.de") + " has no counterpart")));
  expect_no_trace(2);
  write("train", "a\n", "x\ny\nz\n");
  EXPECT_THAT(message(), HasSubstr("line 2 of " + folder.file("train.en") + " has no counterpart"));
}

TEST_F(PreprocessTest, RejectsBadTextWithItsPlaceAndWritesNothing) {
  write("train", "a\nb \xC0\xAF\n", "x\ny\n");
  EXPECT_THAT(message(),
              AllOf(HasSubstr("train.de:2:3: invalid UTF-8: overlong encoding (0xC0 0xAF)"),
                    HasSubstr("--on-bad-line")));
  expect_no_trace(2);
}

TEST_F(PreprocessTest, SkipsBadLinesOnBothSidesAndCountsThem) {
  write("train", "a\nb \xFF\nc\nd\n", "x\ny\nz\x01\nw\n");
  options.on_bad_line = OnBadLine::kSkip;
  run();
  const DataFolder made = data();
  EXPECT_EQ(made.dataset("train", "de").size(), 2);
  EXPECT_EQ(written("dict.de.txt"), "a 1\nd 1\n");
  EXPECT_EQ(written("dict.en.txt"), "w 1\nx 1\n");
  EXPECT_EQ(made.manifest()["splits"]["train"]["skipped"], 2);
}

TEST_F(PreprocessTest, RepairsBadLinesOnDemand) {
  write("train", "a\xFFz\n", "x\x01y\n");
  options.on_bad_line = OnBadLine::kReplace;
  run();
  EXPECT_EQ(written("dict.de.txt"), "a\xEF\xBF\xBDz 1\n");
  EXPECT_EQ(written("dict.en.txt"), "x 1\ny 1\n");
}

TEST_F(PreprocessTest, OnlyChecksOnDemand) {
  options.check_only = true;
  EXPECT_EQ(message(), kNothingThrown);
  write("train", "a\nb\xFF\nc\xFF\n", "x\ny\nz\n");
  EXPECT_THAT(message(), HasSubstr("found 2 invalid lines; nothing was written"));
  expect_no_trace(2);
}

TEST_F(PreprocessTest, RejectsTextWithoutWords) {
  for (const char* text : {"", "\n\n", " \n\t\n"}) {
    write("train", text, text);
    EXPECT_THAT(message(), HasSubstr("there is no text to train on")) << text;
  }
  expect_no_trace(2);
}

TEST_F(PreprocessTest, ReportsWhichFileIsMissing) {
  options.validpref = {folder.file("nowhere")};
  EXPECT_THAT(message(), AllOf(HasSubstr("nowhere.de: cannot open"), HasSubstr("nowhere.de.gz")));
}

TEST_F(PreprocessTest, RejectsAPipeThatItWouldReadSeveralTimes) {
  const std::string pipe = folder.file("piped.de");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  folder.write("piped.en", "x\n");
  options.trainpref = folder.file("piped");
  try {
    find_splits(options);
    FAIL() << "nothing was thrown";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr(pipe), HasSubstr("write the text to a file")));
  }
  options.check_only = true;
  EXPECT_NO_THROW(find_splits(options));
}

TEST_F(PreprocessTest, DoesNotOverwriteAnEarlierResult) {
  run();
  const std::string before = written("manifest.json");
  EXPECT_THAT(message(),
              AllOf(HasSubstr("contains the result of an earlier run"), HasSubstr("--overwrite")));
  EXPECT_EQ(written("manifest.json"), before);
  write("train", "q\n", "r\n");
  options.overwrite = true;
  run();
  EXPECT_EQ(written("dict.de.txt"), "q 1\n");
  EXPECT_THAT(sentence("de", 0), ElementsAre(4, kEos));
}

TEST_F(PreprocessTest, DoesNotReplaceOtherFilesUnasked) {
  fs::create_directory(options.destdir);
  for (const std::string name : {"manifest.json", "train.de-en.de.bin"}) {
    folder.write("out/" + name, "mine");
    EXPECT_THAT(message(),
                AllOf(HasSubstr("out/" + name + " exists and would be replaced"),
                      HasSubstr("--overwrite")));
    EXPECT_EQ(written(name), "mine");
    EXPECT_EQ(std::distance(fs::directory_iterator(options.destdir), {}), 1) << name;
    fs::remove(options.destdir + "/" + name);
  }
  folder.write("out/notes", "mine");
  EXPECT_NO_THROW(run());
  EXPECT_EQ(written("notes"), "mine");
}

TEST_F(PreprocessTest, FindsAnUnusableDestinationBeforeItReadsText) {
  options.destdir = folder.write("file", "") + "/out";
  write("train", "\xFF\n", "x\n");
  EXPECT_THROW(run(), IoError);
  options.destdir = folder.file("file");
  EXPECT_THROW(run(), IoError);
}

TEST_F(PreprocessTest, LeavesNothingThatLooksCompleteWhenKilledAndRunsAgain) {
  for (const char* point :
       {"atomic_file.before_rename", "atomic_file.after_rename", "staging_folder.before_rename"}) {
    const int status = in_child([&] {
      const ActiveFailpoint fault((std::string(point) + ":kill").c_str());
      run();
    });
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << point;
    EXPECT_FALSE(fs::exists(options.destdir)) << point;
  }
  EXPECT_GT(folder.entries(), 2U);  // the remains of the killed runs
  run();
  EXPECT_EQ(folder.entries(), 3U);
  EXPECT_THAT(sentence("de", 1), ElementsAre(5, 6, kEos));
}

TEST_F(PreprocessTest, MarksAnOldFolderAsUnfinishedWhileItReplacesIt) {
  run();
  options.overwrite = true;
  const int status = in_child([&] {
    const ActiveFailpoint fault("staging_folder.before_last:kill");
    run();
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_THROW(data(), FormatError);
  run();
  EXPECT_EQ(data().source(), "de");
}

TEST_F(PreprocessTest, KeepsTheOldFolderWhenTheDiskIsFull) {
  std::string source;
  for (int line = 0; line < 5'000; ++line) source += "a b c d e f g h\n";
  run();
  const std::string before = written("train.de-en.de.bin");
  write("train", source, source);
  options.overwrite = true;
  const int status = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{20'000, 20'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    run();
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), kExitIo);
  EXPECT_EQ(written("train.de-en.de.bin"), before);
  EXPECT_EQ(data().dataset("train", "de").size(), 2);
  expect_no_trace(3);
}

TEST_F(PreprocessTest, NoticesAFlippedBitOfItsData) {
  run();
  const std::string good = written("train.de-en.de.bin");
  std::string bad = good;
  bad[2] ^= 1;  // another id of the dictionary
  folder.write("out/train.de-en.de.bin", bad);
  EXPECT_THROW(data().dataset("train", "de"), FormatError);
  folder.write("out/train.de-en.de.bin", good);
  EXPECT_NO_THROW(data().dataset("train", "de"));
}

TEST(PreprocessOptions, ReportsAllContradictionsTogether) {
  PreprocessOptions options;
  EXPECT_GE(options.problems().size(), 3U);
  options.source_lang = "de";
  options.target_lang = "en";
  options.trainpref = "train";
  EXPECT_THAT(options.problems(), ElementsAre());
  options.subwords = 100;
  options.subword_model = "m";
  options.tokenizer = "word";
  EXPECT_EQ(options.problems().size(), 2U);
}

class UnusedOptions : public ::testing::Test {
 protected:
  UnusedOptions() {
    options.source_lang = "de";
    options.target_lang = "en";
    options.trainpref = "train";
  }
  PreprocessOptions options;
};

TEST_F(UnusedOptions, IncludeModelsOfAnotherTokenizer) {
  options.subword_model = "m";
  for (const char* name : {"none", "word", "bpe", "moses"}) {
    options.tokenizer = name;
    EXPECT_THAT(options.problems(), ElementsAre(HasSubstr("need --tokenizer sentencepiece")))
        << name;
  }
  for (const char* name : {"auto", "sentencepiece", "of_a_plugin"}) {
    options.tokenizer = name;
    EXPECT_THAT(options.problems(), ElementsAre()) << name;
  }
  options.subword_model.clear();
  options.only_source = true;
  options.source_subword_model = options.target_subword_model = "m";
  EXPECT_THAT(options.problems(), ElementsAre(HasSubstr("do not use --target-subword-model")));
}

TEST_F(UnusedOptions, IncludeSettingsOfStepsThatAreOff) {
  options.subword_type = SentencePieceType::kUnigram;
  options.character_coverage = 0.9995;
  options.subword_sentences = 10;
  options.on_bad_tree = OnBadTree::kSkip;
  options.on_bad_alignment = OnBadAlignment::kSkip;
  options.pn_lowercase = true;
  EXPECT_EQ(options.problems().size(), 6U);
  options.subwords = 100;
  options.trees = true;
  options.align_suffix = "align";
  EXPECT_THAT(options.problems(), ElementsAre(HasSubstr("--pn-lowercase needs")));
}

TEST(PreprocessOptions, UnderstandsAutoAndNone) {
  PreprocessOptions options;
  EXPECT_EQ(options.tokenizer_component(), "word");
  options.subwords = 10;
  EXPECT_EQ(options.tokenizer_component(), "sentencepiece");
  options.tokenizer = "none";
  EXPECT_EQ(options.tokenizer_component(), "word");
}

}  // namespace
}  // namespace phraseq
