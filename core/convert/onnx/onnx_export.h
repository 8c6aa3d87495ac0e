#pragma once

#include <string>

#include "core/base/api.h"
#include "core/convert/export_model.h"

namespace phraseq {

/// Writes a model as two ONNX graphs to `folder`, which must be missing or empty:
///
///   encoder.onnx  source [batch, source length] (int64, padded) → memory [batch, source length, d]
///   decoder.onnx  target [batch, target length], source, memory → scores [batch, target length,
///                 symbols], not normalized
///
/// with config.json (ids of special symbols), the vocabularies, and the subword models. The decoder
/// computes all positions of the target; it keeps no state between steps. Throws a UsageError that
/// lists what the graphs cannot express; nothing is left if it fails.
PHRASEQ_API void export_to_onnx(const ExportModel& model, const std::string& folder);

}  // namespace phraseq
