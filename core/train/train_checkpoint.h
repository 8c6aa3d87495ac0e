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

/// Everything that is written to a training checkpoint.
struct CheckpointContents {
  TranslationModel* translation_model = nullptr;
  Optimizer* optimizer = nullptr;  ///< null: its state is not saved
  TrainState* state = nullptr;
  /// The trained parameters, flat, if the model holds their moving average; if undefined, not
  /// saved.
  at::Tensor trained = {};
  nlohmann::json options = nlohmann::json::object();   ///< all options; compared on resuming
  nlohmann::json position = nlohmann::json::object();  ///< position in the training data
  int64_t processes = 1;                               ///< number of processes
  bool is_temporary = false;                           ///< written only for a pointer
};

/// Writes the whole state of a run: the model, the optimizer's state (`optimizer.NAME`), the
/// trained parameters besides their average (`optimizer.trained_parameters`), and the metadata
/// entry `train` with state, options and the position in the data. It contains no time, so equal
/// runs write equal bytes.
PHRASEQ_API void write_train_checkpoint(const std::string& path,
                                        const CheckpointContents& contents);

/// The contents of the metadata entry `train`.
struct PHRASEQ_API TrainRecord {
  TrainState state;
  nlohmann::json options = nlohmann::json::object();
  nlohmann::json position = nlohmann::json::object();
  int64_t optimizer_steps = 0;
  std::vector<std::string> parameter_order;
  int64_t processes = 1;      ///< number of processes that wrote it
  bool is_temporary = false;  ///< it was written only for a pointer
};

/// Reads the entry. Throws FormatError for a checkpoint without one (an average, an import).
PHRASEQ_API TrainRecord read_train_record(const CheckpointFile& file);
/// Parses the text of the entry; `path` names the checkpoint in messages.
PHRASEQ_API TrainRecord parse_train_record(const std::string& text, const std::string& path);

/// Loads the parameters into the model and, if given, the state of `optimizer` and of
/// `average`. An average that the checkpoint does not hold starts from the parameters. Everything
/// is checked before anything is changed (FormatError).
PHRASEQ_API void restore_training(const CheckpointFile& file,
                                  const TrainRecord& record,
                                  TranslationModel& translation_model,
                                  Optimizer* optimizer,
                                  ParameterAverage* average = nullptr);

}  // namespace phraseq
