#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/nn/context.h"
#include "core/options/batch_options.h"
#include "core/options/option_table.h"
#include "core/plugin/plugin_options.h"
#include "core/run/options/device_options.h"
#include "core/run/options/direction_options.h"
#include "core/run/run_components.h"

namespace phraseq {

enum class ValidationFormat { kPlain, kJson };

inline constexpr EnumName<ValidationFormat> kValidationFormatNames[] = {
    {"plain", ValidationFormat::kPlain}, {"json", ValidationFormat::kJson}};

/// The data and the model to validate, and the format of the result.
struct PHRASEQ_API ValidateOptions : Options {
  std::string data;
  std::string path;
  std::string valid_subset = "valid";
  std::string criterion = "cross_entropy";
  std::vector<std::string> model_overrides;
  bool skip_self_test = false;
  PluginOptions plugins;
  BatchOptions batches{4096};
  int64_t threads = 0;
  nn::Precision precision = nn::Precision::kFp32;
  DirectionOptions direction;
  DeviceOptions device;
  ValidationFormat format = ValidationFormat::kPlain;

  void describe(OptionTable& table) override;
  /// Throws UsageError for an empty or repeated name.
  std::vector<std::string> subsets() const;
};

struct ValidationResult;

/// `phraseq validate`: components are selected and options described, but not parsed yet.
struct PHRASEQ_API ValidateRun {
  explicit ValidateRun(std::span<const std::string> arguments);
  /// Problems of the options. Some problems are thrown as UsageError instead.
  std::vector<std::string> problems() const;
  /// Names the criterions that have an option that the selected one lacks (ExplainOption).
  std::string explain_unknown(const std::string& option) const;

  std::unique_ptr<LoadedPlugins> loaded;
  ValidateOptions options;
  OptionTable table;
  Selection criterion;
  bool records_criterion = false;  ///< whether the checkpoint does
};

/// Computes the loss on each split, and passes each result to `report`. Throws DivergenceError on a
/// loss that is not finite.
PHRASEQ_API void validate(ValidateRun& run,
                          const std::function<void(const ValidationResult& result)>& report);

/// The result as one line of the training log, in base 2, or as a JSON object.
PHRASEQ_API std::string validation_text(const ValidationResult& result, ValidationFormat format);

}  // namespace phraseq
