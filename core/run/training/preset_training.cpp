#include "core/run/training/preset_training.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/text_fields.h"
#include "core/options/command_line.h"

namespace phraseq {
namespace {

constexpr int64_t kLongestWarmup = 4000;  // fairseq's default of inverse_sqrt
constexpr int64_t kUnknownLength = 8000;  // length of the run of Wu et al. 2021
constexpr const char* kWarmup = "warmup-updates";

void take(OptionTable& table, std::string_view name, std::string_view value) {
  OptionField* const field = table.find(name);
  if (field != nullptr && !value.empty() && !field->is_given())
    field->from_text(value, OptionOrigin::kPreset);
}

/// True if a preset value makes no sense in combination with the options of the user.
bool is_void(const std::string& name,
             const TrainingDefaults& defaults,
             std::span<const std::string> arguments,
             OptionTable& table) {
  if (name == "max-tokens")
    return !peek_option(table, arguments, "batch-size", "").empty();
  if (name == "precision")
    return peek_flag(table, arguments, "bf16") || peek_flag(table, arguments, "fp16");
  return name == "lr" &&
         peek_option(table, arguments, "optimizer", defaults.optimizer) != defaults.optimizer;
}

int64_t updates_of_epoch(const OptimizationOptions& options, int64_t epoch, int64_t batches) {
  const auto& list = options.update_freq;
  const int64_t frequency = list[std::min(static_cast<size_t>(epoch), list.size() - 1)];
  return (batches + frequency - 1) / frequency;
}

int64_t updates_of_epochs(const OptimizationOptions& options, int64_t batches_in_epoch) {
  const auto listed = static_cast<int64_t>(options.update_freq.size());
  int64_t updates = 0;
  for (int64_t epoch = 0; epoch < std::min(listed, options.max_epoch); ++epoch)
    updates += updates_of_epoch(options, epoch, batches_in_epoch);
  const int64_t others = std::max<int64_t>(0, options.max_epoch - listed);
  return updates + others * updates_of_epoch(options, listed, batches_in_epoch);
}

/// Sets an option to a multiple of another one that is given, unless it is given itself. A value
/// that is not valid is reported when it is parsed.
void take_multiple(std::span<const std::string> arguments,
                   OptionTable& table,
                   const std::string& name,
                   const std::string& other,
                   int64_t factor) {
  const OptionField* const field = table.find(name);
  const auto given = number_in<int64_t>(peek_option(table, arguments, other, ""));
  if (field == nullptr || !given)
    return;
  const double value = static_cast<double>(factor) * static_cast<double>(*given);
  if (value >= field->low && value <= field->high)
    take(table, name, std::to_string(factor * *given));
}

/// Whether encoder and decoder have embeddings of different widths, which cannot be tied.
bool widths_differ(const OptionTable& table) {
  const OptionField* const encoder = table.find("encoder-embed-dim");
  const OptionField* const decoder = table.find("decoder-embed-dim");
  return encoder != nullptr && decoder != nullptr && encoder->to_text() != decoder->to_text();
}

}  // namespace

void take_component_names(const TrainingDefaults& defaults,
                          bool architecture_declares_criterion,
                          OptionTable& table) {
  if (!architecture_declares_criterion)
    take(table, "criterion", defaults.criterion);
  take(table, "optimizer", defaults.optimizer);
  take(table, "lr-scheduler", defaults.lr_scheduler);
}

void take_option_values(const TrainingDefaults& defaults,
                        std::span<const std::string> arguments,
                        OptionTable& table) {
  for (const auto& [name, value] : defaults.options) {
    if (!is_void(name, defaults, arguments, table))
      take(table, name, value);
  }
  if (!defaults.keeps_decoder_sizes) {
    for (const std::string size : {"embed-dim", "ffn-embed-dim"})
      take_multiple(arguments, table, "decoder-" + size, "encoder-" + size, 1);
  }
  if (defaults.ffn_factor > 0)
    take_multiple(
        arguments, table, "decoder-ffn-embed-dim", "decoder-embed-dim", defaults.ffn_factor);
}

void tie_embeddings(const TrainingDefaults& defaults, bool joined, OptionTable& table) {
  if (defaults.tie_when_joined && joined && !widths_differ(table))
    take(table, "share-all-embeddings", "yes");
}

std::optional<int64_t> expected_updates(const OptimizationOptions& options,
                                        int64_t batches_in_epoch) {
  int64_t updates = std::numeric_limits<int64_t>::max();
  if (options.max_update > 0)
    updates = options.max_update;
  if (options.max_epoch > 0 && options.accumulate_to_tokens == 0)
    updates = std::min(updates, updates_of_epochs(options, batches_in_epoch));
  if (updates == std::numeric_limits<int64_t>::max())
    return std::nullopt;
  return updates;
}

void take_warmup(const TrainingDefaults& defaults,
                 std::optional<int64_t> run_length,
                 const nlohmann::json& recorded_options,
                 OptionTable& table) {
  if (defaults.warmup_share <= 0.0)
    return;
  const auto recorded = recorded_options.find("warmup_updates");
  if (recorded != recorded_options.end() && recorded->is_number_integer())
    return take(table, kWarmup, std::to_string(recorded->get<int64_t>()));
  const double length = static_cast<double>(run_length.value_or(kUnknownLength));
  const int64_t share = std::llround(length * defaults.warmup_share);
  take(table, kWarmup, std::to_string(std::clamp<int64_t>(share, 1, kLongestWarmup)));
}

}  // namespace phraseq
