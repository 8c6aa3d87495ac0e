#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/api.h"

/// Tensors that a trained model recorded for single sentences, as plain numbers.
namespace phraseq::analysis {

/// One tensor that a module recorded (core/nn/recording.h).
struct RecordedTensor {
  std::string name;  ///< MODULE.what: "decoder.layers.0.encoder_attn.weights"
  std::vector<int64_t> shape;
  std::vector<float> values;  ///< row by row
  std::map<std::string, std::vector<int64_t>> notes;
};

/// A sentence pair as it was fed to the model, and the tensors recorded in this pass, in order.
struct RecordedSentence {
  int64_t id = 0;
  std::vector<std::string> source;  ///< symbols, including </s>
  std::vector<std::string> target;  ///< the decoder's input: the start symbol, then the target
  std::vector<RecordedTensor> tensors;
  /// The symbol that the decoder had to generate at each position of `target`: the target, then
  /// </s>.
  std::vector<std::string> generated = {};
  /// The index at which each phrase of the source begins, then the length of the source; empty for
  /// a model that does not divide its source into phrases.
  std::vector<int64_t> phrase_offsets = {};
};

/// One line of JSON: id, source, target, and the tensors whose names contain one of `wanted` (all
/// if that is empty), each with shape, notes and nested values of six digits; null for a value that
/// is not finite.
PHRASEQ_API std::string recorded_json(const RecordedSentence& sentence,
                                      const std::vector<std::string>& wanted);

/// Whether a name contains one of the parts, or whether there are no parts.
PHRASEQ_API bool is_wanted(const std::string& name, const std::vector<std::string>& wanted);

}  // namespace phraseq::analysis
