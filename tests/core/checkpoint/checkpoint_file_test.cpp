#include "core/checkpoint/checkpoint_file.h"

#include <numeric>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/checkpoint/checkpoint_writer.h"
#include "phraseq/abi_stamp.h"
#include "tests/core/checkpoint/checkpoint_test_files.h"
#include "tests/support/file_content.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using testing::raw_file;
using testing::values_of;
using testing::view;
using testing::write_bytes;

const std::string kGolden = PHRASEQ_SOURCE_FOLDER "/tests/golden/checkpoint/";

/// The message with which a file is rejected.
std::string rejection(const std::string& path) {
  return whole_message_of<FormatError>([&] { CheckpointFile::open(path); });
}

std::string rejection_of(const TemporaryFolder& folder, std::string_view bytes) {
  write_bytes(folder.file("x"), bytes);
  return rejection(folder.file("x"));
}

/// Changes one byte of a file in place.
void overwrite(const std::string& path, size_t position, char byte) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(position)).put(byte);
}

TEST(CheckpointFile, GivesBackWhatWasWritten) {
  const TemporaryFolder folder;
  const std::vector<double> doubles = {0.1};
  const std::vector<float> floats = {1, -2, 3.5, 4, 5, 6};
  const std::vector<uint16_t> halves = {0x3C00, 0xC000, 0x7BFF};
  const std::vector<int64_t> longs = {-9, 1LL << 40};
  const std::vector<int32_t> ints = {-7};
  const std::vector<int16_t> shorts = {-5, 6};
  const std::vector<int8_t> chars = {-3};
  const std::vector<uint8_t> bytes = {0, 255, 7, 8, 9};
  const std::vector<float> nothing;
  const std::vector<TensorView> tensors = {view("z.bytes", DType::kU8, {5}, bytes),
                                           view("a.bool", DType::kBool, {1, 5}, bytes),
                                           view("floats", DType::kF32, {2, 3}, floats),
                                           view("scalar", DType::kF64, {}, doubles),
                                           view("half", DType::kF16, {3}, halves),
                                           view("brain", DType::kBF16, {3, 1}, halves),
                                           view("longs", DType::kI64, {2}, longs),
                                           view("ints", DType::kI32, {1}, ints),
                                           view("shorts", DType::kI16, {2}, shorts),
                                           view("chars", DType::kI8, {1}, chars),
                                           view("nothing", DType::kF32, {0, 4}, nothing)};
  write_checkpoint(folder.file("x"), {{"task", "Größe \"q\"\n"}, {"note", ""}}, tensors);

  const auto file = CheckpointFile::open(folder.file("x"));
  EXPECT_FALSE(file.is_foreign());
  EXPECT_EQ(file.writer_version(), PHRASEQ_VERSION);
  EXPECT_THAT(file.metadata(), ElementsAre(Pair("note", ""), Pair("task", "Größe \"q\"\n")));
  ASSERT_EQ(file.tensors().size(), tensors.size());
  for (const auto& written : tensors) {
    const TensorView* read = file.find(written.name);
    ASSERT_NE(read, nullptr) << written.name;
    EXPECT_EQ(read->dtype, written.dtype) << written.name;
    EXPECT_EQ(read->shape, written.shape) << written.name;
    EXPECT_EQ(read->elements() * static_cast<int64_t>(size_of(read->dtype)),
              static_cast<int64_t>(written.bytes.size()));
    EXPECT_TRUE(std::ranges::equal(read->bytes, written.bytes)) << written.name;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(read->bytes.data()) % size_of(read->dtype), 0U)
        << written.name;
  }
  EXPECT_EQ(file.find("missing"), nullptr);
}

