#include "core/checkpoint/derived/average.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/wording/first_items.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/checkpoint/checkpoint_format.h"
#include "core/checkpoint/checkpoint_writer.h"
#include "core/checkpoint/derived/quantize.h"
#include "core/checkpoint/derived/training_options.h"
#include "core/checkpoint/safetensors/plain_file.h"
#include "core/checkpoint/safetensors/tensor_role.h"
#include "core/io/json_reader.h"

namespace phraseq {
namespace {

using nlohmann::json;

constexpr size_t kShownProblems = 10;
constexpr size_t kBlockElements = 1 << 16;

std::string kind_of(const TensorView& tensor) {
  return fmt::format("{} [{}]", to_string(tensor.dtype), fmt::join(tensor.shape, ", "));
}

bool is_averaged(const TensorView& tensor) {
  return role_of(tensor.name) == TensorRole::kParameter;
}
bool is_kept(const TensorView& tensor) { return role_of(tensor.name) != TensorRole::kOptimizer; }

void compare_tensor(const TensorView& wanted,
                    const CheckpointFile& other,
                    std::vector<std::string>& problems) {
  const TensorView* found = other.find(wanted.name);
  if (found == nullptr) {
    problems.push_back(wanted.name + " is missing");
  } else if (found->dtype != wanted.dtype || found->shape != wanted.shape) {
    problems.push_back(
        fmt::format("{} is {}, not {}", wanted.name, kind_of(*found), kind_of(wanted)));
  } else if (!is_averaged(wanted) && !std::ranges::equal(found->bytes, wanted.bytes)) {
    problems.push_back(wanted.name + " differs");
  }
}

/// What a checkpoint records of its component of a kind; null where it records none.
json component_of(const CheckpointFile& file, const char* kind) {
  if (!file.metadata().contains(kind))
    return json();
  json record = file.metadata_json(kind);
  JsonEntry(record, file.metadata_place(kind)).at("name").text();
  return record;
}

/// Options of an architecture that only training uses.
bool is_of_training(const std::string& option) {
  return option.find("dropout") != std::string::npos || option.ends_with("layerdrop") ||
         option.starts_with("init");
}

/// An option that only one of them has was added later and is not compared.
void compare_options(const json& wanted, const json& found, std::vector<std::string>& problems) {
  for (const auto& [name, value] : found.items()) {
    if (!is_of_training(name) && wanted.contains(name) && wanted[name] != value) {
      problems.push_back(
          fmt::format("the option {} is {}, not {}", name, value.dump(), wanted[name].dump()));
    }
  }
}

void compare_components(const CheckpointFile& model,
                        const CheckpointFile& other,
                        std::vector<std::string>& problems) {
  for (const std::string kind : {"architecture", "task"}) {
    const json wanted = component_of(model, kind.c_str());
    const json found = component_of(other, kind.c_str());
    if (wanted.is_null() || found.is_null())
      continue;
    if (found["name"] != wanted["name"]) {
      problems.push_back(
          fmt::format("the {} is {}, not {}", kind, found["name"].dump(), wanted["name"].dump()));
    } else if (kind == "architecture") {
      const json none = json::object();
      compare_options(wanted.value("options", none), found.value("options", none), problems);
    }
  }
}

/// Only checkpoints of one model with one vocabulary can be averaged.
void check_alike(const CheckpointFile& model, const CheckpointFile& other) {
  std::vector<std::string> problems;
  const auto texts = model.metadata().find("task_texts");
  const auto other_texts = other.metadata().find("task_texts");
  const bool has_both = texts != model.metadata().end() && other_texts != other.metadata().end();
  if (has_both && texts->second != other_texts->second)
    problems.emplace_back("the vocabularies or languages differ");
  compare_components(model, other, problems);
  for (const auto& tensor : model.tensors()) {
    if (is_kept(tensor))
      compare_tensor(tensor, other, problems);
  }
  for (const auto& tensor : other.tensors()) {
    if (is_kept(tensor) && model.find(tensor.name) == nullptr)
      problems.push_back(tensor.name + " is not in the other checkpoint");
  }
  if (problems.empty())
    return;
  throw FormatError(fmt::format("{} cannot be averaged with {}:\n    {}",
                                other.path(),
                                model.path(),
                                first_items(problems, kShownProblems, "\n    ")),
                    "Average checkpoints of the same run.");
}

template <class Element>
Element element_at(std::span<const std::byte> bytes, size_t place) {
  Element element;
  std::memcpy(&element, bytes.data() + place * sizeof(Element), sizeof(Element));
  return element;
}

template <class Element>
void check_finite(const CheckpointFile& file, const TensorView& tensor) {
  for (size_t i = 0; i < tensor.bytes.size() / sizeof(Element); ++i) {
    if (!std::isfinite(element_at<Element>(tensor.bytes, i))) {
      throw DivergenceError(
          fmt::format(
              "{}: tensor {} contains values that are not finite", file.path(), tensor.name),
          "Training had diverged; leave this checkpoint out.");
    }
  }
}

/// Appends the means of the inputs' elements from `begin` to `end`.
template <class Element>
void add_means(const std::vector<std::span<const std::byte>>& inputs,
               size_t begin,
               size_t end,
               std::string& means) {
  std::vector<double> sums(end - begin);
  for (const auto bytes : inputs) {
    for (size_t i = 0; i < sums.size(); ++i)
      sums[i] += static_cast<double>(element_at<Element>(bytes, begin + i));
  }
  for (const double sum : sums) {
    const auto mean = static_cast<Element>(sum / static_cast<double>(inputs.size()));
    means.append(reinterpret_cast<const char*>(&mean), sizeof mean);
  }
}

/// The mean of one tensor over all files, as bytes of the same dtype. The sums have a wider type,
/// so they are made for one block at a time: embeddings can be most of a model.
template <class Element>
std::string mean_of(const std::vector<CheckpointFile>& files, const TensorView& tensor) {
  std::vector<std::span<const std::byte>> inputs;
  for (const auto& file : files) {
    const TensorView& found = *file.find(tensor.name);
    check_finite<Element>(file, found);
    inputs.push_back(found.bytes);
  }
  const auto elements = static_cast<size_t>(tensor.elements());
  std::string means;
  means.reserve(tensor.bytes.size());
  for (size_t begin = 0; begin < elements; begin += kBlockElements)
    add_means<Element>(inputs, begin, std::min(begin + kBlockElements, elements), means);
  return means;
}

std::string mean_of(const std::vector<CheckpointFile>& files, const TensorView& tensor) {
  if (tensor.dtype == DType::kF32)
    return mean_of<float>(files, tensor);
  if (tensor.dtype == DType::kF64)
    return mean_of<double>(files, tensor);
  throw FormatError(fmt::format("{}: tensor {} is {}; only F32 and F64 parameters can be averaged",
                                files.back().path(),
                                tensor.name,
                                to_string(tensor.dtype)));
}

std::map<std::string, std::string> averaged_metadata(const std::vector<CheckpointFile>& files) {
  auto metadata = metadata_for_other_weights(files.back());
  auto inputs = nlohmann::json::array();
  for (const auto& file : files)
    inputs.push_back({{"file", file.path()}, {"fingerprint", file.fingerprint()}});
  metadata["averaged"] = inputs.dump();
  return metadata;
}

}  // namespace

void average_checkpoints(std::span<const std::string> inputs, const std::string& output) {
  if (inputs.empty())
    throw UsageError("nothing to average");
  check_new_checkpoint(output, inputs);
  std::vector<CheckpointFile> files;
  for (const auto& path : inputs) {
    files.push_back(CheckpointFile::open(path));
    reject_quantized(files.back(), "for an average");
    warn_without_checksums(files.back());
  }
  const CheckpointFile& last = files.back();
  for (const auto& file : files) check_alike(last, file);

  std::deque<std::string> means;  // a deque: the views' bytes stay where they are
  std::vector<TensorView> tensors;
  for (const auto& tensor : last.tensors()) {
    if (!is_kept(tensor))
      continue;
    tensors.push_back(tensor);
    if (is_averaged(tensor)) {
      means.push_back(mean_of(files, tensor));
      tensors.back().bytes = std::as_bytes(std::span(means.back()));
    }
  }
  write_checkpoint(output, averaged_metadata(files), tensors);
}

}  // namespace phraseq
