#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {

using Variables = std::vector<std::pair<std::string, std::string>>;

/// A port of 127.0.0.1 that was free a moment ago.
int free_port();

/// A service on a port of 127.0.0.1 that accepts connections and never answers.
class SilentService {
 public:
  SilentService();
  ~SilentService();
  SilentService(const SilentService&) = delete;
  SilentService& operator=(const SilentService&) = delete;
  int port() const { return port_; }

 private:
  int port_ = 0;
  int listener_;
};

/// Starts `phraseq ARGUMENTS` with `variables` in its environment.
RunningCommand start_with(Workspace& workspace,
                          const Variables& variables,
                          const Arguments& arguments);

/// RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, as torchrun sets them.
Variables rank_variables(int rank, int size, int port);

/// Waits until `SAVE_DIR/metrics.jsonl` has records of `updates` updates; false after five minutes,
/// or when the command has ended.
bool has_trained(const Workspace& workspace,
                 const std::string& save_dir,
                 RunningCommand& command,
                 size_t updates);

/// The process ids of all trainings in the folder of `workspace` that have RANK in their
/// environment, by rank.
std::map<int, pid_t> processes_by_rank(const Workspace& workspace);

/// The largest difference between numbers of two checkpoints of last_tensors; infinity when they do
/// not have the same tensors.
double largest_difference(const std::map<std::string, std::string>& a,
                          const std::map<std::string, std::string>& b);

}  // namespace phraseq::end_to_end
