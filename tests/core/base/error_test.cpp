#include "core/base/error.h"

#include <cerrno>

#include <gtest/gtest.h>

namespace phraseq {
namespace {

TEST(Error, PutsTheHintOnALineOfItsOwn) {
  const UsageError error("--beam: 0 is out of range", "Give 1 or more.");
  EXPECT_STREQ(error.what(), "--beam: 0 is out of range\n  Give 1 or more.");
  EXPECT_EQ(error.message(), "--beam: 0 is out of range");
  EXPECT_EQ(error.hint(), "Give 1 or more.");
}

TEST(Error, IsTheMessageAloneWithoutAHint) {
  EXPECT_STREQ(FormatError("a.bin: too short").what(), "a.bin: too short");
}

TEST(Error, ShowsNulBytesInsteadOfEndingThere) {
  const UsageError error(std::string_view("unknown task 'a\0b'", 18), "See \"help\".");
  EXPECT_STREQ(error.what(), "unknown task 'a\\x00b'\n  See \"help\".");
  EXPECT_EQ(error.message(), "unknown task 'a\\x00b'");
}

TEST(Error, HasAnExitCodeForEachRemedy) {
  EXPECT_EQ(UsageError("").exit_code(), 2);
  EXPECT_EQ(DataError("").exit_code(), 3);
  EXPECT_EQ(FormatError("").exit_code(), 4);
  EXPECT_EQ(PluginError("").exit_code(), 5);
  EXPECT_EQ(IoError("a", "read", 0).exit_code(), 6);
  EXPECT_EQ(DivergenceError("").exit_code(), 7);
}

TEST(TextPlace, OmitsWhatIsNotKnown) {
  EXPECT_EQ(to_string(TextPlace{"train.de", 0, 0}), "train.de");
  EXPECT_EQ(to_string(TextPlace{"train.de", 1042, 0}), "train.de:1042");
  EXPECT_EQ(to_string(TextPlace{"train.de", 1042, 57}), "train.de:1042:57");
}

TEST(DataError, BeginsWithThePlace) {
  const DataError error(TextPlace{"train.de", 7, 3}, "invalid UTF-8 (0xC3 0x28)", "Drop it.");
  EXPECT_STREQ(error.what(), "train.de:7:3: invalid UTF-8 (0xC3 0x28)\n  Drop it.");
}

TEST(IoError, ReportsPathStepAndReason) {
  EXPECT_STREQ(IoError("out/a.bin", "write", ENOSPC).what(),
               "out/a.bin: cannot write: No space left on device");
  EXPECT_STREQ(IoError("out/a.bin", "open", 0).what(), "out/a.bin: cannot open");
}

TEST(Error, IsCaughtByItsRoot) {
  try {
    throw IoError("a", "fsync", EIO);
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), kExitIo);
  }
}

}  // namespace
}  // namespace phraseq
