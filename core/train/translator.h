#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/data/task.h"
#include "core/nn/architecture.h"
#include "core/nn/flat_parameters.h"
#include "core/plugin/registry.h"

namespace phraseq {

/// A task and a model that belong together: what a checkpoint holds and what translates.
///
/// In the checkpoint's metadata: `architecture` and `task` are JSON objects {"name", "plugin",
/// "plugin_version", "options"}, `task_texts` an object of the task's texts; blobs are U8 tensors
/// `blob.NAME`; parameters stand under their own names (docs/formats/checkpoint.md).
struct PHRASEQ_API Translator {
  Selection task_selection;
  Selection architecture_selection;
  std::unique_ptr<Task> task;
  std::shared_ptr<Architecture> model;
  std::unique_ptr<nn::FlatParameters> parameters;
  std::string path;  ///< the checkpoint, when it came from one

  /// Builds both from a checkpoint and copies the weights in. Every name, dtype and shape is compared first;
  /// all mismatches are listed in one FormatError and nothing is changed. `overrides` are `name=value`
  /// options of the architecture (fairseq's --model-overrides).
  static Translator load(const Registry& registry, const std::string& checkpoint_path,
                         nn::Precision precision,
                         const std::vector<std::string>& overrides = {});

  /// The metadata entries and tensors described above; the tensors point into the model.
  std::map<std::string, std::string> metadata() const;
  std::vector<TensorView> tensors();
};

}  // namespace phraseq
