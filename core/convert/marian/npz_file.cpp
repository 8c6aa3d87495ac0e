#include "core/convert/marian/npz_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/wording/message_text.h"
#include "core/convert/torch/zip_archive.h"

namespace phraseq {
namespace {

constexpr std::string_view kNpyMark("\x93NUMPY", 6);
constexpr size_t kNpyAlignment = 64;
constexpr size_t kMaxDimensions = 32;

/// NumPy's kind and size, and the type.
constexpr std::array<std::pair<std::string_view, DType>, 9> kNpyTypes = {{{"f8", DType::kF64},
                                                                          {"f4", DType::kF32},
                                                                          {"f2", DType::kF16},
                                                                          {"i8", DType::kI64},
                                                                          {"i4", DType::kI32},
                                                                          {"i2", DType::kI16},
                                                                          {"i1", DType::kI8},
                                                                          {"u1", DType::kU8},
                                                                          {"b1", DType::kBool}}};

/// Reads the header, a Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3),
/// }
class NpyHeader {
 public:
  NpyHeader(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  DType dtype() const {
    const std::string_view value = value_of("descr");
    // '<f4': the order of bytes, kind, size, in quotes.
    if (value.size() == 5 && value.front() == '\'' && value.back() == '\'' && value[1] != '>') {
      for (const auto& [name, dtype] : kNpyTypes) {
        if (value.substr(2, 2) == name)
          return dtype;
      }
    }
    fail(fmt::format("the type {}, which is not supported", excerpt(value)));
  }

  bool is_column_major() const {
    const std::string_view value = value_of("fortran_order");
    if (value != "True" && value != "False")
      fail(fmt::format("fortran_order is {}", excerpt(value)));
    return value == "True";
  }

  std::vector<int64_t> shape() const {
    const std::string_view value = value_of("shape");
    if (!value.starts_with('(') || !value.ends_with(')'))
      fail(fmt::format("the shape is {}", excerpt(value)));
    std::vector<int64_t> sizes;
    const char* next = value.data() + 1;
    const char* end = value.data() + value.size() - 1;
    while ((next = std::find_if(next, end, [](char c) { return c != ' ' && c != ','; })) != end) {
      int64_t size = 0;
      const auto [stop, error] = std::from_chars(next, end, size);
      if (error != std::errc() || size < 0 || sizes.size() == kMaxDimensions)
        fail(fmt::format("the shape is {}", excerpt(value)));
      sizes.push_back(size);
      next = stop;
    }
    return sizes;
  }

 private:
  [[noreturn]] void fail(std::string_view problem) const {
    throw FormatError(fmt::format("{}: the header of the array has {}", where_, problem));
  }

  /// What follows 'key':, up to the comma or brace that ends it.
  std::string_view value_of(std::string_view key) const {
    const size_t at = text_.find(fmt::format("'{}':", key));
    if (at == std::string_view::npos)
      fail(fmt::format("no entry '{}'", key));
    std::string_view rest = text_.substr(at + key.size() + 3);
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    const bool is_tuple = rest.starts_with('(');
    const size_t end = is_tuple ? rest.find(')') : rest.find_first_of(",}");
    if (end == std::string_view::npos)
      fail(fmt::format("no end of the entry '{}'", key));
    return rest.substr(0, is_tuple ? end + 1 : end);
  }

  std::string_view text_;
  const std::string& where_;
};

/// Size of this many elements in bytes; empty if it is too large to represent.
std::optional<size_t> bytes_of(const std::vector<int64_t>& shape, DType dtype) {
  auto bytes = static_cast<int64_t>(size_of(dtype));
  for (const int64_t size : shape) {
    if (__builtin_mul_overflow(bytes, size, &bytes))
      return std::nullopt;
  }
  return static_cast<size_t>(bytes);
}

std::string_view npy_type(DType dtype) {
  const auto found =
      std::ranges::find(kNpyTypes, dtype, &std::pair<std::string_view, DType>::second);
  return found->first;
}

FormatError bad_npy(const std::string& where, std::string_view problem) {
  return FormatError(fmt::format("{}: not a readable array of NumPy: {}", where, problem));
}

/// The header of an array, after the mark, the version and its length. The elements follow it.
std::string_view header_of_npy(std::string_view text, const std::string& where) {
  if (!text.starts_with(kNpyMark) || text.size() < kNpyMark.size() + 2)
    throw bad_npy(where, "it does not begin with NumPy's mark");
  const int version = text[kNpyMark.size()];
  if (version < 1 || version > 3)
    throw bad_npy(where, fmt::format("version {}", version));
  const size_t length_bytes = version == 1 ? 2 : 4;
  const size_t begin = kNpyMark.size() + 2 + length_bytes;
  size_t length = 0;
  for (size_t i = length_bytes; i-- > 0 && begin <= text.size();)
    length = length << 8 | static_cast<unsigned char>(text[begin - length_bytes + i]);
  if (begin > text.size() || length > text.size() - begin)
    throw bad_npy(where, "it ends within the header");
  return text.substr(begin, length);
}

}  // namespace

TensorView parse_npy(std::span<const std::byte> bytes, const std::string& where) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::string_view header_text = header_of_npy(text, where);
  const NpyHeader header(header_text, where);
  const auto begin = static_cast<size_t>(header_text.end() - text.begin());
  TensorView array{where, header.dtype(), header.shape(), bytes.subspan(begin)};
  if (header.is_column_major() && array.shape.size() > 1)
    throw bad_npy(where, "the elements are in column order (fortran_order)");
  const auto expected = bytes_of(array.shape, array.dtype);
  if (!expected || *expected != array.bytes.size()) {
    throw bad_npy(where,
                  fmt::format("the shape [{}] does not fit its {} bytes",
                              fmt::join(array.shape, ", "),
                              array.bytes.size()));
  }
  return array;
}

std::string to_npy(const TensorView& array) {
  const char order = size_of(array.dtype) == 1 ? '|' : '<';
  const char* last_comma = array.shape.size() == 1 ? "," : "";
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                   order,
                                   npy_type(array.dtype),
                                   fmt::join(array.shape, ", "),
                                   last_comma);
  const size_t before = kNpyMark.size() + 4;
  const size_t unpadded = before + header.size() + 1;
  header.append((kNpyAlignment - unpadded % kNpyAlignment) % kNpyAlignment, ' ');
  header += '\n';
  std::string file(kNpyMark);
  file += '\1';
  file += '\0';
  file += static_cast<char>(header.size() & 0xFF);
  file += static_cast<char>(header.size() >> 8);
  file += header;
  file.append(reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size());
  return file;
}

NpzFile::NpzFile(const std::string& path) : file_(path) {
  constexpr std::string_view kEnding = ".npy";
  if (!ZipArchive::is_archive(file_.bytes())) {
    throw FormatError(fmt::format("{}: not an archive of NumPy (.npz)", path),
                      "Models in Marian's binary format (.bin) are not read; give the .npz file "
                      "that the training wrote.");
  }
  const ZipArchive archive(file_.bytes(), path);
  for (const std::string& entry : archive.names()) {
    const bool is_array = entry.ends_with(kEnding);
    const std::string name = is_array ? entry.substr(0, entry.size() - kEnding.size()) : entry;
    TensorView array = parse_npy(archive.read(entry), fmt::format("{}: {}", path, excerpt(name)));
    array.name = name;
    if (!arrays_.emplace(name, std::move(array)).second)
      throw FormatError(fmt::format("{}: two arrays are called '{}'", path, excerpt(name)));
  }
}

}  // namespace phraseq
