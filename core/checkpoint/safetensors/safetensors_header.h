#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint/safetensors/tensor_view.h"

namespace phraseq {

/// Bytes of the little-endian number in front of the header.
inline constexpr uint64_t kHeaderLengthBytes = 8;
inline constexpr uint64_t kDataAlignment = 64;  ///< of the first tensor in phraseq's files
/// The largest header that is read or written, as in the safetensors library.
inline constexpr uint64_t kMaxHeaderBytes = 100'000'000;

/// One tensor in a header; its data are the bytes [begin, end) after the header.
struct HeaderTensor {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<int64_t> shape;
  uint64_t begin = 0;
  uint64_t end = 0;
};

/// The JSON text at the head of a safetensors file. Tensors in the order of their data.
struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;
  std::vector<HeaderTensor> tensors;
};

/// Parses and checks a header: JSON of exactly this shape, no key twice, known dtypes, shapes that
/// do not overflow and agree with their offsets, data without gap or overlap and of `data_size`
/// bytes. Memory use grows with the text, never with a number in it. Throws a FormatError that
/// begins with `path`.
SafetensorsHeader parse_header(std::string_view text, uint64_t data_size, const std::string& path);

/// The text of a header, padded with spaces so that the data start at a multiple of
/// kDataAlignment.
std::string header_text(const SafetensorsHeader& header);

/// A name for an error message: in quotes, control and non-ASCII characters escaped.
std::string in_quotes(std::string_view name);

}  // namespace phraseq
