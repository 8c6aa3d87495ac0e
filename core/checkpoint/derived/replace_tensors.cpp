#include "core/checkpoint/derived/replace_tensors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/wording/close_matches.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/checkpoint/checkpoint_format.h"
#include "core/checkpoint/checkpoint_writer.h"
#include "core/checkpoint/safetensors/float_values.h"
#include "core/checkpoint/safetensors/plain_file.h"
#include "core/io/json_reader.h"

namespace phraseq {
namespace {

using nlohmann::json;

std::vector<std::string> names_of(const CheckpointFile& file) {
  std::vector<std::string> names;
  for (const TensorView& tensor : file.tensors()) names.push_back(tensor.name);
  return names;
}

bool are_finite(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

bool is_rounded(DType from, DType to) { return is_float(from) && is_float(to); }

/// Why a tensor cannot replace the checkpoint's tensor of the same name; nothing if it can.
std::optional<std::string> misfit(const TensorView& tensor, const CheckpointFile& model) {
  const TensorView* const place = model.find(tensor.name);
  if (place == nullptr) {
    const std::string guess = did_you_mean(tensor.name, names_of(model));
    return fmt::format(
        "{} is not in the checkpoint{}{}", tensor.name, guess.empty() ? "" : "; ", guess);
  }
  if (tensor.shape != place->shape) {
    return fmt::format("{} has shape [{}], in the checkpoint it has [{}]",
                       tensor.name,
                       fmt::join(tensor.shape, ", "),
                       fmt::join(place->shape, ", "));
  }
  if (tensor.dtype != place->dtype && !is_rounded(tensor.dtype, place->dtype)) {
    return fmt::format("{} is {}, in the checkpoint it is {}",
                       tensor.name,
                       to_string(tensor.dtype),
                       to_string(place->dtype));
  }
  return std::nullopt;
}

/// Replacements by name, and the bytes of those that were rounded.
class Replacements {
 public:
  Replacements(const CheckpointFile& model, const CheckpointFile& tensors) {
    for (const TensorView& tensor : tensors.tensors()) add(tensor, model);
    if (tensors.tensors().empty())
      problems_.emplace_back("there are no tensors");
    if (problems_.empty())
      return;
    throw FormatError(
        fmt::format("{}: the tensors do not match {}:\n  - {}",
                    tensors.path(),
                    model.path(),
                    fmt::join(problems_, "\n  - ")),
        "Nothing was written; phraseq inspect --tensors lists a checkpoint's tensors.");
  }

  /// The checkpoint's tensors with the replacements among them.
  std::vector<TensorView> applied_to(const CheckpointFile& model) const {
    std::vector<TensorView> all = model.tensors();
    for (TensorView& tensor : all) {
      const auto found = std::ranges::find(views_, tensor.name, &TensorView::name);
      if (found != views_.end())
        tensor.bytes = found->bytes;
    }
    return all;
  }

  const ReplacedTensors& names() const { return names_; }

 private:
  void add(const TensorView& tensor, const CheckpointFile& model) {
    if (auto problem = misfit(tensor, model))
      return problems_.push_back(*std::move(problem));
    const TensorView& place = *model.find(tensor.name);
    TensorView view = tensor;
    if (is_float(tensor.dtype)) {
      const auto values = float_values(tensor);
      if (tensor.dtype != place.dtype)
        view.bytes =
            std::as_bytes(std::span(rounded_.emplace_back(float_bytes(values, place.dtype))));
      view.dtype = place.dtype;
      if (!are_finite(float_values(view))) {
        problems_.push_back(are_finite(values)
                                ? fmt::format("{} holds values too large for {}",
                                              tensor.name,
                                              to_string(place.dtype))
                                : fmt::format("{} holds values that are not finite", tensor.name));
      }
    }
    const bool is_equal = std::ranges::equal(view.bytes, place.bytes);
    (is_equal ? names_.equal : names_.changed).push_back(view.name);
    views_.push_back(std::move(view));
  }

  std::deque<std::string> rounded_;  // a deque: the views' bytes stay where they are
  std::vector<TensorView> views_;
  std::vector<std::string> problems_;
  ReplacedTensors names_;
};

/// The entries of the checkpoint with this replacement after the earlier ones.
std::map<std::string, std::string> recorded(const CheckpointFile& model,
                                            const std::string& file,
                                            const ReplacedTensors& names) {
  auto metadata = model.metadata();
  metadata.erase(kSelfTestEntry);  // of other weights
  json list = json::array();
  if (metadata.contains("replaced")) {
    list = model.metadata_json("replaced");
    if (!list.is_array())
      JsonEntry(list, model.metadata_place("replaced")).refuse("a list");
  }
  list.push_back({{"file", file}, {"tensors", names.changed}});
  metadata["replaced"] = list.dump();
  return metadata;
}

}  // namespace

ReplacedTensors replace_tensors(const std::string& model,
                                const std::string& tensors,
                                const std::string& output) {
  check_new_checkpoint(output, std::array{model, tensors});
  const auto checkpoint = CheckpointFile::open(model);
  require_model(checkpoint);
  const auto file = CheckpointFile::open(tensors);
  const Replacements replacements(checkpoint, file);
  write_checkpoint(output,
                   recorded(checkpoint, tensors, replacements.names()),
                   replacements.applied_to(checkpoint));
  return replacements.names();
}

}  // namespace phraseq
