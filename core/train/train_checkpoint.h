#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/optim/optimizer.h"
#include "core/optim/parameter_average.h"
#include "core/train/train_state.h"
#include "core/translate/translation_model.h"

namespace phraseq {

/// The parts of a run that a training checkpoint holds together.
struct TrainingParts {
  TranslationModel* translator = nullptr;
  Optimizer* optimizer = nullptr;  ///< null leaves its state out
  TrainState* state = nullptr;
  /// The trained parameters, flat, where the translator holds their moving average; undefined
  /// leaves them out.
  at::Tensor trained = {};
  nlohmann::json options = nlohmann::json::object();   ///< all, for the comparison at resume
  nlohmann::json position = nlohmann::json::object();  ///< of the data
  int64_t processes = 1;                               ///< that train together
};

/// Writes a whole run: the translator, the optimizer's state (`optimizer.NAME`), the trained
/// parameters beside their average (`optimizer.trained_parameters`), and the metadata entry `train`
/// with state, options and the place in the data. Holds no time: equal runs, equal bytes.
PHRASEQ_API void write_train_checkpoint(const std::string& path, const TrainingParts& parts);

/// What is in the `train` entry.
struct PHRASEQ_API TrainRecord {
  TrainState state;
  nlohmann::json options = nlohmann::json::object();
  nlohmann::json position = nlohmann::json::object();
  int64_t optimizer_steps = 0;
  std::vector<std::string> parameter_order;
  int64_t processes = 1;  ///< that trained together
};

/// Throws FormatError for a checkpoint that holds no run (an average, an import).
PHRASEQ_API TrainRecord read_train_record(const CheckpointFile& file);
/// The same from the text of the entry; `path` of the checkpoint, for messages.
PHRASEQ_API TrainRecord parse_train_record(const std::string& text, const std::string& path);

/// Takes parameters into the translator's model and, when given, the state of `optimizer` and of
/// `average`. An average that the checkpoint does not hold begins with the parameters. Everything
/// is checked before anything is changed (FormatError).
PHRASEQ_API void restore_training(const CheckpointFile& file,
                                  const TrainRecord& record,
                                  TranslationModel& translator,
                                  Optimizer* optimizer,
                                  ParameterAverage* average = nullptr);

}  // namespace phraseq
