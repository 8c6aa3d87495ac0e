#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/checkpoint/checkpoint_file.h"

namespace phraseq {

/// Everything that a checkpoint records about itself, for programs: `file`, `format_version`,
/// `writer_version`, `fingerprint` (null in a foreign file), `parameters` (elements), `metadata`
/// (entries that hold JSON as JSON, others as strings), and `tensors`: name, dtype, shape, bytes,
/// in the file's order.
PHRASEQ_API nlohmann::ordered_json checkpoint_report(const CheckpointFile& file);

/// The same for people: the model, the task and the training, one `name  value` per line.
PHRASEQ_API std::string checkpoint_summary(const CheckpointFile& file);

/// "en to de", or the languages of a multilingual model, from the texts of a checkpoint's task;
/// empty for a language model.
PHRASEQ_API std::string languages_summary(const nlohmann::json& texts);

/// One line per tensor: dtype, shape, bytes, name.
PHRASEQ_API std::string tensor_list(const CheckpointFile& file);

/// The options of architecture and task, each under a heading, one `name = value` per line; empty
/// for a foreign file.
PHRASEQ_API std::string options_list(const CheckpointFile& file);

}  // namespace phraseq
