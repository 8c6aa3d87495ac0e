#pragma once

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "core/checkpoint/checkpoint_file.h"

namespace phraseq::testing {

/// A folder of its own for one test, removed at its end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    static int count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("phraseq-checkpoint-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path() const { return path_.string(); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  /// Names of all files, sorted.
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      found.push_back(entry.path().filename().string());
    }
    std::ranges::sort(found);
    return found;
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void write_bytes(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// A safetensors file from its parts, right or wrong.
inline std::string raw_file(std::string_view header, std::string_view data = {}) {
  std::string bytes;
  for (int shift = 0; shift < 64; shift += 8)
    bytes.push_back(static_cast<char>(header.size() >> shift));
  return bytes.append(header).append(data);
}

template <class Element>
TensorView view(std::string name,
                DType dtype,
                std::vector<int64_t> shape,
                const std::vector<Element>& values) {
  return {std::move(name), dtype, std::move(shape), std::as_bytes(std::span(values))};
}

template <class Element>
std::vector<Element> values_of(const TensorView& tensor) {
  std::vector<Element> values(tensor.bytes.size() / sizeof(Element));
  std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

/// A checkpoint with one tensor, told from others by `value`.
inline void write_small(const std::string& path, float value) {
  const std::vector<float> values = {value, 2, 3};
  const std::vector<TensorView> tensors = {view("weight", DType::kF32, {3}, values)};
  write_checkpoint(path, {{"note", "small"}}, tensors);
}

/// The value given to `write_small`; throws as CheckpointFile::open.
inline float small_value(const std::string& path) {
  const auto file = CheckpointFile::open(path);
  return values_of<float>(*file.find("weight")).at(0);
}

}  // namespace phraseq::testing
