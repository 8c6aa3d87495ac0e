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

/// Null when there is no such file. Throws FormatError when it is no pointer.
std::optional<CheckpointPointer> read_pointer(const std::string& path);

/// Whether the text of a file is a pointer's; null when not.
std::optional<CheckpointPointer> parse_pointer(const std::string& text);

void write_pointer(const std::string& path, const CheckpointPointer& pointer);

/// The path of the file that `pointer`, read from `path`, means. Throws FormatError or IoError when
/// it is missing, damaged, or another checkpoint than the one pointed at. `verify_tensors` as for
/// CheckpointFile::open.
std::string checked_target(const std::string& path,
                           const CheckpointPointer& pointer,
                           bool verify_tensors);

}  // namespace phraseq
