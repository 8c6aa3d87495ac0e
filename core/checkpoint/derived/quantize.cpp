#include "core/checkpoint/derived/quantize.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <deque>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/checkpoint/checkpoint_format.h"
#include "core/checkpoint/checkpoint_writer.h"
#include "core/checkpoint/derived/training_options.h"
#include "core/checkpoint/safetensors/float_values.h"
#include "core/checkpoint/safetensors/plain_file.h"
#include "core/checkpoint/safetensors/tensor_role.h"
#include "core/io/json_reader.h"
#include "core/options/enum_name.h"

namespace phraseq {
namespace {

// As in core/nn/kernels/packed/int8_product.cpp, so that stored and computed numbers agree.
constexpr float kLargest = 127.0F;
constexpr float kNothing = 1e-30F;  // a row without larger numbers counts as zeros

/// A matrix's rows as whole numbers and scales: the numbers are rounded to nearest, ties to even,
/// as the products with --quantization int8 round them.
struct WholeNumbers {
  std::string numbers, scales;
};

WholeNumbers whole_numbers(const std::vector<double>& values, int64_t rows) {
  WholeNumbers result;
  const size_t width = rows == 0 ? 0 : values.size() / static_cast<size_t>(rows);
  for (int64_t row = 0; row < rows; ++row) {
    const auto begin = values.begin() + row * static_cast<int64_t>(width);
    float largest = 0;
    for (size_t i = 0; i < width; ++i)
      largest = std::max(largest, static_cast<float>(std::fabs(begin[static_cast<int64_t>(i)])));
    const float inverse = largest > kNothing ? kLargest / largest : 0.0F;
    const float scale = largest > kNothing ? largest / kLargest : 0.0F;
    for (size_t i = 0; i < width; ++i) {
      const float value = static_cast<float>(begin[static_cast<int64_t>(i)]) * inverse;
      result.numbers.push_back(static_cast<char>(std::nearbyint(value)));
    }
    char bytes[sizeof(scale)];
    std::memcpy(bytes, &scale, sizeof(scale));
    result.scales.append(bytes, sizeof(scale));
  }
  return result;
}

void check_finite(const std::string& path, const TensorView& tensor, double largest) {
  const auto values = float_values(tensor);
  const auto fits = [&](double value) { return std::fabs(value) <= largest; };
  if (std::ranges::all_of(values, fits))
    return;
  throw DivergenceError(
      fmt::format("{}: tensor {} holds values that are not finite or larger than {}",
                  path,
                  tensor.name,
                  largest),
      "Training had diverged; use an earlier checkpoint, or --quantization bf16 if "
      "only fp16 is too narrow.");
}

double largest_of(StoredType type) {
  if (type == StoredType::kFp16)
    return 65504.0;
  return type == StoredType::kBf16 ? 0x1.FEp127 : std::numeric_limits<float>::max();
}

/// Collects the tensors of the new file; what they point to stays where it is.
class Quantizer {
 public:
  Quantizer(const CheckpointFile& file, StoredType type) : file_(file), type_(type) {}

  void add(const TensorView& tensor) {
    const TensorRole role = role_of(tensor.name);
    if (role == TensorRole::kOptimizer)
      return;
    if (role == TensorRole::kBlob || !is_float(tensor.dtype)) {
      tensors_.push_back(tensor);
      return;
    }
    size_.before += static_cast<int64_t>(tensor.bytes.size());
    check_finite(file_.path(), tensor, largest_of(type_));
    if (type_ == StoredType::kInt8 && tensor.shape.size() == 2) {
      add_matrix(tensor);
    } else {
      const bool is_int8 = type_ == StoredType::kInt8;
      const DType narrow = type_ == StoredType::kFp16 ? DType::kF16 : DType::kBF16;
      const DType dtype = is_int8 ? DType::kF32 : narrow;
      push(tensor.name, dtype, tensor.shape, float_bytes(float_values(tensor), dtype));
    }
  }

  const std::vector<TensorView>& tensors() const { return tensors_; }
  const QuantizedSize& size() const { return size_; }

 private:
  void add_matrix(const TensorView& tensor) {
    WholeNumbers rows = whole_numbers(float_values(tensor), tensor.shape[0]);
    push(tensor.name, DType::kI8, tensor.shape, std::move(rows.numbers));
    push(std::string(kScalesPrefix) + tensor.name,
         DType::kF32,
         {tensor.shape[0]},
         std::move(rows.scales));
  }

  void push(std::string name, DType dtype, std::vector<int64_t> shape, std::string bytes) {
    size_.after += static_cast<int64_t>(bytes.size());
    const std::string& kept = bytes_.emplace_back(std::move(bytes));
    tensors_.push_back({std::move(name), dtype, std::move(shape), std::as_bytes(std::span(kept))});
  }

  const CheckpointFile& file_;
  StoredType type_;
  std::deque<std::string> bytes_;  // a deque: the views' bytes stay where they are
  std::vector<TensorView> tensors_;
  QuantizedSize size_;
};

std::string stored_type_of(const CheckpointFile& file) {
  if (!file.metadata().contains(kQuantizationEntry))
    return "";
  const auto document = file.metadata_json(kQuantizationEntry);
  return JsonEntry(document, file.metadata_place(kQuantizationEntry)).at("type").text();
}

}  // namespace

QuantizedSize quantize_checkpoint(const std::string& input,
                                  const std::string& output,
                                  StoredType type) {
  check_new_checkpoint(output, std::array{input});
  const auto file = CheckpointFile::open(input);
  require_model(file);
  if (const std::string stored = stored_type_of(file); !stored.empty()) {
    throw UsageError(fmt::format("{} is already quantized to {}", input, stored),
                     "Quantize the checkpoint that it was made from.");
  }
  Quantizer quantizer(file, type);
  for (const TensorView& tensor : file.tensors()) quantizer.add(tensor);
  auto metadata = metadata_for_other_weights(file);
  metadata[kQuantizationEntry] = nlohmann::json{{"type", enum_name(kStoredTypeNames, type)}}.dump();
  write_checkpoint(output, metadata, quantizer.tensors());
  return quantizer.size();
}

bool is_quantized_to_int8(const CheckpointFile& file) { return stored_type_of(file) == "int8"; }

void reject_quantized(const CheckpointFile& file, std::string_view purpose) {
  const std::string stored = stored_type_of(file);
  if (stored.empty())
    return;
  throw FormatError(fmt::format("{}: the parameters are quantized to {}, which is too coarse {}",
                                file.path(),
                                stored,
                                purpose),
                    "Give the original checkpoint, before quantization.");
}

}  // namespace phraseq
