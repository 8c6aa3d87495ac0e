#pragma once

#include <string>

#include "core/base/api.h"
#include "core/base/launcher/environment.h"
#include "core/distributed/distributed_options.h"

namespace phraseq {

/// The place of this process among all processes of the run, and where they meet.
struct Placement {
  int rank = 0;
  int world_size = 1;
  int local_rank = 0;        ///< among the processes of this machine
  int local_world_size = 1;  ///< processes on this machine, as far as is known
  std::string address;       ///< host of rank 0
  int port = 0;
  bool store_is_running = false;  ///< a launcher has started the store
  std::string attempt;            ///< distinguishes restarts by a launcher that keeps the store
  std::string source;             ///< for messages: "RANK and WORLD_SIZE", "Slurm" …

  /// For messages: "node0:29500".
  std::string meeting_place() const;
};

inline constexpr int kDefaultPort = 29500;  ///< that of PyTorch

/// The environment variable with which run_local_processes tells its process id to the processes
/// that it starts.
inline constexpr const char* kLauncherVariable = "PHRASEQ_LAUNCHER";

/// Reads the placement from the options, from RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and
/// MASTER_PORT (torchrun), from SLURM_* within a step of srun, or from OMPI_COMM_WORLD_* or PMI_*
/// (mpirun), in this order. If nothing is given, there is a single process. Throws a UsageError
/// that names the variable or option if one is missing, is not a number, or contradicts another.
PHRASEQ_API Placement find_placement(const DistributedOptions& options,
                                     const Environment& environment);

/// The first host in a list of Slurm: "node3" in "node[3-5,9],gpu1".
PHRASEQ_API std::string first_host(const std::string& node_list);

}  // namespace phraseq