TEST(CheckpointFile, OrdersTensorsByWidthThenName) {
  const TemporaryFolder folder;
  const std::vector<uint8_t> eight(8);
  const std::vector<TensorView> tensors = {view("b", DType::kU8, {8}, eight),
                                           view("c", DType::kF32, {2}, eight),
                                           view("a", DType::kI8, {8}, eight),
                                           view("d", DType::kI64, {1}, eight)};
  write_checkpoint(folder.file("x"), {}, tensors);
  std::string order;
  const auto file = CheckpointFile::open(folder.file("x"));
  for (const auto& tensor : file.tensors()) order += tensor.name;
  EXPECT_EQ(order, "dcab");
}

TEST(CheckpointFile, WritesEqualContentAsEqualBytes) {
  const TemporaryFolder folder;
  const std::vector<float> values = {1, 2};
  std::vector<TensorView> tensors = {view("a", DType::kF32, {2}, values),
                                     view("b", DType::kF32, {1, 2}, values)};
  write_checkpoint(folder.file("x"), {{"k", "v"}}, tensors);
  std::swap(tensors[0], tensors[1]);
  write_checkpoint(folder.file("y"), {{"k", "v"}}, tensors);
  EXPECT_EQ(content_of(folder.file("x")), content_of(folder.file("y")));
  EXPECT_EQ(CheckpointFile::open(folder.file("x")).fingerprint(),
            CheckpointFile::open(folder.file("y")).fingerprint());
}

// The same content as in the golden file, which a script made from the format's page.
TEST(CheckpointFile, MatchesTheDescriptionOfTheFormat) {
  const TemporaryFolder folder;
  const std::vector<float> weights = {0.5, -1, 2};
  const std::vector<uint8_t> blob = {0, 255};
  std::vector<uint8_t> cache_line(64);
  std::iota(cache_line.begin(), cache_line.end(), uint8_t{0});
  const std::vector<TensorView> tensors = {
      view("blob.source_tokenizer", DType::kU8, {2}, blob),
      view("blob.target_tokenizer", DType::kU8, {64}, cache_line),
      view("encoder.weight", DType::kF32, {3, 1}, weights)};
  write_checkpoint(folder.file("x"), {{"task_texts", R"({"source_language":"en"})"}}, tensors);
  EXPECT_EQ(content_of(folder.file("x")), content_of(kGolden + "version1_current.safetensors"))
      << "after a change of the version: run tests/golden/checkpoint/make_version1.py";
}

TEST(CheckpointFile, CanBeEmpty) {
  const TemporaryFolder folder;
  write_checkpoint(folder.file("x"), {}, {});
  const auto file = CheckpointFile::open(folder.file("x"));
  EXPECT_FALSE(file.is_foreign());
  EXPECT_THAT(file.metadata(), IsEmpty());
  EXPECT_THAT(file.tensors(), IsEmpty());
}

TEST(CheckpointFile, KeepsItsViewsWhenMoved) {
  const TemporaryFolder folder;
  testing::write_small(folder.file("x"), 7);
  auto first = CheckpointFile::open(folder.file("x"));
  const TensorView* tensor = first.find("weight");
  const auto second = std::move(first);
  EXPECT_EQ(second.find("weight"), tensor);
  EXPECT_THAT(values_of<float>(*tensor), ElementsAre(7, 2, 3));
}

TEST(CheckpointFile, NamesAMissingEntryAndTheFile) {
  const TemporaryFolder folder;
  testing::write_small(folder.file("x"), 7);
  const auto file = CheckpointFile::open(folder.file("x"));
  EXPECT_EQ(file.metadata("note"), "small");
  try {
    file.metadata("task");
    FAIL();
  } catch (const FormatError& problem) {
    EXPECT_EQ(problem.message(), (folder.file("x")) + ": header has no entry \"task\"");
  }
}

