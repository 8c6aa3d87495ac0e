#include "core/checkpoint/safetensors/safetensors_header.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/io/utf8.h"

namespace phraseq {
namespace {

using nlohmann::json;

constexpr const char* kMetadataKey = "__metadata__";

/// Receives the parser's events and accepts nothing but
///
///     {"__metadata__": {NAME: TEXT, …},
///      NAME: {"dtype": TEXT, "shape": [N, …], "data_offsets": [BEGIN, END]}, …}
///
/// A parsed document would be easier to read, but it merges duplicate keys, and a hostile header
/// could make it many times larger than the file.
class HeaderEvents final : public nlohmann::json_sax<json> {
 public:
  explicit HeaderEvents(const std::string& path) : path_(path) {}
  SafetensorsHeader take() { return std::move(header_); }

  bool start_object(std::size_t) override {
    if (place_ == Place::kOutside)
      return enter(Place::kTop);
    if (place_ != Place::kTop)
      reject("an object");
    if (key_ == kMetadataKey)
      return enter(Place::kMetadata);
    tensor_ = HeaderTensor{};
    tensor_.name = key_;
    fields_.clear();
    return enter(Place::kTensor);
  }

  bool key(string_t& name) override {
    if (place_ == Place::kTop && !names_.insert(name).second)
      defect_twice(name);
    if (place_ == Place::kMetadata && header_.metadata.contains(name))
      defect_twice(name);
    if (place_ == Place::kTensor) {
      if (name != "dtype" && name != "shape" && name != "data_offsets") {
        defect(fmt::format("has a field {} that safetensors does not define", in_quotes(name)));
      }
      if (!fields_.insert(name).second)
        defect(fmt::format("has {} twice", in_quotes(name)));
      field_ = name;
      return true;
    }
    key_ = name;
    return true;
  }

  bool end_object() override {
    if (place_ == Place::kTensor)
      finish_tensor();
    return enter(place_ == Place::kTop ? Place::kOutside : Place::kTop);
  }

  bool string(string_t& text) override {
    if (place_ == Place::kMetadata) {
      header_.metadata.emplace(key_, text);
    } else if (place_ == Place::kTensor && field_ == "dtype") {
      const auto dtype = parse_dtype(text);
      if (!dtype)
        defect(fmt::format("has the unknown dtype {}", in_quotes(text)));
      tensor_.dtype = *dtype;
    } else {
      reject("a string");
    }
    return true;
  }

  bool start_array(std::size_t) override {
    if (place_ != Place::kTensor || field_ == "dtype")
      reject("a list");
    offsets_.clear();
    return enter(Place::kNumbers);
  }

  bool number_unsigned(number_unsigned_t number) override {
    if (place_ != Place::kNumbers)
      reject("a number");
    if (field_ == "data_offsets") {
      if (offsets_.size() == 2)
        defect("has more than two data_offsets");
      offsets_.push_back(number);
      return true;
    }
    if (!std::in_range<int64_t>(number))
      defect("has a shape whose size overflows");
    tensor_.shape.push_back(static_cast<int64_t>(number));
    return true;
  }

  bool end_array() override {
    if (field_ == "data_offsets") {
      if (offsets_.size() != 2)
        defect("needs two data_offsets, begin and end");
      tensor_.begin = offsets_[0];
      tensor_.end = offsets_[1];
    }
    return enter(Place::kTensor);
  }

  bool null() override { reject("null"); }
  bool boolean(bool) override { reject("a boolean"); }
  bool number_integer(number_integer_t) override { reject("a negative number"); }
  bool number_float(number_float_t, const string_t&) override {
    reject("a number with a fraction");
  }
  bool binary(binary_t&) override { reject("binary data"); }

  bool parse_error(std::size_t position,
                   const std::string&,
                   const json::exception& problem) override {
    // The parser quotes the token it was in, which may be all the text.
    constexpr size_t kEnough = 200;
    std::string reason = in_quotes(std::string_view(problem.what()).substr(0, kEnough));
    throw FormatError(fmt::format("{}: header is not JSON at byte {}: {}",
                                  path_,
                                  position,
                                  std::string_view(reason).substr(1, reason.size() - 2)));
  }

 private:
  enum class Place { kOutside, kTop, kMetadata, kTensor, kNumbers };

  bool enter(Place place) {
    place_ = place;
    return true;
  }

  /// Throws: something is wrong with the tensor, or with the header, that is being read.
  [[noreturn]] void defect(std::string_view what) const {
    if (place_ == Place::kTensor || place_ == Place::kNumbers) {
      throw FormatError(
          fmt::format("{}: header: tensor {} {}", path_, in_quotes(tensor_.name), what));
    }
    throw FormatError(fmt::format("{}: header {}", path_, what));
  }

