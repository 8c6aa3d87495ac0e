#include "core/io/crc32c.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace phraseq {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

TEST(Crc32c, GivesThePublishedCheckValue) {
  EXPECT_EQ(crc32c(bytes_of("123456789")), 0xE3069283U);
  EXPECT_EQ(crc32c_by_table(bytes_of("123456789")), 0xE3069283U);
}

TEST(Crc32c, GivesTheValuesOfRfc3720) {
  EXPECT_EQ(crc32c(bytes_of(std::string(32, '\0'))), 0x8A9136AAU);
  EXPECT_EQ(crc32c(bytes_of(std::string(32, '\xff'))), 0x62A8AB43U);
  EXPECT_EQ(crc32c({}), 0U);
}

TEST(Crc32c, IsTheSameByInstructionAndByTableAtEveryLengthAndAlignment) {
  std::string text;
  for (int i = 0; i < 61; ++i) text += static_cast<char>(i * 37 + 11);
  for (size_t begin = 0; begin < 9; ++begin) {
    for (size_t length = 0; begin + length <= text.size(); ++length) {
      const auto part = bytes_of(text).subspan(begin, length);
      ASSERT_EQ(crc32c(part, 7), crc32c_by_table(part, 7)) << begin << " " << length;
    }
  }
}

TEST(Crc32c, IsTheSameByInstructionAndByTableWithManyBytes) {
  std::string text;
  for (int i = 0; i < 40000; ++i) text += static_cast<char>(i * i % 251);
  for (const size_t length : {12287, 12288, 12289, 24575, 24576, 24583, 40000}) {
    const auto part = bytes_of(text).subspan(0, length);
    EXPECT_EQ(crc32c(part, 7), crc32c_by_table(part, 7)) << length;
  }
}

TEST(Crc32c, ContinuesOverPieces) {
  const uint32_t first = crc32c(bytes_of("12345"));
  EXPECT_EQ(crc32c(bytes_of("6789"), first), 0xE3069283U);
}

}  // namespace
}  // namespace phraseq
