#include "core/run/training/train.h"

#include <algorithm>

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/launcher/environment.h"
#include "core/base/launcher/log_of_rank.h"
#include "core/base/log.h"
#include "core/base/signals.h"
#include "core/distributed/c10d_group.h"
#include "core/distributed/local_launch.h"
#include "core/distributed/placement.h"
#include "core/run/machine_share.h"
#include "core/run/training/training_job.h"
#include "core/translate/operator_threads.h"

namespace phraseq {
namespace {

/// Uses --threads threads; by default, an equal part of the cores for each process on the machine.
void set_threads(const TrainRun& run, const Placement& place) {
  if (run.machine.threads > 0)
    at::set_num_threads(static_cast<int>(run.machine.threads));
  else
    take_share_of_cores(place.local_world_size);
  if (const int threads = at::get_num_threads(); threads > 1)
    require_threads(2 * static_cast<size_t>(threads));  // those of OpenMP and those of batch shares
}

/// Selects a GPU; each of several processes on a machine gets its own.
void take_device(TrainRun& run, const Placement& place) {
  const int64_t wanted = run.distributed.device_id, devices = gpu_count();
  if (devices == 0 || (place.world_size == 1 && wanted < 0))
    return;
  if (wanted >= devices) {
    throw UsageError(fmt::format("--device-id is {}, but this machine has {} GPUs (from 0 to {})",
                                 wanted,
                                 devices,
                                 devices - 1));
  }
  run.device.index = wanted >= 0 ? wanted : gpu_of_process(place.local_rank);
}

/// Joins the other processes, trains with them, and tells them if this one fails.
int train_in_group(TrainRun& run, std::span<const std::string> arguments, const Placement& place) {
  constexpr int kRepeats = 1000;
  StopSignals::take_repeats_for_one(kRepeats);
  if (place.rank > 0)
    log_only_errors(fmt::format("rank {}: ", place.rank));
  const auto processes = join_processes(place, run.distributed, run.device.chosen());
  try {
    return run_training_job(run, arguments, *processes);
  } catch (const RankFailure& failure) {
    processes->report_failure(failure.message(), /*is_own=*/false);
    throw;
  } catch (const Error& failure) {
    if (!processes->report_failure(failure.what(), /*is_own=*/true))
      throw;
    if (place.local_rank == 0)  // others share the log of a process that says it
      log_error("stops: rank 0 reports the reason");
    return failure.exit_code();
  } catch (const std::exception& failure) {
    processes->report_failure(failure.what(), /*is_own=*/true);
    throw;
  }
}

}  // namespace

int train(TrainRun& run, std::span<const std::string> arguments) {
  const Environment environment = process_environment();
  if (const int count = processes_to_start(run.distributed, environment); count > 0)
    return run_local_processes(arguments, run.distributed, count);
  obey_launcher(environment);
  const Placement place = find_placement(run.distributed, environment);
  set_threads(run, place);
  take_device(run, place);
  run.device.apply();
  set_log_quiet(run.machine.quiet);
  if (!run.machine.log_file.empty() && place.rank == 0)
    add_log_file(run.machine.log_file);
  if (place.world_size == 1)
    return run_training_job(run, arguments, single_process());
  return train_in_group(run, arguments, place);
}

}  // namespace phraseq
