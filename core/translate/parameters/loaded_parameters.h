#pragma once

#include <memory>

#include "core/checkpoint/checkpoint_file.h"
#include "core/nn/context.h"
#include "core/nn/flat_parameters.h"
#include "core/plugin/registry.h"

namespace phraseq {

/// Copies the parameters of an architecture from a checkpoint. Every name, type and shape is
/// compared first; all mismatches are listed in one FormatError, and nothing is changed. Throws
/// DivergenceError if a value is not finite.
void fill_parameters(nn::FlatParameters& parameters,
                     const Selection& architecture,
                     const CheckpointFile& file);

/// Does the same for a module that has just been made; does not copy if the module can use the
/// file's numbers unchanged.
std::unique_ptr<nn::FlatParameters> loaded_parameters(torch::nn::Module& module,
                                                      const Selection& architecture,
                                                      const CheckpointFile& file,
                                                      nn::Precision precision);

}  // namespace phraseq
