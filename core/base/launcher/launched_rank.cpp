#include "core/base/launcher/launched_rank.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text_fields.h"

namespace phraseq {
namespace {

/// The variables of one launcher.
struct Launcher {
  const char* name;
  const char* rank;
  const char* world_size;
  const char* local_rank;
  const char* local_world_size;
};

constexpr Launcher kTorch = {
    kTorchLauncher, "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"};
// SLURM_STEP_NUM_TASKS is set by srun only; SLURM_NTASKS also in a batch script, which is one
// process.
constexpr Launcher kSlurm = {kSlurmLauncher,
                             "SLURM_PROCID",
                             "SLURM_STEP_NUM_TASKS",
                             "SLURM_LOCALID",
                             "SLURM_STEP_TASKS_PER_NODE"};
constexpr Launcher kOpenMpi = {"Open MPI",
                               "OMPI_COMM_WORLD_RANK",
                               "OMPI_COMM_WORLD_SIZE",
                               "OMPI_COMM_WORLD_LOCAL_RANK",
                               "OMPI_COMM_WORLD_LOCAL_SIZE"};
constexpr Launcher kPmi = {"MPI", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"};

constexpr Launcher kLaunchers[] = {kTorch, kOpenMpi, kPmi, kSlurm};

int number(const Environment& environment, const char* name, int low, int fallback) {
  const auto text = environment(name);
  return text ? whole_number_of(name, *text, low, kMaxProcesses) : fallback;
}

/// Slurm writes "4(x2),3": the first number is good enough to share the cores.
int local_size(const Launcher& launcher, const Environment& environment) {
  const auto text = environment(launcher.local_world_size);
  if (!text)
    return 1;
  return whole_number_of(
      launcher.local_world_size, text->substr(0, text->find_first_of("(,")), 1, kMaxProcesses);
}

std::optional<LaunchedRank> read_launcher(const Launcher& launcher,
                                          const Environment& environment) {
  const auto rank = environment(launcher.rank);
  const auto size = environment(launcher.world_size);
  if (!rank && !size)
    return std::nullopt;
  if (!rank || !size) {
    const char* const present = rank ? launcher.rank : launcher.world_size;
    const char* const missing = rank ? launcher.world_size : launcher.rank;
    throw UsageError(fmt::format("{} is set in the environment, but {} is not", present, missing),
                     fmt::format("Set {} too, or unset {} to use one process.", missing, present));
  }
  LaunchedRank found;
  found.world_size = whole_number_of(launcher.world_size, *size, 1, kMaxProcesses);
  found.rank = whole_number_of(launcher.rank, *rank, 0, kMaxProcesses);
  if (found.rank >= found.world_size) {
    throw UsageError(fmt::format("{} is {}, but {} is {}: ranks are from 0 to {}",
                                 launcher.rank,
                                 found.rank,
                                 launcher.world_size,
                                 found.world_size,
                                 found.world_size - 1));
  }
  found.local_rank = number(environment, launcher.local_rank, 0, 0);
  found.local_world_size = local_size(launcher, environment);
  found.source = launcher.name;
  return found;
}

/// Within a job of Slurm, mpirun starts its daemons with srun, so the processes have the variables
/// of both. srun can also set PMI_RANK and PMI_SIZE, but not the local rank.
bool is_started_by_mpi(const Launcher& mpi, const Environment& environment) {
  return environment(mpi.rank) && environment(mpi.local_rank);
}

}  // namespace

std::vector<std::string> launcher_variables() {
  std::vector<std::string> names;
  for (const Launcher& launcher : kLaunchers) {
    names.emplace_back(launcher.rank);
    names.emplace_back(launcher.world_size);
  }
  return names;
}

int whole_number_of(const std::string& name, const std::string& text, int low, int high) {
  const auto value = number_in<int>(text);
  if (!value || *value < low || *value > high) {
    throw UsageError(
        fmt::format("{} is '{}': expected a whole number from {} to {}", name, text, low, high));
  }
  return *value;
}

std::optional<LaunchedRank> find_launched_rank(const Environment& environment) {
  if (auto found = read_launcher(kTorch, environment))
    return found;
  for (const Launcher& mpi : {kOpenMpi, kPmi}) {
    if (is_started_by_mpi(mpi, environment))
      return read_launcher(mpi, environment);
  }
  if (environment(kSlurm.world_size))
    return read_launcher(kSlurm, environment);
  if (auto found = read_launcher(kOpenMpi, environment))
    return found;
  return read_launcher(kPmi, environment);
}

}  // namespace phraseq
