#pragma once

#include <string>

#include "core/base/api.h"
#include "core/convert/export_model.h"

namespace phraseq {

/// Writes a model as a MarianMTModel of Hugging Face to `folder`, which must be missing or empty:
/// config.json, generation_config.json, model.safetensors, vocab.json, tokenizer_config.json and
/// the subword models. Positions are stored as tables, so any kind fits. Throws a UsageError that
/// lists what the class cannot express; nothing is left if it fails.
PHRASEQ_API void export_to_marian_mt(const ExportModel& model, const std::string& folder);

}  // namespace phraseq