// Every byte is covered: length, header, padding, data.
TEST(CheckpointFile, FindsEveryFlippedBit) {
  const TemporaryFolder folder;
  const std::vector<uint8_t> odd = {1, 2, 3};
  const std::vector<float> floats = {1, 2};
  const std::vector<TensorView> tensors = {view("f", DType::kF32, {2}, floats),
                                           view("odd", DType::kU8, {3}, odd)};
  write_checkpoint(folder.file("good"), {{"k", "va"}}, tensors);
  const std::string good = content_of(folder.file("good"));
  for (size_t byte = 0; byte < good.size(); ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      overwrite(folder.file("good"), byte, static_cast<char>(good[byte] ^ (1 << bit)));
      const std::string message = rejection(folder.file("good"));
      ASSERT_THAT(message, HasSubstr(folder.file("good"))) << "byte " << byte << " bit " << bit;
      ASSERT_TRUE(message.find("header") != message.npos || message.find("tensor") != message.npos)
          << message;
    }
    overwrite(folder.file("good"), byte, good[byte]);
  }
  EXPECT_EQ(rejection(folder.file("good")), kNothingThrown);
}

TEST(CheckpointFile, NamesTheTensorThatWasDamaged) {
  const TemporaryFolder folder;
  testing::write_small(folder.file("x"), 7);
  std::string bytes = content_of(folder.file("x"));
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  EXPECT_THAT(rejection_of(folder, bytes), HasSubstr("tensor \"weight\" has the checksum"));

  const auto unverified = CheckpointFile::open(folder.file("x"), /*verify_tensors=*/false);
  EXPECT_THROW(unverified.verify_tensors(), FormatError);
}

TEST(CheckpointFile, RejectsEveryTruncation) {
  const TemporaryFolder folder;
  testing::write_small(folder.file("good"), 7);
  const std::string good = content_of(folder.file("good"));
  for (size_t size = 0; size < good.size(); ++size) {
    ASSERT_NE(rejection_of(folder, good.substr(0, size)), kNothingThrown) << size;
  }
  EXPECT_THAT(rejection_of(folder, ""), HasSubstr("the file has 0 bytes"));
  EXPECT_THAT(rejection_of(folder, good.substr(0, 100)), HasSubstr("but the file has 92 left"));
  EXPECT_THAT(rejection_of(folder, good.substr(0, good.size() - 1)),
              HasSubstr("header describes 12 bytes of tensors, but 11 follow it"));
}

TEST(CheckpointFile, RejectsWhatWasAppended) {
  const TemporaryFolder folder;
  testing::write_small(folder.file("good"), 7);
  EXPECT_THAT(rejection_of(folder, content_of(folder.file("good")) + "ab"),
              HasSubstr("header describes 12 bytes of tensors, but 14 follow it"));
}

TEST(CheckpointFile, RejectsALengthWithoutBelievingIt) {
  const TemporaryFolder folder;
  const std::string two_to_the_60th("\0\0\0\0\0\0\0\x10", 8);
  EXPECT_THAT(rejection_of(folder, two_to_the_60th + "{}"),
              HasSubstr("header claims 1152921504606846976 bytes; at most 100000000 are allowed"));
  const std::string ninety_million("\x80\x4a\x5d\x05\0\0\0\0", 8);
  EXPECT_THAT(rejection_of(folder, ninety_million + "{}"),
              HasSubstr("header claims 90000000 bytes, but the file has 2 left"));
}

TEST(CheckpointFile, ReportsWhatAPyTorchFileIs) {
  const TemporaryFolder folder;
  EXPECT_THAT(rejection_of(folder, "PK\x03\x04 and so on"),
              HasSubstr(".pt, .ckpt or .npz file of another toolkit"));
}

struct Defect {
  const char* what;
  std::string header;
  size_t data_size;
  const char* message;
};

class HeaderDefect : public ::testing::TestWithParam<Defect> {};

TEST_P(HeaderDefect, IsRejectedWithItsOwnMessage) {
  const TemporaryFolder folder;
  const std::string data(GetParam().data_size, 'x');
  EXPECT_THAT(rejection_of(folder, raw_file(GetParam().header, data)),
              HasSubstr(GetParam().message));
}