  [[noreturn]] void defect_twice(const std::string& name) const {
    defect(fmt::format("has {} twice", in_quotes(name)));
  }

  [[noreturn]] void reject(std::string_view found) const {
    switch (place_) {
      case Place::kOutside:
        defect(fmt::format("is {}, not a JSON object", found));
      case Place::kTop:
        defect(fmt::format("has {} in {}, expected an object", found, in_quotes(key_)));
      case Place::kMetadata:
        defect(fmt::format("has {} in {}, expected a string", found, in_quotes(key_)));
      default:
        defect(fmt::format("has {} in its {}", found, field_));
    }
  }

  void finish_tensor() {
    if (fields_.size() != 3)
      defect("needs dtype, shape and data_offsets");
    uint64_t bytes = size_of(tensor_.dtype);
    for (const int64_t extent : tensor_.shape) {
      if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(extent), &bytes)) {
        defect("has a shape whose size overflows");
      }
    }
    if (!std::in_range<int64_t>(bytes))
      defect("has a shape whose size overflows");
    if (tensor_.end < tensor_.begin || tensor_.end - tensor_.begin != bytes) {
      defect(fmt::format("is {} [{}], which takes {} bytes, but its data_offsets are [{}, {}]",
                         to_string(tensor_.dtype),
                         fmt::join(tensor_.shape, ", "),
                         bytes,
                         tensor_.begin,
                         tensor_.end));
    }
    header_.tensors.push_back(std::move(tensor_));
  }

  const std::string& path_;
  SafetensorsHeader header_;
  Place place_ = Place::kOutside;
  std::set<std::string> names_;   // top-level keys so far
  std::set<std::string> fields_;  // of the tensor that is being read
  std::string key_;
  std::string field_;
  HeaderTensor tensor_;
  std::vector<uint64_t> offsets_;
};

/// The parser takes a NUL for the end of the text and would not read past it.
void check_characters(std::string_view text, const std::string& path) {
  if (!text.starts_with('{')) {
    throw FormatError(fmt::format("{}: header does not start with '{{'", path));
  }
  if (const auto fault = find_text_fault(text, ControlBytes::kAllow)) {
    throw FormatError(fmt::format(
        "{}: header is not UTF-8 at byte {}: {}", path, fault->offset, to_string(fault->defect)));
  }
  const size_t nul = text.find('\0');
  if (nul != std::string_view::npos) {
    throw FormatError(fmt::format("{}: header has a NUL at byte {}", path, nul));
  }
}

/// Every byte of the data belongs to exactly one tensor.
void check_layout(std::vector<HeaderTensor>& tensors, uint64_t data_size, const std::string& path) {
  std::sort(tensors.begin(), tensors.end(), [](const HeaderTensor& a, const HeaderTensor& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  uint64_t expected = 0;
  for (const auto& tensor : tensors) {
    if (tensor.begin != expected) {
      throw FormatError(
          fmt::format("{}: header: tensor {} starts at {}, but the tensor before it ends at {}: {}",
                      path,
                      in_quotes(tensor.name),
                      tensor.begin,
                      expected,
                      tensor.begin < expected ? "they overlap" : "there is a gap"));
    }
    expected = tensor.end;
  }
  if (expected != data_size) {
    throw FormatError(fmt::format("{}: header describes {} bytes of tensors, but {} follow it",
                                  path,
                                  expected,
                                  data_size),
                      expected > data_size
                          ? "The file is truncated: copy it again, or use an older checkpoint."
                          : "Extra bytes were appended to the file.");
  }
}

}  // namespace

SafetensorsHeader parse_header(std::string_view text, uint64_t data_size, const std::string& path) {
  check_characters(text, path);
  HeaderEvents events(path);
  json::sax_parse(text, &events);
  SafetensorsHeader header = events.take();
  check_layout(header.tensors, data_size, path);
  return header;
}

std::string header_text(const SafetensorsHeader& header) {
  json document = json::object();
  if (!header.metadata.empty())
    document[kMetadataKey] = header.metadata;
  for (const auto& tensor : header.tensors) {
    document[tensor.name] = {{"dtype", to_string(tensor.dtype)},
                             {"shape", tensor.shape},
                             {"data_offsets", {tensor.begin, tensor.end}}};
  }
  std::string text = document.dump();
  const uint64_t rest = (kHeaderLengthBytes + text.size()) % kDataAlignment;
  text.append((kDataAlignment - rest) % kDataAlignment, ' ');
  return text;
}

std::string in_quotes(std::string_view name) {
  return json(name).dump(-1, ' ', /*ensure_ascii=*/true, json::error_handler_t::replace);
}

}  // namespace phraseq
