#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/convert/torch/torch_file.h"

namespace phraseq {

/// What a checkpoint of fairseq holds, apart from the state of its training.
struct PHRASEQ_API FairseqCheckpoint {
  nlohmann::json options;       ///< of the model: `args`, or `model` in `cfg`
  nlohmann::json task_options;  ///< the same as `options` in a checkpoint with `args`
  std::string task;             ///< "translation"; empty if it is not recorded
  std::string source_lang;
  std::string target_lang;
  std::string data;  ///< the data folder of the training, on the machine where it ran
  std::vector<TensorView> weights;  ///< views into the file
};

/// Throws FormatError if the file does not hold a fairseq model.
PHRASEQ_API FairseqCheckpoint read_fairseq_checkpoint(const TorchFile& file);

/// The text of one of fairseq's options; empty if it is missing or not a text.
std::string recorded_text(const nlohmann::json& options, const char* name);

}  // namespace phraseq
