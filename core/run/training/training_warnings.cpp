#include "core/run/training/training_warnings.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/random.h"
#include "core/base/wording/counted.h"
#include "core/data/joined/data_folders.h"
#include "core/translate/recorded_components.h"

namespace phraseq {
namespace {

/// Below this number of training tokens per type, most types are too rare to learn. Multi30k with
/// 10,000 subwords has about 45.
constexpr double kTokensPerType = 20.0;
constexpr double kShareOfOverlap = 0.01;
constexpr int64_t kMaxCompared = 5'000'000;  ///< pairs; reading more would delay the start

uint64_t hash_of(const std::vector<int64_t>& ids, uint64_t hash) {
  for (const int64_t id : ids) hash = mix_seeds(hash, static_cast<uint64_t>(id));
  return hash;
}

uint64_t hash_of(const Example& example) {
  return hash_of(example.target, mix_seeds(hash_of(example.source, 1), 2));
}

int64_t target_tokens(const Corpus& corpus) {
  int64_t tokens = 0;
  for (int64_t i = 0; i < corpus.size(); ++i) tokens += corpus.target_length(i);
  return tokens;
}

/// The number of types that can be learned from the text: those that occurred when the dictionary
/// was made.
int64_t used_types(const Dictionary& dictionary) {
  int64_t types = 0;
  for (int64_t id = kUnk + 1; id < dictionary.size(); ++id) types += dictionary.count(id) > 0;
  return types;
}

/// Describes how dictionaries of the data differ from those in a checkpoint's task texts.
std::vector<std::string> other_dictionaries(const std::map<std::string, std::string>& texts,
                                            const Task& task) {
  std::vector<std::string> differences;
  const auto compare = [&](const char* side, const char* text_name, const Dictionary& dictionary) {
    const auto text = texts.find(text_name);
    if (text == texts.end())
      return;
    const Dictionary recorded = Dictionary::parse(text->second, text_name);
    if (!(recorded == dictionary)) {
      differences.push_back(
          fmt::format("the {} dictionary of the data is not that of the checkpoint ({})",
                      side,
                      dictionary_difference(dictionary, recorded)));
    }
  };
  compare("source", "source_dictionary", task.source_dictionary());
  const bool is_joined = texts.contains("joined_dictionary");
  compare(
      "target", is_joined ? "source_dictionary" : "target_dictionary", task.target_dictionary());
  return differences;
}

/// The smaller of the two numbers of updates, where 0 means no limit.
int64_t earlier_end(const ChangedLength& length) {
  const auto [shorter, longer] = std::minmax(length.then, length.now);
  return shorter > 0 ? shorter : longer;
}

bool is_given(const OptionTable& table, std::string_view name) {
  const OptionField* field = table.find(name);
  return field != nullptr && field->is_given();
}

/// True if a flag is on, a number is not 0, or a text is not empty.
bool is_set(const OptionTable& table, std::string_view name) {
  const OptionField* field = table.find(name);
  const std::string text = field == nullptr ? "" : field->to_text();
  return !text.empty() && text != "no" && text != "0";
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

/// The option with the length of the warm-up in updates; null for a schedule without such an
/// option.
const OptionField* warmup_field(const OptionTable& table) {
  if (const OptionField* const updates = table.find("warmup-updates"))
    return updates;
  return is_set(table, "phase-ratio") ? nullptr : table.find("warmup-steps");
}

/// The setting with which less of the initial parameters remains after `averaged` updates of the
/// average.
std::string smaller_average(double averaged) {
  constexpr double kFewDecays = 10, kSmallest = 0.5;
  if (averaged == 0)
    return "a smaller --ema-update-freq";
  return fmt::format("--ema-decay {:.2g} or less", std::max(kSmallest, 1 - kFewDecays / averaged));
}

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

void warn_of_other_dictionaries(const std::map<std::string, std::string>& texts, const Task& task) {
  for (const std::string& difference : other_dictionaries(texts, task)) {
    log_warning(fmt::format(
        "--finetune-from-model: {}, so symbols would get the embeddings of other symbols. "
        "Preprocess the data with --srcdict and --tgtdict",
        difference));
  }
}

void require_dictionaries_of(const CheckpointFile& file, const Task& task) {
  const auto differences = other_dictionaries(recorded_task_texts(file), task);
  if (!differences.empty()) {
    throw DataError(fmt::format("{}: {}", file.path(), differences.front()),
                    "Resume with the data of the earlier run, or train from scratch in "
                    "another --save-dir.");
  }
}

void warn_of_warmup(std::optional<int64_t> run_length, const OptionTable& table) {
  const OptionField* const field = warmup_field(table);
  if (field == nullptr || !run_length || !std::holds_alternative<int64_t*>(field->target))
    return;
  const int64_t warmup = *std::get<int64_t*>(field->target);
  if (warmup < *run_length || *run_length == 1)  // a run of one update is a trial
    return;
  log_warning(fmt::format(
      "the run has {} and ends within the warm-up of {}: the learning rate never reaches "
      "its peak. Use --{} {}, or train for longer",
      counted(*run_length, "update"),
      warmup,
      field->name,
      std::max<int64_t>(1, *run_length / 10)));
}

void warn_of_average(std::optional<int64_t> run_length, const MovingAverageOptions& average) {
  constexpr double kMuch = 0.5;
  if (!average.enabled() || average.ema_start_update > 0 || !run_length)
    return;
  const auto averaged = static_cast<double>(*run_length / average.ema_update_freq);
  const double share = std::pow(average.decay(), averaged);
  if (share <= kMuch)
    return;
  log_warning(fmt::format(
      "after the {} of this run, {:.0f} % of the moving average (--store-ema) would still be the "
      "initial parameters. Use {}, or train for longer",
      counted(*run_length, "update"),
      100 * share,
      smaller_average(averaged)));
}

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

void warn_of_unused_rate(const LrScheduler& scheduler,
                         const LrScheduler& with_other_rate,
                         const OptionTable& table) {
  constexpr int64_t kUpdates[] = {0, 1, 10, 1000, 100000};
  const bool is_used = std::ranges::any_of(kUpdates, [&](int64_t updates) {
    return scheduler.rate(updates) != with_other_rate.rate(updates);
  });
  if (is_used)
    return;
  log_warning(fmt::format("--lr has no effect with --lr-scheduler {}{}",
                          table.find("lr-scheduler")->to_text(),
                          table.find("lr-scale") == nullptr
                              ? ""
                              : ": --lr-scale multiplies the rates of this schedule"));
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
                  "--criterion "
                  "label_smoothed_cross_entropy_with_alignment, which is the default of --arch "
                  "transformer_align",
                  name));
}

void warn_of_schedule(const LrScheduler& then,
                      const LrScheduler& now,
                      const ChangedLength& length) {
  const int64_t first = length.updates;
  const int64_t last = std::max(first, earlier_end(length));
  for (const int64_t updates : {first, first + (last - first) / 2, last}) {
    if (then.rate(updates) == now.rate(updates))
      continue;
    return log_warning(fmt::format(
        "--max-update was {}, now {}, which also changes the length of the learning rate schedule: "
        "update {} has a rate of {:g} instead of {:g}. To keep the schedule, set its length with "
        "its own option (--total-num-update, --lr-period-updates, or the numbers of steps), and "
        "name that option in --allow-changed",
        length.then,
        length.now,
        updates + 1,
        now.rate(updates),
        then.rate(updates)));
  }
}

void warn_of_vocabulary(const Dictionary& dictionary, const Corpus& training) {
  const int64_t types = used_types(dictionary);
  const int64_t tokens = target_tokens(training);
  if (types == 0 || static_cast<double>(tokens) >= kTokensPerType * static_cast<double>(types))
    return;
  log_warning(fmt::format(
      "the dictionary has {} types for {} target tokens of training text, {:.1f} per type: most "
      "types are too rare to be learned. Preprocess with fewer --subwords or BPE merges, or, if "
      "they are whole words, with a smaller --nwordstgt (--nwordssrc for a joined dictionary or a "
      "language model)",
      types,
      tokens,
      static_cast<double>(tokens) / static_cast<double>(types)));
}

int64_t common_pairs(const Corpus& some, const Corpus& others) {
  std::unordered_set<uint64_t> wanted, found;
  for (int64_t i = 0; i < some.size(); ++i) wanted.insert(hash_of(some.get(i)));
  for (int64_t i = 0; i < std::min(others.size(), kMaxCompared); ++i) {
    const uint64_t hash = hash_of(others.get(i));
    if (wanted.contains(hash))
      found.insert(hash);
  }
  int64_t common = 0;
  for (int64_t i = 0; i < some.size(); ++i) common += found.contains(hash_of(some.get(i)));
  return common;
}

void warn_of_overlap(const Corpus& training, const Corpus& validation, const std::string& split) {
  const int64_t common = common_pairs(validation, training);
  if (static_cast<double>(common) <= kShareOfOverlap * static_cast<double>(validation.size()))
    return;
  log_warning(
      fmt::format("{} of {} pairs of the split '{}' are also in the training set: validation "
                  "results will be too good. Remove these pairs from the training text",
                  common,
                  validation.size(),
                  split));
}

}  // namespace phraseq
