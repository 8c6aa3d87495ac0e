#include "core/train/tensorboard/tensorboard_log.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <numbers>
#include <unistd.h>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/text_fields.h"

namespace phraseq::tensorboard {
namespace {

struct FairseqName {
  std::string_view key;   ///< in metrics.jsonl
  std::string_view name;  ///< in fairseq's log
  double factor;
};

constexpr double kBits = 1 / std::numbers::ln2;

constexpr FairseqName kNames[] = {{"loss", "loss", kBits},
                                  {"nll_loss", "nll_loss", kBits},
                                  {"gradient_norm", "gnorm", 1},
                                  {"clipped", "clip", 100},
                                  {"tokens_per_update", "wpb", 1},
                                  {"sentences_per_update", "bsz", 1},
                                  {"tokens_per_second", "wps", 1},
                                  {"updates_per_second", "ups", 1},
                                  {"correct_per_token", "accuracy", 100}};

/// Keys that are not shown: the step, and sums that belong only in the metrics file.
constexpr std::string_view kLeftOut[] = {
    "updates", "epoch", "batch", "batches", "tokens", "sentences", "seconds"};

/// The entry of a key or of one of fairseq's names; if there is none, the key itself.
FairseqName name_of(std::string_view key) {
  const auto* found = std::find_if(std::begin(kNames), std::end(kNames), [&](const FairseqName& n) {
    return n.key == key || n.name == key;
  });
  return found == std::end(kNames) ? FairseqName{key, key, 1} : *found;
}

/// The name of a key of a record: "best" and "score" are named after their metric, such as
/// best_loss and bleu.
FairseqName name_in(const nlohmann::json& record, const std::string& key, std::string& storage) {
  if (key == "best") {
    const std::string metric = record.value("best_metric", "loss");
    storage = "best_" + metric;
    return {key, storage, name_of(metric).factor};
  }
  if (key == "score") {
    storage = to_ascii_lowercase(record.value("score_name", "score"));
    return {key, storage, 1};
  }
  return name_of(key);
}

}  // namespace

Scalars scalars_of(const nlohmann::json& record) {
  Scalars scalars;
  for (const auto& [key, value] : record.items()) {
    const bool left_out =
        std::find(std::begin(kLeftOut), std::end(kLeftOut), key) != std::end(kLeftOut);
    if (left_out || !(value.is_number() || value.is_null()))
      continue;
    std::string storage;
    const FairseqName known = name_in(record, key, storage);
    const double number =
        value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
    scalars.emplace_back(known.name, static_cast<float>(number * known.factor));
  }
  return scalars;
}

TensorBoardLog::TensorBoardLog(std::string folder) : folder_(std::move(folder)) {
  std::error_code failure;
  std::filesystem::create_directories(folder_, failure);
  const int reason = failure ? failure.value() : ::access(folder_.c_str(), W_OK) == 0 ? 0 : errno;
  if (reason != 0)
    throw IoError(folder_, "create files in", reason, "Give another --tensorboard-logdir.");
}

void TensorBoardLog::record(const nlohmann::json& fields) {
  const std::string event = fields.value("event", "");
  if (event == "resume")
    purge_step_ = fields.value("updates", int64_t{-1}) + 1;
  else if (event == "train")
    add("train_inner", fields);
  else if (event == "epoch")
    add("train", fields);
  else if (event == "valid" || event == "valid_further")
    add(fields.value("subset", "valid"), fields);
}

void TensorBoardLog::add(const std::string& part, const nlohmann::json& fields) {
  try {
    auto& file = files_[part];
    if (!file)
      file = std::make_unique<EventFile>(folder_ + "/" + part, purge_step_);
    file->add(fields.at("updates").get<int64_t>(), scalars_of(fields));
  } catch (const IoError& failure) {
    if (!warned_)
      log_warning(fmt::format("--tensorboard-logdir: {}; the training continues", failure.what()));
    warned_ = true;
  }
}

}  // namespace phraseq::tensorboard
