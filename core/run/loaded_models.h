#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/plugin/registry.h"
#include "core/run/options/model_options.h"
#include "core/translate/translation_model.h"

namespace phraseq {

/// Moves the model and its parameters; does nothing for the CPU.
PHRASEQ_API void move_to(TranslationModel& model, at::Device device, nn::Precision precision);

/// Splits the value of --path, which separates models by colons.
PHRASEQ_API std::vector<std::string> model_paths(const std::string& path);

/// Throws UsageError if --path names an ensemble, which `command` does not support.
PHRASEQ_API void reject_ensemble(const std::string& path,
                                 const std::string& command,
                                 const std::string& hint = {});

/// Throws UsageError if `output` is one of the checkpoints (which --path may also name by a
/// pointer), a pointer, or a data file in the folder `data` (may be empty). Other files of that
/// folder are allowed.
PHRASEQ_API void check_not_read(const std::string& output,
                                const ModelOptions& options,
                                const std::string& data);

/// Loads every model of `options.path`, onto its device. `data`: a folder whose splits are needed,
/// or empty.
PHRASEQ_API std::vector<TranslationModel> load_models(const Registry& registry,
                                                      const ModelOptions& options,
                                                      const std::string& data);

/// Warns if `trees`, the value of --trees, is given and none of the models uses trees.
PHRASEQ_API void warn_of_unused_trees(const std::vector<TranslationModel>& models,
                                      const std::string& trees);

}  // namespace phraseq
