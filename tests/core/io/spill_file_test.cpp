#include "core/io/spill_file.h"

#include <cstdint>
#include <cstdlib>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/io/crc32c.h"
#include "core/io/mapping/mapped_file.h"
#include "tests/core/io/temporary_folder.h"

namespace phraseq {
namespace {

using ::testing::HasSubstr;

std::span<const std::byte> bytes_of(const std::vector<int32_t>& numbers) {
  return std::as_bytes(std::span(numbers));
}

TEST(SpillFile, ReturnsWhatWasWrittenAsOftenAsAsked) {
  const TemporaryFolder folder;
  SpillFile file(folder.file("x.idx"));
  std::vector<int32_t> written;
  for (int32_t i = 0; i < 200'001; ++i) {  // more than the buffer, not a multiple of it
    written.push_back(i * 7);
    file.write(bytes_of({i * 7}));
  }
  for (int pass = 0; pass < 2; ++pass) {
    file.rewind();
    std::vector<int32_t> found(written.size() + 5);
    const size_t got = file.read(std::as_writable_bytes(std::span(found)));
    ASSERT_EQ(got, written.size() * sizeof(int32_t));
    found.resize(written.size());
    EXPECT_EQ(found, written);
  }
  EXPECT_EQ(file.read(std::as_writable_bytes(std::span(written))), 0U);
  EXPECT_EQ(folder.entries(), 0U) << "the file has no name";
}

TEST(SpillFile, NamesTheFileThatItIsForWhenTheDiskIsFull) {
  const TemporaryFolder folder;
  SpillFile file(folder.file("x.idx"));
  file.write(bytes_of({1}));
  ::setenv("PHRASEQ_FAILPOINT", "spill_file.write:28", 1);
  try {
    file.rewind();
    ADD_FAILURE() << "no error";
  } catch (const IoError& error) {
    EXPECT_THAT(error.what(), HasSubstr("x.idx"));
    EXPECT_THAT(error.what(), HasSubstr("No space left on device"));
  }
  ::unsetenv("PHRASEQ_FAILPOINT");
  EXPECT_THROW(SpillFile(folder.file("missing/x.idx")), IoError);
}

TEST(Checksums, AreTheSameForAMappedFileAndOneThatIsReadPieceByPiece) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 5 << 19; ++i) text += static_cast<char>(i * 31 % 251);  // three windows
  for (const std::string& content : {text, std::string("123456789"), std::string()}) {
    const std::string file = folder.write("x", content);
    const uint32_t expected = crc32c(std::as_bytes(std::span(content)));
    const MappedFile mapped(file);
    EXPECT_EQ(mapped.crc32c(), expected);
    EXPECT_EQ(file_crc32c(file), expected);
    mapped.release();
    EXPECT_EQ(crc32c(mapped.bytes()), expected) << "released pages are read again";
  }
}

}  // namespace
}  // namespace phraseq
