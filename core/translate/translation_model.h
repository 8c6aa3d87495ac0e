#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/data/task.h"
#include "core/nn/architecture.h"
#include "core/nn/flat_parameters.h"
#include "core/plugin/registry.h"
#include "core/translate/parameters/tensor_bytes.h"

namespace phraseq {

/// How a checkpoint is opened.
struct LoadOptions {
  nn::Precision precision = nn::Precision::kFp32;
  std::string data;          ///< a data folder for the task's splits; empty = translate text only
  std::string phrase_table;  ///< replaces the checkpoint's table; empty = keep it
  /// `name=value` options of the architecture (fairseq's --model-overrides).
  std::vector<std::string> overrides;
  std::string tokenizer = {};  ///< replaces the checkpoint's `word` tokenizer; empty = keep it
  nlohmann::json tokenizer_options = nlohmann::json::object();
  std::string source_language = {};  ///< direction, for a model with several (TaskSetup)
  std::string target_language = {};
  bool skip_self_test = false;  ///< also skipped with overrides, which may change what is computed
};

/// A task and a model that belong together: the contents of a checkpoint, and what is needed to
/// translate.
///
/// In the checkpoint's metadata: `architecture` and `task` are JSON objects {"name", "plugin",
/// "plugin_version", "options"}, `task_texts` an object of the task's texts; blobs are U8 tensors
/// `blob.NAME`; parameters have their own names (docs/formats/checkpoint.md).
struct PHRASEQ_API TranslationModel {
  Selection task_selection;
  Selection architecture_selection;
  std::unique_ptr<Task> task;
  std::shared_ptr<Architecture> model;
  std::unique_ptr<nn::FlatParameters> parameters;
  int64_t target_vocabulary = 0;  ///< number of words that the model scores; set by build_model
  std::string path;               ///< the checkpoint, if it came from one

  /// Makes the model for the task, with sizes from its vocabularies and parameters not yet
  /// initialized.
  void build_model();

  /// Another instance of the model on the same parameters, with its own gradients and without a
  /// task, for a thread that computes gradients in parallel with others.
  TranslationModel replica() const;

  /// Opens a split of the task's data; `collate` makes a batch from examples. Both follow the
  /// model's sequence conventions.
  std::unique_ptr<Corpus> open(const std::string& split, bool training) const;
  Batch collate(const std::vector<Example>& examples) const;
  /// The maximum number of tokens in an example's source, including </s>; if the model reads <s>,
  /// one token less.
  int64_t max_source_tokens() const;
  /// Throws DataError if the source or the target of a pair is longer than the model accepts.
  void check_lengths(const Example& pair) const;

  /// Builds both from a checkpoint, with its weights mapped or copied in. Every name, dtype and
  /// shape is compared first; all mismatches are listed in one FormatError, and nothing is changed.
  static TranslationModel load(const Registry& registry,
                               const std::string& checkpoint_path,
                               const LoadOptions& options = {});

  /// The model's teacher-forced pass. Errors of a plugin name it.
  DecoderOutput forward(const Batch& batch, nn::Context& context) const;

  /// Copies the parameters from an open checkpoint. All mismatches are listed in one FormatError
  /// before any parameter is changed.
  void load_parameters(const CheckpointFile& file);

  /// The metadata entries described above.
  std::map<std::string, std::string> metadata() const;
  /// Adds the parameters and the task's blobs, whose views point into `state`.
  void add_tensors(HostTensors& tensors, const TaskState& state) const;
};

}  // namespace phraseq
