#include "core/run/training/warnings/unused_options.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/log.h"
#include "core/run/training/warnings/option_is_set.h"

namespace phraseq {
namespace {

bool is_given(const OptionTable& table, std::string_view name) {
  const OptionField* field = table.find(name);
  return field != nullptr && field->is_given();
}

/// An option that has an effect only together with one of the options in `any_of`.
struct NeededOptions {
  const char* name;
  std::vector<const char*> any_of;
};

const std::vector<NeededOptions> kNeeds = {{"keep-interval-updates", {"save-interval-updates"}},
                                           {"eval-bleu-args", {"eval-bleu"}},
                                           {"eval-bleu-print-samples", {"eval-bleu"}},
                                           {"eval-bleu-sentences", {"eval-bleu"}},
                                           {"eval-bleu-remove-bpe", {"eval-bleu"}},
                                           {"ema-start-update", {"store-ema", "ema-decay"}},
                                           {"ema-update-freq", {"store-ema", "ema-decay"}}};

/// Options that have no effect if another one is set.
constexpr std::pair<const char*, const char*> kOverruled[] = {
    {"update-freq", "accumulate-to-tokens"},
    {"keep-last-epochs", "no-epoch-checkpoints"},
    {"save-interval", "no-save"},
    {"save-interval-updates", "no-save"},
    {"keep-interval-updates", "no-save"},
    {"keep-last-epochs", "no-save"},
    {"keep-best-checkpoints", "no-save"}};

void warn_of_unused_loss_scale(const OptionTable& table) {
  const OptionField* const precision = table.find("precision");
  if (is_set(table, "fp16") || precision == nullptr || precision->to_text() == "fp16")
    return;
  for (const OptionField& field : table.fields()) {
    const bool is_of_scale = field.name.starts_with("fp16-") || field.name.ends_with("-loss-scale");
    if (is_of_scale && field.is_given())
      log_warning(fmt::format("--{} has no effect without --fp16", field.name));
  }
}

}  // namespace

void warn_of_unused_options(const OptionTable& table) {
  for (const auto& [name, needed] : kNeeds) {
    const auto is_on = [&](const char* other) { return is_set(table, other); };
    if (is_given(table, name) && std::ranges::none_of(needed, is_on))
      log_warning(
          fmt::format("--{} has no effect without --{}", name, fmt::join(needed, " or --")));
  }
  warn_of_unused_loss_scale(table);
  for (const auto& [name, other] : kOverruled) {
    if (is_given(table, name) && is_set(table, other))
      log_warning(fmt::format("--{} has no effect with --{}", name, other));
  }
  if (is_given(table, "lr") && is_set(table, "relative-step"))
    log_warning(
        "--lr has no effect with --relative-step: Adafactor determines its own rate, which the log "
        "does not show");
}

void warn_of_values_without_effect(const Selection& selection) {
  for (const std::string& sentence : without_effect_of(selection)) log_warning(sentence);
}

void warn_of_unused_validation(const OptionTable& table) {
  std::vector<std::string> unused;
  for (const OptionField& field : table.fields()) {
    const bool is_of_validation =
        field.section == "Validation" || field.name == "keep-best-checkpoints";
    if (field.is_given() && is_of_validation && field.name != "disable-validation")
      unused.push_back("--" + field.name);
  }
  if (!unused.empty())
    log_warning(fmt::format("no effect with --disable-validation: {}", fmt::join(unused, ", ")));
  const OptionField* const scheduler = table.find("lr-scheduler");
  if (scheduler != nullptr && scheduler->to_text() == "reduce_lr_on_plateau")
    log_warning(
        "--lr-scheduler reduce_lr_on_plateau never reduces the learning rate with "
        "--disable-validation");
}

void warn_of_unused_alignments(const Criterion& criterion,
                               std::string_view name,
                               const OptionTable& table) {
  const OptionField* const loading = table.find("load-alignments");
  if (loading == nullptr || loading->to_text() != "yes" || criterion.uses_alignments())
    return;
  log_warning(
      fmt::format("--load-alignments has no effect: the criterion {} has no alignment loss. Use "
                  "--criterion label_smoothed_cross_entropy_with_alignment, which is the default "
                  "of --arch transformer_align",
                  name));
}

}  // namespace phraseq
