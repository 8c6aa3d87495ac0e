#include "core/convert/torch/zip_archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"

namespace phraseq {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kContent = "123456789";
constexpr uint64_t kContentCrc = 0xCBF43926;  // the published check value
constexpr uint64_t kIn64Bits = 0xFFFFFFFF;

std::string number_bytes(uint64_t value, size_t bytes) {
  std::string text;
  for (size_t i = 0; i < bytes; ++i) text.push_back(static_cast<char>(value >> (8 * i)));
  return text;
}

/// Fields of two bytes, the size of most fields.
std::string shorts(std::initializer_list<uint64_t> values) {
  std::string text;
  for (const uint64_t value : values) text += number_bytes(value, 2);
  return text;
}

struct ArchiveOptions {
  uint64_t method = 0;
  uint64_t crc = kContentCrc;
  bool large = false;  ///< 64-bit sizes and directory
  std::string comment{};
};

/// An archive of one entry, "x/data".
std::string archive_of(const ArchiveOptions& options) {
  const std::string name = "x/data";
  const uint64_t size = kContent.size();
  const std::string sizes =
      number_bytes(options.crc, 4) + number_bytes(size, 4) + number_bytes(size, 4);
  std::string file = "PK\x03\x04" + shorts({20, 0, options.method, 0, 0}) + sizes +
                     shorts({name.size(), 3}) + name + "???" + std::string(kContent);
  const uint64_t directory = file.size();
  const std::string large_sizes = number_bytes(kIn64Bits, 4) + number_bytes(kIn64Bits, 4);
  const std::string extra = options.large
                                ? shorts({7, 1}) + "?" + shorts({1, 24}) + number_bytes(size, 8) +
                                      number_bytes(size, 8) + number_bytes(0, 8)
                                : std::string();
  file += "PK\x01\x02" + shorts({20, 20, 0, options.method, 0, 0}) +
          (options.large ? number_bytes(options.crc, 4) + large_sizes : sizes) +
          shorts({name.size(), extra.size(), 0, 0, 0, 0, 0}) +
          number_bytes(options.large ? kIn64Bits : 0, 4) + name + extra;
  if (options.large) {
    const uint64_t end = file.size();
    file += "PK\x06\x06" + number_bytes(44, 8) + shorts({45, 45, 0, 0, 0, 0}) + number_bytes(1, 8) +
            number_bytes(1, 8) + number_bytes(end - directory, 8) + number_bytes(directory, 8);
    file += "PK\x06\x07" + number_bytes(0, 4) + number_bytes(end, 8) + number_bytes(1, 4);
  }
  return file + "PK\x05\x06" +
         shorts(
             {0, 0, options.large ? 0xFFFF : uint64_t{1}, options.large ? 0xFFFF : uint64_t{1}}) +
         number_bytes(0, 4) + number_bytes(options.large ? kIn64Bits : directory, 4) +
         shorts({options.comment.size()}) + options.comment;
}

std::string content_of_archive(const std::string& bytes, const std::string& entry = "x/data") {
  try {
    const ZipArchive archive(std::as_bytes(std::span(bytes)), "file");
    const auto content = archive.read(entry);
    return {reinterpret_cast<const char*>(content.data()), content.size()};
  } catch (const FormatError& problem) {
    return problem.message();
  }
}

TEST(ZipArchive, ReadsEntriesWithSizesOf32And64Bits) {
  EXPECT_EQ(content_of_archive(archive_of({})), kContent);
  EXPECT_EQ(content_of_archive(archive_of({.large = true})), kContent);
  EXPECT_EQ(content_of_archive(archive_of({.comment = "a comment PK"})), kContent);
  const std::string bytes = archive_of({});
  EXPECT_THAT(ZipArchive(std::as_bytes(std::span(bytes)), "file").names(), ElementsAre("x/data"));
}

TEST(ZipArchive, NamesWhatIsWrong) {
  EXPECT_THAT(content_of_archive(archive_of({.method = 8})), HasSubstr("'x/data' is compressed"));
  EXPECT_THAT(content_of_archive(archive_of({.crc = 5})), HasSubstr("do not match their CRC-32"));
  EXPECT_THAT(content_of_archive(archive_of({}), "y"), HasSubstr("no entry 'y'"));
  EXPECT_THAT(content_of_archive("PK"), HasSubstr("no directory at the end of its 2 bytes"));
}

TEST(ZipArchive, RejectsEveryCut) {
  for (const bool large : {false, true}) {
    const std::string bytes = archive_of({.large = large});
    for (size_t length = 0; length < bytes.size(); ++length)
      EXPECT_THAT(content_of_archive(bytes.substr(0, length)), HasSubstr("file: damaged"))
          << length;
  }
}

}  // namespace
}  // namespace phraseq
