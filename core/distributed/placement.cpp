#include "core/distributed/placement.h"

#include <charconv>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "core/base/error.h"

namespace phraseq {
namespace {

constexpr int kMostProcesses = 1'000'000;
constexpr int kHighestPort = 65535;

int number_from(const std::string& name, const std::string& text, int low, int high) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low || value > high) {
    throw UsageError(
        fmt::format("{} is '{}': expected a whole number from {} to {}", name, text, low, high));
  }
  return value;
}

/// The variables of one launcher.
struct Launcher {
  const char* name;
  const char* rank;
  const char* world_size;
  const char* local_rank;
  const char* local_world_size;
};

constexpr Launcher kTorch = {
    "RANK and WORLD_SIZE", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"};
// SLURM_STEP_NUM_TASKS is set by srun only; SLURM_NTASKS also in a batch script, which is one
// process.
constexpr Launcher kSlurmStep = {
    "Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "SLURM_STEP_TASKS_PER_NODE"};
constexpr Launcher kSlurmTasks = {
    "Slurm", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_NTASKS_PER_NODE"};
constexpr Launcher kOpenMpi = {"Open MPI",
                               "OMPI_COMM_WORLD_RANK",
                               "OMPI_COMM_WORLD_SIZE",
                               "OMPI_COMM_WORLD_LOCAL_RANK",
                               "OMPI_COMM_WORLD_LOCAL_SIZE"};
constexpr Launcher kPmi = {"MPI", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"};

/// Reads the placement step by step.
class PlacementReader {
 public:
  PlacementReader(const DistributedOptions& options, const Environment& environment)
      : options_(options), environment_(environment) {}

  Placement read() {
    if (!take_options() && !take(kTorch) && !take_slurm() && !take(kOpenMpi))
      take(kPmi);
    check_size();
    if (place_.world_size > 1) {
      take_meeting_place();
      take_launcher_store();
    }
    return place_;
  }

 private:
  std::optional<std::string> variable(const char* name) const { return environment_(name); }

  int number(const char* name, int low, int high, int fallback) const {
    const auto text = variable(name);
    return text ? number_from(name, *text, low, high) : fallback;
  }

  /// --distributed-rank with --distributed-world-size; one of them alone is an error, but for a
  /// world size of one.
  bool take_options() {
    if (options_.rank < 0 || variable("PHRASEQ_LAUNCHER"))
      return false;
    if (options_.world_size == 0) {
      throw UsageError("--distributed-rank is given, but not --distributed-world-size",
                       "give the number of all processes with --distributed-world-size");
    }
    place_.rank = static_cast<int>(options_.rank);
    place_.world_size = static_cast<int>(options_.world_size);
    place_.local_rank = options_.device_id >= 0 ? static_cast<int>(options_.device_id)
                                                : number(kTorch.local_rank, 0, kMostProcesses, 0);
    place_.source = "--distributed-rank";
    return true;
  }

  bool take_slurm() {
    if (variable(kSlurmStep.world_size))
      return take(kSlurmStep);
    return variable("MASTER_ADDR").has_value() && variable(kSlurmTasks.rank) &&
           variable(kSlurmTasks.world_size) && take(kSlurmTasks);
  }

  bool take(const Launcher& launcher) {
    const auto rank = variable(launcher.rank);
    const auto size = variable(launcher.world_size);
    if (!rank && !size)
      return false;
    if (!rank || !size) {
      const char* const present = rank ? launcher.rank : launcher.world_size;
      const char* const missing = rank ? launcher.world_size : launcher.rank;
      throw UsageError(
          fmt::format("{} is set in the environment, but {} is not", present, missing),
          fmt::format("set {} too, or unset {} to train in one process", missing, present));
    }
    place_.world_size = number_from(launcher.world_size, *size, 1, kMostProcesses);
    place_.rank = number_from(launcher.rank, *rank, 0, kMostProcesses);
    if (place_.rank >= place_.world_size) {
      throw UsageError(fmt::format("{} is {}, but {} is {}: ranks are from 0 to {}",
                                   launcher.rank,
                                   place_.rank,
                                   launcher.world_size,
                                   place_.world_size,
                                   place_.world_size - 1));
    }
    place_.local_rank = number(launcher.local_rank, 0, kMostProcesses, 0);
    place_.local_world_size = local_size(launcher);
    place_.source = launcher.name;
    return true;
  }

  /// Slurm writes "4(x2),3": the first number is good enough to share the cores.
  int local_size(const Launcher& launcher) const {
    const auto text = variable(launcher.local_world_size);
    if (!text)
      return 1;
    return number_from(
        launcher.local_world_size, text->substr(0, text->find_first_of("(,")), 1, kMostProcesses);
  }

  void check_size() const {
    if (options_.world_size == 0 || options_.world_size == place_.world_size)
      return;
    if (place_.source.empty()) {
      throw UsageError(
          fmt::format("--distributed-world-size is {}, but the rank of this process is not known",
                      options_.world_size),
          "give --distributed-rank and --distributed-init-method, start the processes with "
          "torchrun, srun or mpirun, or let --nproc-per-node start them");
    }
    throw UsageError(
        fmt::format("--distributed-world-size is {}, but {} says that there are {} processes",
                    options_.world_size,
                    place_.source,
                    place_.world_size),
        "remove --distributed-world-size, or correct the launcher");
  }

  void take_meeting_place() {
    const std::string& method = options_.init_method;
    if (store_runs()) {  // where the launcher says, whatever else is given
      place_.address = address_from_environment();
      place_.port = number("MASTER_PORT", 1, kHighestPort, kDefaultPort);
      return;
    }
    if (method.empty() || method == "env://") {
      place_.address = address_from_environment();
      place_.port = port_from_environment();
    } else {
      take_url(method);
    }
    if (options_.port > 0)
      place_.port = static_cast<int>(options_.port);
  }

  void take_url(const std::string& url) {
    constexpr std::string_view kScheme = "tcp://";
    const size_t colon = url.rfind(':');
    if (!url.starts_with(kScheme) || colon < kScheme.size() + 1) {
      throw UsageError(
          fmt::format("--distributed-init-method is '{}': expected tcp://HOST:PORT "
                      "with the host of rank 0, or env://",
                      url));
    }
    place_.address = url.substr(kScheme.size(), colon - kScheme.size());
    place_.port = number_from(
        "the port of --distributed-init-method", url.substr(colon + 1), 1, kHighestPort);
  }

  std::string address_from_environment() const {
    if (const auto address = variable("MASTER_ADDR"))
      return *address;
    if (place_.source == kSlurmStep.name) {
      for (const char* const name : {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"}) {
        if (const auto nodes = variable(name))
          return first_host(*nodes);
      }
    }
    if (place_.local_world_size == place_.world_size)
      return "127.0.0.1";
    throw UsageError(
        fmt::format("MASTER_ADDR is not set, but there are {} processes ({})",
                    place_.world_size,
                    place_.source),
        "set MASTER_ADDR to the host of rank 0, or give --distributed-init-method tcp://HOST:PORT");
  }

  /// A job of Slurm without MASTER_PORT gets a port of its own.
  int port_from_environment() const {
    if (variable("MASTER_PORT"))
      return number("MASTER_PORT", 1, kHighestPort, kDefaultPort);
    if (options_.port > 0)
      return static_cast<int>(options_.port);
    if (place_.source == kSlurmStep.name) {
      constexpr int kFirst = 20000;
      constexpr int kPorts = 10000;
      return kFirst + number("SLURM_JOB_ID", 0, std::numeric_limits<int>::max(), 0) % kPorts;
    }
    if (place_.source == kTorch.name) {
      throw UsageError(
          fmt::format("MASTER_PORT is not set, but WORLD_SIZE is {}", place_.world_size),
          "set MASTER_PORT to a free port on the host of rank 0");
    }
    return kDefaultPort;
  }

  bool store_runs() const { return variable("TORCHELASTIC_USE_AGENT_STORE") == "True"; }

  /// torchrun keeps the store itself, over restarts of the processes.
  void take_launcher_store() {
    place_.store_is_running = store_runs();
    if (place_.store_is_running)
      place_.attempt = variable("TORCHELASTIC_RESTART_COUNT").value_or("0");
  }

  const DistributedOptions& options_;
  const Environment& environment_;
  Placement place_;
};

}  // namespace

std::string first_host(const std::string& node_list) {
  const size_t end = node_list.find_first_of(",[");
  std::string host = node_list.substr(0, end);
  if (end != std::string::npos && node_list[end] == '[') {
    const size_t number_end = node_list.find_first_of(",-]", end + 1);
    host += node_list.substr(end + 1, number_end - end - 1);
    const size_t bracket = node_list.find(']', end);
    if (bracket != std::string::npos)  // "rack[1-2]-a": what follows belongs to the name
      host += node_list.substr(bracket + 1, node_list.find(',', bracket) - bracket - 1);
  }
  return host;
}

Placement find_placement(const DistributedOptions& options, const Environment& environment) {
  return PlacementReader(options, environment).read();
}

}  // namespace phraseq
