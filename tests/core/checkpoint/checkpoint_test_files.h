#pragma once

#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "core/checkpoint/checkpoint_file.h"
#include "core/checkpoint/checkpoint_writer.h"
#include "tests/core/io/temporary_folder.h"

namespace phraseq::testing {

inline void write_bytes(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// Builds a safetensors file from its parts, which may be invalid.
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

/// A checkpoint with one tensor, distinguished from others by `value`.
inline void write_small(const std::string& path, float value) {
  const std::vector<float> values = {value, 2, 3};
  const std::vector<TensorView> tensors = {view("weight", DType::kF32, {3}, values)};
  write_checkpoint(path, {{"note", "small"}}, tensors);
}

/// Returns the value given to `write_small`; throws what CheckpointFile::open throws.
inline float small_value(const std::string& path) {
  const auto file = CheckpointFile::open(path);
  return values_of<float>(*file.find("weight")).at(0);
}

}  // namespace phraseq::testing
