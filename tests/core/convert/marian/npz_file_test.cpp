#include "core/convert/marian/npz_file.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/checkpoint/safetensors/float_values.h"
#include "core/convert/torch/zip_writer.h"
#include "tests/core/checkpoint/checkpoint_test_files.h"
#include "tests/core/io/temporary_folder.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::write_bytes;

/// An array in the format of NumPy with this header.
std::string npy(const std::string& header, const std::string& values) {
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size());
  file += '\0';
  return file + header + values;
}

std::string floats(std::initializer_list<float> values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

std::string rejection_of_npy(const std::string& file) {
  return message_of<FormatError>([&] { parse_npy(std::as_bytes(std::span(file)), "a.npy"); });
}

TEST(Npy, ReadsWhatNumPyAndCnpyWrite) {
  const std::string numpy =
      npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }    \n", floats({1.5F, -2}));
  const TensorView matrix = parse_npy(std::as_bytes(std::span(numpy)), "a");
  EXPECT_EQ(matrix.dtype, DType::kF32);
  EXPECT_THAT(matrix.shape, ElementsAre(2, 1));
  EXPECT_THAT(float_values(matrix), ElementsAre(1.5, -2));
  const std::string chars =
      npy("{'descr': '<i1', 'fortran_order': False, 'shape': (3,), }\n", "abc");
  EXPECT_EQ(parse_npy(std::as_bytes(std::span(chars)), "a").dtype, DType::kI8);
  const std::string scalar =
      npy("{'shape': (), 'fortran_order': False, 'descr': '<f4'}\n", floats({7}));
  EXPECT_THAT(parse_npy(std::as_bytes(std::span(scalar)), "a").shape, ElementsAre());
}

TEST(Npy, WritesTheBytesThatNumPyWrites) {
  const std::string values = floats({1, 2, 3});
  // The result of numpy.lib.format.write_array for numpy.array([[1, 2, 3]], dtype="<f4")
  const std::string expected = npy(
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), }" + std::string(58, ' ') + "\n",
      values);
  EXPECT_EQ(to_npy({"x", DType::kF32, {1, 3}, std::as_bytes(std::span(values))}), expected);
  EXPECT_THAT(to_npy({"x", DType::kI8, {12}, std::as_bytes(std::span(values))}),
              HasSubstr("'descr': '|i1', 'fortran_order': False, 'shape': (12,), }"));
}

TEST(Npy, RejectsEveryCutAndWhatItCannotRead) {
  const std::string good =
      npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }\n", floats({1, 2}));
  EXPECT_EQ(rejection_of_npy(good), kNothingThrown);
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_THAT(rejection_of_npy(good.substr(0, length)), HasSubstr("a.npy: ")) << length;
  EXPECT_THAT(rejection_of_npy(good + "x"), HasSubstr("does not fit its 9 bytes"));
  const auto with = [&](const std::string& header) {
    return rejection_of_npy(npy(header, floats({1, 2})));
  };
  EXPECT_THAT(with("{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }"),
              HasSubstr("the type '>f4'"));
  EXPECT_THAT(with("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }"),
              HasSubstr("the type '|O'"));
  EXPECT_THAT(with("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 1), }"),
              HasSubstr("column order"));
  EXPECT_THAT(with("{'descr': '<f4', 'fortran_order': False, 'shape': (-2, -1), }"),
              HasSubstr("the shape is (-2, -1)"));
  EXPECT_THAT(with("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }"),
              HasSubstr("does not fit"));
  EXPECT_THAT(with("{'descr': '<f4', 'shape': (2,), }"), HasSubstr("no entry 'fortran_order'"));
}

TEST(NpzFile, ReadsTheArraysOfAnArchive) {
  const TemporaryFolder folder;
  const std::string values = floats({1, 2});
  ZipWriter archive;
  archive.add("encoder_Wemb.npy",
              to_npy({"", DType::kF32, {2, 1}, std::as_bytes(std::span(values))}));
  archive.add("special:model.yml.npy",
              to_npy({"", DType::kI8, {8}, std::as_bytes(std::span(values))}));
  write_bytes(folder.file("m.npz"), archive.finish());
  const NpzFile file(folder.file("m.npz"));
  ASSERT_EQ(file.arrays().size(), 2U);
  EXPECT_THAT(float_values(file.arrays().at("encoder_Wemb")), ElementsAre(1, 2));
  EXPECT_EQ(file.arrays().at("special:model.yml").dtype, DType::kI8);
}

TEST(NpzFile, RejectsOtherFiles) {
  const TemporaryFolder folder;
  write_bytes(folder.file("m.npz"), "PK\x03\x04 and nothing");
  EXPECT_THROW(NpzFile(folder.file("m.npz")), FormatError);
  write_bytes(folder.file("m.bin"), std::string(100, 'x'));
  try {
    const NpzFile file(folder.file("m.bin"));
    FAIL();
  } catch (const FormatError& problem) {
    EXPECT_THAT(problem.what(), HasSubstr("Marian's binary format"));
  }
}

}  // namespace
}  // namespace phraseq
