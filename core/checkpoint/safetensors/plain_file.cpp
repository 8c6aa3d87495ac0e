#include "core/checkpoint/safetensors/plain_file.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"

namespace phraseq {
namespace {

/// Whether the metadata describe a model of phraseq: true for its checkpoints, and for files that
/// another program made from one without the entries of the format itself.
bool describes_model(const CheckpointFile& file) {
  return file.metadata().contains("architecture") && file.metadata().contains("task") &&
         file.metadata().contains("task_texts");
}

}  // namespace

void require_model(const CheckpointFile& file) {
  if (!file.is_foreign() || describes_model(file))
    return;
  throw FormatError(
      fmt::format("{}: a safetensors file without the metadata of a phraseq model (architecture, "
                  "task, task_texts)",
                  file.path()),
      "A program that rewrites a checkpoint keeps these three entries. phraseq replace-tensors "
      "puts weights into a checkpoint, phraseq import reads models of other toolkits.");
}

void warn_without_checksums(const CheckpointFile& file) {
  if (!file.is_foreign())
    return;
  log_warning(
      fmt::format("{}: a plain safetensors file without checksums; damage would not be noticed "
                  "(phraseq replace-tensors writes a checkpoint)",
                  file.path()));
}

}  // namespace phraseq
