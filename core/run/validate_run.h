#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/run/options/device_options.h"
#include "core/run/run_components.h"

namespace phraseq {

/// What is validated, and how the result is printed.
struct PHRASEQ_API ValidateOptions : Options {
  std::string data;
  std::string path;
  std::string valid_subset = "valid";
  std::string criterion = "cross_entropy";
  std::vector<std::string> model_overrides;
  std::vector<std::string> plugin_dir;
  int64_t max_tokens = 4096;
  int64_t batch_size = 0;
  int64_t threads = 0;
  std::string precision = "fp32";
  DeviceOptions device;
  std::string format = "plain";

  void describe(OptionTable& table) override;
};

/// `phraseq validate`: everything chosen and described, not yet parsed.
struct PHRASEQ_API ValidateRun {
  explicit ValidateRun(std::span<const std::string> arguments);

  std::unique_ptr<LoadedPlugins> loaded;
  ValidateOptions options;
  OptionTable table;
  Selection criterion;
};

/// Computes the loss on the split; see Validator::run for the result.
PHRASEQ_API nlohmann::json validate(ValidateRun& run);

/// The result as one line of the training log, in base 2, or as a JSON object.
PHRASEQ_API std::string validation_text(const nlohmann::json& result, const std::string& format);

}  // namespace phraseq
