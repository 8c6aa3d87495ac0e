#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/nn/context.h"
#include "core/options/batch_options.h"
#include "core/options/option_table.h"
#include "core/plugin/plugin_options.h"
#include "core/run/options/device_options.h"
#include "core/run/options/direction_options.h"

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

}  // namespace phraseq
