#pragma once

#include <map>
#include <string>

#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {

/// All tensors of the checkpoint that `SAVE_DIR/checkpoint_last` points at, by name, as bytes with
/// their dtype and shape in front: parameters, optimizer state and whatever else a resume needs.
std::map<std::string, std::string> last_tensors(const Workspace& workspace,
                                                const std::string& save_dir);

/// The loss of each update, as text, from `SAVE_DIR/metrics.jsonl`; an update that stands there
/// twice (redone after a resume) counts with its last value.
std::map<int, std::string> losses(const Workspace& workspace, const std::string& save_dir);

}  // namespace phraseq::end_to_end
