#include "core/run/training/training_summary.h"

#include <filesystem>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/shell_quote.h"
#include "core/data/joined/data_folders.h"
#include "core/train/validation/best_score.h"

namespace phraseq {
namespace {

bool has_split(const TranslationModel& translation_model, const std::string& split) {
  try {
    return translation_model.open(split, /*training=*/false)->size() > 0;
  } catch (const Error&) {
    return false;
  }
}

/// Input arguments for `phraseq generate` or `phraseq eval-lm`: " DATA --gen-subset valid", or
/// nothing for standard input.
std::string input_words(const TrainRun& run, const TranslationModel& translation_model) {
  const std::string data = " " + shell_quoted_path(data_folders(run.components.data).front());
  if (has_split(translation_model, "test"))
    return data;
  const std::string subset = run.validation.subsets().front();
  return has_split(translation_model, subset) ? data + " --gen-subset " + shell_quoted_path(subset)
                                              : "";
}

std::string command_for(const TrainRun& run,
                        const std::string& command,
                        const std::string& input,
                        const std::string& checkpoint) {
  std::string line =
      fmt::format("phraseq {}{} --path {}", command, input, shell_quoted_path(checkpoint));
  for (const std::string& folder : run.components.plugins.plugin_dir)
    line += " --plugin-dir " + shell_quoted_path(folder);
  return line;
}

/// A line that suggests how to use the checkpoint: the purpose and the command.
std::string advice(const TrainRun& run,
                   const TranslationModel& translation_model,
                   const std::string& checkpoint) {
  const std::string input = input_words(run, translation_model);
  const bool translates = translation_model.model->conventions().reads_source;
  const bool evaluates = !translates && !input.empty();
  return fmt::format(
      "{} with it:\n    {}",
      translates ? "translate" : (evaluates ? "compute the perplexity" : "continue text"),
      command_for(run, evaluates ? "eval-lm" : "generate", input, checkpoint));
}

}  // namespace

std::string training_summary(const TrainRun& run,
                             const TrainState& state,
                             const CheckpointFolder& folder,
                             const TranslationModel& translation_model) {
  const std::string best = folder.path() + "/" + kBestPointer;
  const std::string last = folder.path() + "/" + kLastPointer;
  const bool has_best = state.saved_best && std::filesystem::exists(best);
  const std::string& checkpoint = has_best ? best : last;
  if (!std::filesystem::exists(checkpoint))
    return {};
  const std::string score =
      has_best ? fmt::format("best checkpoint: {} ({})",
                             checkpoint,
                             score_text(run.validation.best_checkpoint_metric, *state.saved_best))
               : fmt::format("last checkpoint: {} (no validation)", checkpoint);
  return score + "; " + advice(run, translation_model, checkpoint);
}

}  // namespace phraseq
