#pragma once

#include <optional>
#include <string>

namespace phraseq {

/// The content of a pointer file: `checkpoint_last` and `checkpoint_best` hold one line, "NAME
/// FINGERPRINT".
struct CheckpointPointer {
  std::string name;         ///< of a file in the pointer's own folder
  std::string fingerprint;  ///< of that file's content, CheckpointFile::fingerprint()
};

/// Null if there is no such file. Throws FormatError if it is not a pointer.
std::optional<CheckpointPointer> read_pointer(const std::string& path);

void write_pointer(const std::string& path, const CheckpointPointer& pointer);

/// The path of the file that `pointer`, read from `path`, refers to. Throws FormatError or IoError
/// if it is missing, damaged, or not the checkpoint that was pointed at. `verify_tensors` as for
/// CheckpointFile::open.
std::string checked_target(const std::string& path,
                           const CheckpointPointer& pointer,
                           bool verify_tensors);

}  // namespace phraseq