/// A header with one tensor "a", and more after it.
std::string tensor_a(const std::string& fields, const std::string& more = "") {
  return R"({"a":{)" + fields + "}" + more + "}";
}

INSTANTIATE_TEST_SUITE_P(
    Safetensors,
    HeaderDefect,
    ::testing::Values(
        Defect{"NoObject", "[1]", 0, "header does not start with '{'"},
        Defect{"LeadingSpace", " {}", 0, "header does not start with '{'"},
        Defect{"Empty", "", 0, "header does not start with '{'"},
        Defect{"NoJson", "{\"a\"", 0, "header is not JSON at byte 5"},
        Defect{"TwoObjects", "{}{}", 0, "header is not JSON at byte 3"},
        Defect{"TextBehindNul", std::string("{}\0{}", 5), 0, "header has a NUL at byte 2"},
        Defect{"OverlongUtf8", "{\"\xC0\xAF\":{}}", 0, "header is not UTF-8 at byte 2: overlong"},
        Defect{"SurrogateUtf8",
               "{\"\xED\xA0\x80\":{}}",
               0,
               "header is not UTF-8 at byte 2: surrogate"},
        Defect{"TruncatedUtf8", "{\"\xE2\x82\":{}}", 0, "header is not UTF-8 at byte 2: truncated"},
        Defect{
            "InvalidUtf8", "{\"\xFF\":{}}", 0, "header is not UTF-8 at byte 2: byte that is never"},
        Defect{"TextAsTensor", R"({"a":"b"})", 0, "header has a string in \"a\""},
        Defect{"ListAsTensor", R"({"a":[]})", 0, "header has a list in \"a\""},
        Defect{"NullAsTensor", R"({"a":null})", 0, "header has null in \"a\""},
        Defect{"NumberInMetadata",
               R"({"__metadata__":{"a":1}})",
               0,
               "a number in \"a\", expected a string"},
        Defect{
            "ObjectInMetadata", R"({"__metadata__":{"a":{}}})", 0, "header has an object in \"a\""},
        Defect{
            "TensorTwice",
            R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
            1,
            "header has \"a\" twice"},
        Defect{"MetadataTwice",
               R"({"__metadata__":{},"__metadata__":{}})",
               0,
               "has \"__metadata__\" twice"},
        Defect{"EntryTwice", R"({"__metadata__":{"k":"1","k":"2"}})", 0, "header has \"k\" twice"},
        Defect{"FieldTwice",
               tensor_a(R"("dtype":"U8","dtype":"U8")"),
               0,
               "tensor \"a\" has \"dtype\" twice"},
        Defect{"NoDtype",
               tensor_a(R"("shape":[1],"data_offsets":[0,1])"),
               1,
               "needs dtype, shape and"},
        Defect{"NoShape",
               tensor_a(R"("dtype":"U8","data_offsets":[0,1])"),
               1,
               "needs dtype, shape and"},
        Defect{"NoOffsets", tensor_a(R"("dtype":"U8","shape":[1])"), 1, "needs dtype, shape and"},
        Defect{"OtherField", tensor_a(R"("stride":[1])"), 0, "has a field \"stride\""},
        Defect{"UnknownDtype",
               tensor_a(R"("dtype":"F8_E4M3")"),
               0,
               "has the unknown dtype \"F8_E4M3\""},
        Defect{"NumberAsDtype", tensor_a(R"("dtype":1)"), 0, "has a number in its dtype"},
        Defect{"TextAsShape", tensor_a(R"("shape":"2")"), 0, "has a string in its shape"},
        Defect{
            "NegativeShape", tensor_a(R"("shape":[-1])"), 0, "has a negative number in its shape"},
        Defect{"FractionInShape",
               tensor_a(R"("shape":[1.0])"),
               0,
               "has a number with a fraction in its shape"},
        Defect{"TruthInShape", tensor_a(R"("shape":[true])"), 0, "has a boolean in its shape"},
        Defect{"NestedShape", tensor_a(R"("shape":[[1]])"), 0, "has a list in its shape"},
        Defect{"NotANumber", tensor_a(R"("shape":[NaN])"), 0, "header is not JSON at byte 16"},
        Defect{"HugeNumber", tensor_a(R"("shape":[1e999])"), 0, "header is not JSON"},
        Defect{"HugeExtent",
               tensor_a(R"("shape":[18446744073709551615])"),
               0,
               "has a shape whose size overflows"},
        Defect{"OverflowingShape",
               tensor_a(R"("dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0])"),
               0,
               "has a shape whose size overflows"},
        Defect{"OneOffset", tensor_a(R"("data_offsets":[0])"), 0, "needs two data_offsets"},
        Defect{
            "ThreeOffsets", tensor_a(R"("data_offsets":[0,1,2])"), 0, "more than two data_offsets"},
        Defect{"OffsetsReversed",
               tensor_a(R"("dtype":"U8","shape":[1],"data_offsets":[1,0])"),
               1,
               "data_offsets are [1, 0]"},
        Defect{"OffsetsTooWide",
               tensor_a(R"("dtype":"F32","shape":[1],"data_offsets":[0,5])"),
               5,
               "is F32 [1], which takes 4 bytes, but its data_offsets are [0, 5]"},
        Defect{"Overlap",
               tensor_a(R"("dtype":"U8","shape":[3],"data_offsets":[0,3])",
                        R"(,"b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]})"),
               4,
               "tensor \"b\" starts at 2, but the tensor before it ends at 3: they overlap"},
        Defect{"Gap",
               tensor_a(R"("dtype":"U8","shape":[1],"data_offsets":[0,1])",
                        R"(,"b":{"dtype":"U8","shape":[1],"data_offsets":[2,3]})"),
               3,
               "there is a gap"},
        Defect{"GapAtTheStart",
               tensor_a(R"("dtype":"U8","shape":[1],"data_offsets":[1,2])"),
               2,
               "there is a gap"},
        Defect{"DataTooShort",
               tensor_a(R"("dtype":"U8","shape":[3],"data_offsets":[0,3])"),
               2,
               "truncated"},
        Defect{"DataTooLong",
               tensor_a(R"("dtype":"U8","shape":[3],"data_offsets":[0,3])"),
               4,
               "appended"},
        Defect{"DataWithoutTensors", "{}", 1, "header describes 0 bytes of tensors, but 1 follow"},
        Defect{"DeepNesting",
               "{\"a\":" + std::string(1'000'000, '['),
               0,
               "header has a list in \"a\""},
        Defect{"TerminalEscape", R"({"\u001b[31m":"b"})", 0, R"(in "\u001b[31m")"}),
    [](const auto& defect) { return defect.param.what; });

