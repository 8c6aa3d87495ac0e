#include "core/run/training/first_model.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/base/log.h"
#include "core/base/memory/available_memory.h"
#include "core/base/out_of_memory.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "core/checkpoint/derived/quantize.h"
#include "core/data/joined/data_folders.h"
#include "core/data/named_task.h"
#include "core/data/options_from_data.h"
#include "core/data/source_trees.h"
#include "core/options/option_text.h"
#include "core/run/training/computation.h"
#include "core/run/training/preset_training.h"
#include "core/run/training/warnings/dictionary_check.h"
#include "core/translate/recorded_components.h"

namespace phraseq {
namespace {

/// Reports missing trees at once rather than in the epoch that uses their folder.
void require_trees(const TrainRun& run, const TranslationModel& translation_model) {
  const auto folders = data_folders(run.components.data);
  for (const std::string& folder : folders) {
    SourceSplits sources{
        folder,
        translation_model.task->source_language(),
        training_splits(run.components.train_subset, [&](const std::string& split) {
          return has_files_of_split(folder, split);
        })};
    if (!run.validation.disable_validation && folder == folders.front())
      std::ranges::copy(run.validation.subsets(), std::back_inserter(sources.splits));
    require_source_trees(*translation_model.architecture_selection.options,
                         *translation_model.task_selection.options,
                         sources,
                         /*trained=*/false);
  }
}

/// Throws OutOfMemory early, before initial values fill the memory of the machine.
void require_room_for(const Architecture& model) {
  std::map<const void*, uint64_t> bytes_of;
  for (const at::Tensor& parameter : model.parameters())
    bytes_of[parameter.unsafeGetTensorImpl()] = parameter.nbytes();
  uint64_t bytes = 0;
  for (const auto& [parameter, size] : bytes_of) bytes += size;
  constexpr double kGiB = 1 << 30;
  if (const uint64_t room = available_memory(); bytes > room) {
    throw OutOfMemory(
        fmt::format("the parameters of the model take {:.1f} GiB, and {:.1f} GiB are "
                    "available",
                    static_cast<double>(bytes) / kGiB,
                    static_cast<double>(room) / kGiB));
  }
}

TranslationModel make_translation_model(TrainRun& run) {
  TaskSetup setup;
  setup.registry = &run.loaded->registry;
  setup.data = run.components.data;
  setup.seed = static_cast<uint64_t>(run.machine.seed);
  const nlohmann::json training_options = to_json(run.table);
  setup.training_options = &training_options;
  TranslationModel translation_model;
  translation_model.task_selection = std::move(run.task);
  translation_model.architecture_selection = std::move(run.architecture);
  translation_model.task = std::make_unique<NamedTask>(translation_model.task_selection, setup);
  take_options_from_data(run.table, *translation_model.task);
  tie_embeddings(
      translation_model.architecture_selection.training,
      translation_model.task->source_dictionary() == translation_model.task->target_dictionary(),
      run.table);
  require_trees(run, translation_model);
  translation_model.build_model();
  require_room_for(*translation_model.model);
  translation_model.model->initialize(static_cast<uint64_t>(run.machine.seed));
  translation_model.model->to(run.device.chosen());
  translation_model.parameters =
      std::make_unique<nn::FlatParameters>(*translation_model.model, /*with_gradients=*/true);
  translation_model.parameters->refresh_copy(precision_of(run));
  return translation_model;
}

/// Replaces random initial values by the parameters of --finetune-from-model, or by the embeddings
/// of --encoder-embed-path and --decoder-embed-path.
void take_first_parameters(const TrainRun& run, TranslationModel& translation_model) {
  const std::string& checkpoint = run.checkpoints.finetune_from_model;
  if (checkpoint.empty()) {
    run.embeddings.copy_into(translation_model);
  } else {
    if (run.embeddings.wanted())
      log_warning("--finetune-from-model: the embeddings are those of the checkpoint");
    const auto file = CheckpointFile::open(resolve_checkpoint(checkpoint));
    reject_quantized(file, "to train from");
    if (!file.is_foreign())
      warn_of_other_dictionaries(recorded_task_texts(file), *translation_model.task);
    translation_model.load_parameters(file);
  }
  translation_model.parameters->refresh_copy(precision_of(run));
}

}  // namespace

TranslationModel make_first_model(TrainRun& run, bool resumes, const ProcessGroup& processes) {
  TranslationModel translation_model = make_translation_model(run);
  if (processes.is_first() && !resumes)
    take_first_parameters(run, translation_model);
  return translation_model;
}

}  // namespace phraseq
