#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/api.h"

/// The part of TensorFlow's formats that scalars in TensorBoard need: tensorflow/core/util/
/// event.proto and summary.proto in the wire format of Protocol Buffers, in TFRecord frames.
namespace phraseq::tensorboard {

/// Tag and value of each scalar of one step.
using Scalars = std::vector<std::pair<std::string, float>>;

/// Event{wall_time, file_version: "brain.Event:2"}: the first record of every file.
PHRASEQ_API std::string version_event(double wall_time);
/// Event{wall_time, step, summary{value{tag, simple_value}…}}.
PHRASEQ_API std::string scalar_event(double wall_time, int64_t step, const Scalars& scalars);
/// Event{wall_time, step, session_log{status: START}}: readers ignore the entries of older files in
/// the folder from this step on.
PHRASEQ_API std::string start_event(double wall_time, int64_t step);

/// A TFRecord: length (8 bytes, little-endian), its masked CRC-32C, the data, their masked CRC-32C.
PHRASEQ_API std::string frame(std::string_view data);

}  // namespace phraseq::tensorboard