TEST(CheckpointFile, OpensWhatPythonWrote) {
  const auto file = CheckpointFile::open(kGolden + "foreign.safetensors");
  EXPECT_TRUE(file.is_foreign());
  EXPECT_EQ(file.fingerprint(), "");
  EXPECT_THAT(file.metadata(), ElementsAre(Pair("format", "np"), Pair("note", "Größe ≠ 0")));
  ASSERT_EQ(file.tensors().size(), 6U);
  EXPECT_THAT(file.find("weight")->shape, ElementsAre(2, 3));
  EXPECT_THAT(values_of<float>(*file.find("weight")), ElementsAre(0, 0.25, 0.5, 0.75, 1, 1.25));
  EXPECT_EQ(file.find("half")->dtype, DType::kF16);
  EXPECT_THAT(values_of<uint16_t>(*file.find("half")), ElementsAre(0x3E00, 0xC000));
  EXPECT_THAT(values_of<int64_t>(*file.find("ids")), ElementsAre(7, -9));
  EXPECT_THAT(values_of<uint8_t>(*file.find("flags")), ElementsAre(1, 0, 1));
  EXPECT_THAT(file.find("scalar")->shape, IsEmpty());
  EXPECT_THAT(values_of<double>(*file.find("scalar")), ElementsAre(2.5));
  EXPECT_THAT(file.find("empty")->shape, ElementsAre(0, 5));
}

