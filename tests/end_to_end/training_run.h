#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {

/// All tensors of the checkpoint that `SAVE_DIR/checkpoint_last` names, as bytes that begin with
/// dtype and shape: parameters, optimizer state and everything else that a resume needs.
std::map<std::string, std::string> last_tensors(const Workspace& workspace,
                                                const std::string& save_dir);

/// The records of one kind in `SAVE_DIR/metrics.jsonl`.
std::vector<nlohmann::json> records(const Workspace& workspace,
                                    const std::string& save_dir,
                                    const std::string& event);

/// The same without measured times.
std::vector<nlohmann::json> records_without_times(const Workspace& workspace,
                                                  const std::string& save_dir,
                                                  const std::string& event);

/// The loss of each update as text, from `SAVE_DIR/metrics.jsonl`. If an update was repeated after
/// a resume, its last value counts.
std::map<int, std::string> losses(const Workspace& workspace, const std::string& save_dir);

}  // namespace phraseq::end_to_end
