#include "core/convert/torch/torch_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/checkpoint/safetensors/float_values.h"
#include "tests/core/checkpoint/checkpoint_test_files.h"
#include "tests/core/convert/golden_torch_files.h"
#include "tests/core/io/temporary_folder.h"
#include "tests/support/file_content.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

using nlohmann::json;
using testing::golden_torch_file;
using ::testing::HasSubstr;
using testing::write_bytes;

template <class Number>
json whole_values(const TensorView& tensor) {
  json values = json::array();
  for (const Number value : testing::values_of<Number>(tensor))
    values.push_back(static_cast<double>(value));
  return values;
}

json values_of_tensor(const TensorView& tensor) {
  if (is_float(tensor.dtype))
    return float_values(tensor);
  return tensor.dtype == DType::kI64 ? whole_values<int64_t>(tensor)
                                     : whole_values<uint8_t>(tensor);
}

json read_tensors(const std::string& path) {
  const TorchFile file = TorchFile::open(path);
  json found = json::object();
  for (const auto& tensor : file.tensors(file.values().find(file.values().root(), "model")))
    found[tensor.name] = {{"shape", tensor.shape}, {"values", values_of_tensor(tensor)}};
  return found;
}

std::string rejection_of_file(const std::string& bytes) {
  const TemporaryFolder folder;
  write_bytes(folder.file("x.pt"), bytes);
  return message_of<FormatError>([&] { read_tensors(folder.file("x.pt")); });
}

std::string replaced(std::string bytes, std::string_view from, std::string_view to) {
  const size_t place = bytes.find(from);
  EXPECT_NE(place, std::string::npos);
  return bytes.replace(place, from.size(), to);
}

TEST(TorchFile, ReadsEveryTensorOfBothLayouts) {
  const json expected = json::parse(content_of(golden_torch_file("tensors.json")));
  EXPECT_EQ(read_tensors(golden_torch_file("tensors.pt")), expected);
  EXPECT_EQ(read_tensors(golden_torch_file("tensors_legacy.pt")), expected);
}

TEST(TorchFile, RejectsEveryCutOfBothLayouts) {
  for (const char* name : {"tensors.pt", "tensors_legacy.pt"}) {
    const std::string bytes = content_of(golden_torch_file(name));
    for (size_t length = 0; length < bytes.size(); length += 7)
      EXPECT_NE(rejection_of_file(bytes.substr(0, length)), kNothingThrown)
          << name << " of " << length << " bytes";
  }
}

TEST(TorchFile, ReportsFilesOfOtherKinds) {
  EXPECT_THAT(rejection_of_file("hello"),
              HasSubstr("neither like a ZIP archive nor like a pickle"));
  EXPECT_THAT(rejection_of_file(""), HasSubstr("neither like a ZIP archive nor like a pickle"));
  EXPECT_THAT(rejection_of_file(content_of(golden_torch_file("values2.pkl"))),
              HasSubstr("not PyTorch's mark"));
}

TEST(TorchFile, RejectsChangedBytesOfATensor) {
  std::string bytes = content_of(golden_torch_file("tensors.pt"));
  const size_t place = bytes.find(std::string("\0\0\x80\x3f\0\0\0\x40", 8));  // 1, 2
  ASSERT_NE(place, std::string::npos);
  bytes[place] ^= 1;
  EXPECT_THAT(rejection_of_file(bytes), HasSubstr("do not match their CRC-32"));
}

TEST(TorchFile, RejectsTensorsBeyondTheirStorage) {
  // part = base[5:9] of 12 elements: K\x05 is its offset, K\x04\x85 its size (4,).
  const std::string bytes = content_of(golden_torch_file("tensors_legacy.pt"));
  EXPECT_THAT(rejection_of_file(replaced(bytes, "QK\x05K\x04\x85", "QK\x09K\x04\x85")),
              HasSubstr("tensor 'part' does not fit its storage: elements [4] at 9"));
  EXPECT_THAT(rejection_of_file(replaced(bytes, "QK\x05K\x04\x85", "QK\x05K\xff\x85")),
              HasSubstr("tensor 'part' does not fit its storage: elements [255] at 5"));
}

TEST(TorchFile, RejectsClassesThatAreNotPartOfAModel) {
  const std::string bytes = content_of(golden_torch_file("tensors_legacy.pt"));
  EXPECT_THAT(
      rejection_of_file(replaced(bytes, "ctorch._utils\n_rebuild_tensor_v2\n", "cos\nsystem\n")),
      HasSubstr("refer to os.system"));
}

}  // namespace
}  // namespace phraseq