// A script made the file from the page about the format; every later phraseq must read it.
TEST(CheckpointFile, OpensFormatVersionOne) {
  const auto file = CheckpointFile::open(kGolden + "version1.safetensors");
  EXPECT_EQ(file.writer_version(), "0.1.0");
  EXPECT_EQ(file.fingerprint(), "80e19a17");
  EXPECT_THAT(file.metadata(), ElementsAre(Pair("task_texts", R"({"source_language":"en"})")));
  EXPECT_THAT(values_of<float>(*file.find("encoder.weight")), ElementsAre(0.5, -1, 2));
  EXPECT_THAT(values_of<uint8_t>(*file.find("blob.source_tokenizer")), ElementsAre(0, 255));
}

// The header's checksum is zeros here: a newer version may compute it in another way, so the
// version is checked first.
TEST(CheckpointFile, NamesBothVersionsOfANewerFile) {
  const TemporaryFolder folder;
  const std::string header =
      R"({"__metadata__":{"phraseq.crc32c":"{}","phraseq.format_version":"2","phraseq.header_crc32c":"00000000","phraseq.version":"9.8.7"}})";
  const std::string message = rejection_of(folder, raw_file(header));
  EXPECT_THAT(message, HasSubstr("header has checkpoint format 2, written by phraseq \"9.8.7\""));
  EXPECT_THAT(message,
              HasSubstr("this is phraseq " PHRASEQ_VERSION ", which reads formats up to 1"));
}

TEST(CheckpointFile, RejectsACheckpointWithoutOneOfItsEntries) {
  const TemporaryFolder folder;
  EXPECT_THAT(rejection_of(folder, raw_file(R"({"__metadata__":{"phraseq.version":"0.1.0"}})")),
              HasSubstr("header has no entry 'phraseq.format_version'"));
}

TEST(CheckpointFile, ReportsThatAnotherProgramRewroteIt) {
  const TemporaryFolder folder;
  const std::string header =
      R"({"__metadata__": {"phraseq.crc32c":"{}","phraseq.format_version":"1","phraseq.header_crc32c": "00000000","phraseq.version":"0.1.0"}})";
  EXPECT_THAT(rejection_of(folder, raw_file(header)),
              HasSubstr("Another program rewrote the file"));
}

TEST(WriteCheckpoint, RejectsWhatCouldNotBeReadAgain) {
  const TemporaryFolder folder;
  const std::vector<float> values = {1, 2};
  const auto write = [&](std::vector<TensorView> tensors,
                         std::map<std::string, std::string> metadata = {}) {
    write_checkpoint(folder.file("x"), metadata, tensors);
  };
  EXPECT_THROW(write({view("a", DType::kF32, {3}, values)}), std::invalid_argument);
  EXPECT_THROW(write({view("a", DType::kF32, {-1, -2}, values)}), std::invalid_argument);
  EXPECT_THROW(write({view("__metadata__", DType::kF32, {2}, values)}), std::invalid_argument);
  EXPECT_THROW(write({view("a", DType::kF32, {2}, values), view("a", DType::kF32, {2}, values)}),
               std::invalid_argument);
  EXPECT_THROW(write({}, {{"phraseq.version", "7"}}), std::invalid_argument);
  EXPECT_THROW(write({}, {{"path", "\xFF"}}), UsageError);
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(WriteCheckpoint, ReportsAFolderThatIsNotThere) {
  EXPECT_THROW(testing::write_small("/nonexistent/folder/x", 1), IoError);
}

}  // namespace
}  // namespace phraseq
