#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/base/launcher/environment.h"

namespace phraseq {

inline constexpr const char* kTorchLauncher = "RANK and WORLD_SIZE";
inline constexpr const char* kSlurmLauncher = "Slurm";

inline constexpr int kMaxProcesses = 1'000'000;

/// The place of this process among those that a launcher started.
struct LaunchedRank {
  int rank = 0;
  int world_size = 1;
  int local_rank = 0;        ///< among the processes of this machine
  int local_world_size = 1;  ///< processes on this machine, as far as is known
  std::string source;        ///< for messages: kTorchLauncher, kSlurmLauncher, "Open MPI" or "MPI"
};

/// Reads RANK, WORLD_SIZE and LOCAL_RANK (torchrun), OMPI_COMM_WORLD_* or PMI_* with a local rank
/// (mpirun), SLURM_* within a step of srun, or PMI_* alone, in this order; nothing when no launcher
/// is found. Throws a UsageError that names the variable when one is missing, is not a number, or
/// contradicts another.
PHRASEQ_API std::optional<LaunchedRank> find_launched_rank(const Environment& environment);

/// The variables that tell a process its rank and the number of processes. Without them, a program
/// that a process starts is not one of its group.
PHRASEQ_API std::vector<std::string> launcher_variables();

/// `text` as a whole number. Throws a UsageError with `name` if it is not one from `low` to `high`.
PHRASEQ_API int whole_number_of(const std::string& name,
                                const std::string& text,
                                int low,
                                int high);

}  // namespace phraseq
