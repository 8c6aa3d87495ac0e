#pragma once

#include <map>
#include <span>
#include <string>

#include "core/base/api.h"
#include "core/checkpoint/safetensors/tensor_view.h"

namespace phraseq {

/// Writes a checkpoint: safetensors layout, strings in `__metadata__`, a CRC-32C of every tensor
/// and one of the header itself (docs/formats/checkpoint.md). Through AtomicFile: a failure throws
/// IoError and leaves an older file as it was. No time stamp: equal content, equal bytes.
///
/// Names of metadata that begin with "phraseq." are the format's own and may not be given; names of
/// tensors must differ, bytes fit dtype and shape (std::invalid_argument: the caller's bug). Texts
/// must be UTF-8 (UsageError).
PHRASEQ_API void write_checkpoint(const std::string& path,
                                  const std::map<std::string, std::string>& metadata,
                                  std::span<const TensorView> tensors);

/// Before the work of a command that makes a checkpoint of others: throws IoError when `path`
/// cannot be written, UsageError when it is one of the `inputs`, under whatever name, or a pointer
/// such as checkpoint_best.
PHRASEQ_API void check_new_checkpoint(const std::string& path, std::span<const std::string> inputs);

}  // namespace phraseq
