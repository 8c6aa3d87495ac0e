#pragma once

#include <span>
#include <string>

#include "core/base/api.h"

namespace phraseq {

/// Writes the mean of the parameters (Vaswani et al. 2017, sec. 6.1): summed in double, in the
/// order given, rounded once. Metadata and blobs are those of the last input, without the state of
/// training; the entry `averaged` lists the inputs with their fingerprints. Every input must have
/// the same parameters (names, dtypes, shapes), task texts and blobs, the same architecture and
/// task, the same values of the options of the architecture that change what it computes, and only
/// finite values. Otherwise throws FormatError and writes nothing.
PHRASEQ_API void average_checkpoints(std::span<const std::string> inputs,
                                     const std::string& output);

}  // namespace phraseq
