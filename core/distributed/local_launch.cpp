#include "core/distributed/local_launch.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <optional>
#include <system_error>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/prctl.h>

#include "core/base/error.h"
#include "core/base/launcher/launched_rank.h"
#include "core/base/memory/available_memory.h"
#include "core/base/signals.h"
#include "core/base/wording/counted.h"
#include "core/distributed/local_processes.h"
#include "core/distributed/placement.h"
#include "core/options/command_line.h"

namespace phraseq {
namespace {

constexpr unsigned kMaxPerCore = 16;
constexpr uint64_t kMinMemory = uint64_t{32} << 20;  // of a process, before it has a model

/// Each process reads the configuration, and a pipe gives it to the first reader only.
void reject_configuration_from_pipe(std::span<const std::string> arguments) {
  const std::string file = peek_option(arguments, "config", "");
  std::error_code unknown;
  if (!std::filesystem::is_fifo(file, unknown))
    return;
  throw UsageError(fmt::format("--config {} is a pipe, which only one process can read", file),
                   "Write the configuration to a file.");
}

/// Before hundreds of processes make the machine unusable.
void reject_too_many(int count) {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const auto processes = static_cast<uint64_t>(count);
  const uint64_t memory = available_memory();
  if (processes <= uint64_t{kMaxPerCore} * cores && processes <= memory / kMinMemory)
    return;
  throw UsageError(
      fmt::format("{} processes are too many for this machine with {} processor cores and {} MiB "
                  "of available memory",
                  count,
                  cores,
                  memory >> 20),
      "Give --nproc-per-node (or --distributed-world-size) at most the number of GPUs, or of "
      "cores on a CPU.");
}

/// Without --distributed-rank, there are no other processes than those that are started here.
void reject_other_size(const DistributedOptions& options) {
  if (options.rank >= 0 || options.world_size == 0 || options.world_size == options.nproc_per_node)
    return;
  throw UsageError(fmt::format("--distributed-world-size is {}, but --nproc-per-node starts {}",
                               options.world_size,
                               counted(options.nproc_per_node, "process")),
                   "Remove --distributed-world-size, or give --distributed-rank, the rank of the "
                   "first of these processes.");
}

}  // namespace

int processes_to_start(const DistributedOptions& options, const Environment& environment) {
  if (environment(kLauncherVariable))
    return 0;
  const auto launcher = options.rank < 0 ? find_launched_rank(environment) : std::nullopt;
  const bool launched =
      launcher && (launcher->world_size > 1 || launcher->source == kTorchLauncher);
  if (options.nproc_per_node > 0 && launched) {
    throw UsageError(
        fmt::format("--nproc-per-node starts processes, but according to {}, a launcher has "
                    "started {} already",
                    launcher->source,
                    counted(launcher->world_size, "process")),
        "Remove --nproc-per-node, or give --distributed-rank, the rank of the first process of "
        "this machine, and --distributed-world-size.");
  }
  if (options.nproc_per_node > 1 || (options.nproc_per_node == 1 && options.rank >= 0)) {
    reject_other_size(options);
    return static_cast<int>(options.nproc_per_node);
  }
  const bool alone = options.rank < 0 && options.init_method.empty() && !options.no_spawn &&
                     options.nproc_per_node == 0;
  if (!alone || launched || options.world_size < 2)
    return 0;
  DistributedOptions of_environment;
  return find_placement(of_environment, environment).source.empty()
             ? static_cast<int>(options.world_size)
             : 0;
}

int run_local_processes(std::span<const std::string> arguments,
                        const DistributedOptions& options,
                        int count) {
  reject_configuration_from_pipe(arguments);
  reject_too_many(count);
  return start_and_watch(arguments, options, count);
}

void obey_launcher(const Environment& environment) {
  const auto launcher = environment(kLauncherVariable);
  if (!launcher)
    return;
  ::prctl(PR_SET_NAME, kLocalProgram);  // in `top`, it would be "exe"
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  StopSignals::take_repeats_for_one_without(::getppid());
  if (std::to_string(::getppid()) != *launcher)  // it ended before the request
    ::raise(SIGTERM);
}

}  // namespace phraseq
