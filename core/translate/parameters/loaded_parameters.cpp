#include "core/translate/parameters/loaded_parameters.h"

#include <cmath>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <ATen/ops/isfinite.h>
#include <ATen/ops/sum.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/wording/first_items.h"
#include "core/checkpoint/safetensors/plain_file.h"
#include "core/checkpoint/safetensors/tensor_role.h"
#include "core/nn/packed/product_choice.h"
#include "core/nn/parameters/left_out_parameters.h"
#include "core/translate/parameters/mapped_parameters.h"
#include "core/translate/parameters/stored_parameter.h"

namespace phraseq {
namespace {

constexpr size_t kShownProblems = 10;

/// Throws if a value is not finite. One sum over all parameters costs little; they are examined one
/// by one only if it is not finite.
void check_finite(const nn::FlatParameters& parameters, const std::string& path) {
  if (std::isfinite(at::sum(parameters.values()).item<double>()))
    return;
  for (const auto& entry : parameters.entries()) {
    if (at::isfinite(entry.parameter).all().item<bool>())
      continue;
    throw DivergenceError(
        fmt::format("{}: parameter {} contains values that are not finite", path, entry.name),
        "Training had diverged; use an earlier checkpoint.");
  }
}

/// Checks every name, type and shape; lists all mismatches in one FormatError.
void check_parameters(const nn::FlatParameters& parameters,
                      const Selection& architecture,
                      const CheckpointFile& file) {
  warn_without_checksums(file);
  std::vector<std::string> problems;
  std::unordered_set<std::string_view> names;
  for (const auto& entry : parameters.entries()) {
    check_parameter(file, entry.name, entry.parameter, problems);
    names.insert(entry.name);
  }
  const auto* const partial =
      dynamic_cast<const nn::LeavesOutParameters*>(architecture.options.get());
  for (const TensorView& tensor : file.tensors()) {
    const bool is_left_out = partial != nullptr && partial->leaves_out(tensor.name);
    if (role_of(tensor.name) == TensorRole::kParameter && !is_left_out &&
        !names.contains(tensor.name))
      problems.push_back(fmt::format("{} is not a parameter of the model", tensor.name));
  }
  if (problems.empty())
    return;
  throw FormatError(fmt::format("{}: the weights do not match the architecture {}:\n  - {}",
                                file.path(),
                                architecture.component->name,
                                first_items(problems, kShownProblems, "\n  - ")),
                    "The model needs the architecture and its options with which the file was "
                    "written: phraseq inspect --options shows them.");
}

/// Whether linear maps read their weights once, to pack them. If they do not, weights that are
/// multiplied together should be adjacent, as FlatParameters lays them out.
bool products_pack(nn::Precision precision) {
  constexpr int64_t kManyRows = int64_t{1} << 40;
  return precision == nn::Precision::kFp32 &&
         nn::own_product_pays(kManyRows, nn::Quantization::kNone, nn::kernels::best_level());
}

void copy_parameters(const nn::FlatParameters& parameters, const CheckpointFile& file) {
  for (const auto& entry : parameters.entries()) copy_parameter(file, entry.name, entry.parameter);
}

}  // namespace

void fill_parameters(nn::FlatParameters& parameters,
                     const Selection& architecture,
                     const CheckpointFile& file) {
  check_parameters(parameters, architecture, file);
  copy_parameters(parameters, file);
  check_finite(parameters, file.path());
}

std::unique_ptr<nn::FlatParameters> loaded_parameters(torch::nn::Module& module,
                                                      const Selection& architecture,
                                                      const CheckpointFile& file,
                                                      nn::Precision precision) {
  auto parameters = std::make_unique<nn::FlatParameters>(nn::FlatParameters::unset(module));
  check_parameters(*parameters, architecture, file);
  if (auto mapped =
          products_pack(precision) ? mapped_parameters(file, module, *parameters) : nullptr) {
    parameters = std::move(mapped);
  } else {
    copy_parameters(*parameters, file);
  }
  check_finite(*parameters, file.path());
  return parameters;
}

}  // namespace phraseq
