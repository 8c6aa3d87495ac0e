#include "core/distributed/placement.h"

#include <optional>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/launcher/launched_rank.h"
#include "core/base/wording/counted.h"

namespace phraseq {
namespace {

constexpr int kHighestPort = 65535;

/// Reads the placement step by step.
class PlacementReader {
 public:
  PlacementReader(const DistributedOptions& options, const Environment& environment)
      : options_(options), environment_(environment) {}

  Placement read() {
    if (!take_options())
      take_launched();
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
    return text ? whole_number_of(name, *text, low, high) : fallback;
  }

  /// --distributed-rank with --distributed-world-size. Either one alone is an error, except a world
  /// size of 1.
  bool take_options() {
    if (options_.rank < 0 || variable(kLauncherVariable))
      return false;
    if (options_.world_size == 0) {
      throw UsageError("--distributed-rank is given, but not --distributed-world-size",
                       "Give the number of all processes with --distributed-world-size.");
    }
    place_.rank = static_cast<int>(options_.rank);
    place_.world_size = static_cast<int>(options_.world_size);
    place_.local_rank = options_.device_id >= 0 ? static_cast<int>(options_.device_id)
                                                : number("LOCAL_RANK", 0, kMaxProcesses, 0);
    place_.source = "--distributed-rank";
    return true;
  }

  void take_launched() {
    const auto launched = find_launched_rank(environment_);
    if (!launched)
      return;
    place_.rank = launched->rank;
    place_.world_size = launched->world_size;
    place_.local_rank = launched->local_rank;
    place_.local_world_size = launched->local_world_size;
    place_.source = launched->source;
  }

  void check_size() const {
    if (options_.world_size == 0 || options_.world_size == place_.world_size)
      return;
    if (place_.source.empty()) {
      throw UsageError(
          fmt::format("--distributed-world-size is {}, but the rank of this process is not known",
                      options_.world_size),
          "Give --distributed-rank and --distributed-init-method, start the processes with "
          "torchrun, srun or mpirun, or let --nproc-per-node start them.");
    }
    throw UsageError(fmt::format("--distributed-world-size is {}, but according to {}, there {} {}",
                                 options_.world_size,
                                 place_.source,
                                 place_.world_size == 1 ? "is" : "are",
                                 counted(place_.world_size, "process")),
                     "Remove --distributed-world-size, or correct the launcher.");
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
    if (place_.address.starts_with('[') && place_.address.ends_with(']'))  // [::1]
      place_.address = place_.address.substr(1, place_.address.size() - 2);
    place_.port = whole_number_of(
        "the port of --distributed-init-method", url.substr(colon + 1), 1, kHighestPort);
  }

  std::string address_from_environment() const {
    if (const auto address = variable("MASTER_ADDR"))
      return *address;
    if (place_.source == kSlurmLauncher) {
      for (const char* const name : {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"}) {
        if (const auto nodes = variable(name))
          return first_host(*nodes);
      }
    }
    if (place_.local_world_size == place_.world_size)
      return "127.0.0.1";
    throw UsageError(fmt::format("MASTER_ADDR is not set, but there are {} processes ({})",
                                 place_.world_size,
                                 place_.source),
                     "Set MASTER_ADDR to the host of rank 0, or give --distributed-init-method "
                     "tcp://HOST:PORT.");
  }

  /// A Slurm job without MASTER_PORT gets its own port.
  int port_from_environment() const {
    if (variable("MASTER_PORT"))
      return number("MASTER_PORT", 1, kHighestPort, kDefaultPort);
    if (options_.port > 0)
      return static_cast<int>(options_.port);
    if (place_.source == kSlurmLauncher) {
      constexpr int kFirst = 20000;
      return kFirst + last_digits_of_slurm_job();
    }
    if (place_.source == kTorchLauncher) {
      throw UsageError(
          fmt::format("MASTER_PORT is not set, but WORLD_SIZE is {}", place_.world_size),
          "Set MASTER_PORT to a free port on the host of rank 0.");
    }
    return kDefaultPort;
  }

  /// The last four digits; the numbers of federated clusters are larger than an int.
  int last_digits_of_slurm_job() const {
    constexpr size_t kDigits = 4;
    const std::string job = variable("SLURM_JOB_ID").value_or("0");
    const size_t others = job.size() > kDigits ? job.size() - kDigits : 0;
    return whole_number_of("SLURM_JOB_ID", job.substr(others), 0, 9999);
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

std::string Placement::meeting_place() const { return fmt::format("{}:{}", address, port); }

Placement find_placement(const DistributedOptions& options, const Environment& environment) {
  return PlacementReader(options, environment).read();
}

}  // namespace phraseq
