#pragma once

#include <map>
#include <span>
#include <string>

#include "core/base/api.h"
#include "core/checkpoint/safetensors/tensor_view.h"

namespace phraseq {

/// Writes a checkpoint: safetensors layout, strings in `__metadata__`, a CRC-32C of every tensor
/// and one of the header itself (docs/formats/checkpoint.md). It is written through AtomicFile: a
/// failure throws IoError and leaves an older file as it was. There is no time stamp, so equal
/// content gives equal bytes.
///
/// Names of metadata that begin with "phraseq." are the format's own and may not be given; names of
/// tensors must differ, and bytes must fit dtype and shape (otherwise std::invalid_argument: a bug
/// of the caller). Texts must be UTF-8 (UsageError).
PHRASEQ_API void write_checkpoint(const std::string& path,
                                  const std::map<std::string, std::string>& metadata,
                                  std::span<const TensorView> tensors);

/// Throws UsageError if `path` is a pointer such as checkpoint_best, which a result would replace.
PHRASEQ_API void check_not_a_pointer(const std::string& path);

/// To be called before the work of a command that makes a checkpoint from others: throws IoError if
/// `path` cannot be written, and UsageError if it is standard output (-), one of the `inputs`, under
/// whatever name, or a pointer such as checkpoint_best.
PHRASEQ_API void check_new_checkpoint(const std::string& path, std::span<const std::string> inputs);

}  // namespace phraseq
