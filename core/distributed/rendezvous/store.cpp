#include "core/distributed/rendezvous/store.h"

#include <cstdint>
#include <future>
#include <string>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "core/base/error.h"
#include "core/base/signals.h"
#include "core/distributed/process_group.h"
#include "core/distributed/rendezvous/addresses.h"

namespace phraseq {
namespace {

constexpr std::chrono::seconds kLocalLimit{30};  // to connect within the machine
constexpr std::chrono::seconds kGrace{2};        // for TCPStore, which has the same time limit

[[noreturn]] void throw_no_server(const Placement& placement, const std::string& reason) {
  if (reason.find("EADDRINUSE") != std::string::npos) {
    throw UsageError(fmt::format("port {} is in use on this machine", placement.port),
                     "Choose another port with MASTER_PORT or --distributed-port, the same one for "
                     "all processes.");
  }
  throw UsageError(
      fmt::format("rank 0 cannot listen on {}: {}", placement.meeting_place(), reason),
      "MASTER_ADDR must be an address of the machine of rank 0, and MASTER_PORT free.");
}

[[noreturn]] void throw_unreachable(const Placement& placement, std::chrono::seconds timeout) {
  throw RankFailure(
      fmt::format("rank {} could not reach rank 0 at {} within {} s",
                  placement.rank,
                  placement.meeting_place(),
                  timeout.count()),
      "Make sure that rank 0 runs, that MASTER_ADDR and MASTER_PORT (or --distributed-init-method) "
      "name its machine and port, that no other service uses this port, and that no firewall is in "
      "between.");
}

/// Connects in a thread of its own, which is given up after the time limit: TCPStore waits for the
/// answer to its first message without one, and a service that is no store may never answer.
StorePointer connect(const Placement& placement, const c10d::TCPStoreOptions& options) {
  std::packaged_task<StorePointer()> open([host = placement.address, options]() -> StorePointer {
    return c10::make_intrusive<c10d::TCPStore>(host, options);
  });
  auto store = open.get_future();
  {
    const SignalsBlocked for_the_thread;
    std::thread(std::move(open)).detach();
  }
  const auto limit = std::chrono::duration_cast<std::chrono::seconds>(options.timeout);
  if (store.wait_for(limit + kGrace) != std::future_status::ready)
    throw_unreachable(placement, limit);
  return store.get();
}

/// The names that a run has for itself. A launcher's store outlives a run, and each rank numbers
/// the runs that it starts there: one may train a model and then continue with another.
std::string prefix_of_run(c10d::Store& store, const Placement& placement) {
  const std::string attempt = "phraseq" + placement.attempt;
  if (!placement.store_is_running)
    return attempt;
  return fmt::format(
      "{}.{}", attempt, store.add(fmt::format("{}/started/{}", attempt, placement.rank), 1));
}

}  // namespace

StorePointer open_store(const Placement& placement, std::chrono::seconds timeout) {
  require_known_host(placement.address);
  c10d::TCPStoreOptions options;
  options.port = static_cast<uint16_t>(placement.port);
  options.isServer = placement.rank == 0 && !placement.store_is_running;
  options.waitWorkers = false;
  options.timeout = timeout;
  try {
    const StorePointer store = connect(placement, options);
    return c10::make_intrusive<c10d::PrefixStore>(prefix_of_run(*store, placement), store);
  } catch (const c10::Error& failure) {
    if (options.isServer)
      throw_no_server(placement, failure.what_without_backtrace());
    throw_unreachable(placement, timeout);
  }
}

LocalStore start_local_store() {
  const auto [listener, port] = listen_on_loopback();
  c10d::TCPStoreOptions options;
  options.port = static_cast<uint16_t>(port);
  options.isServer = true;
  options.waitWorkers = false;
  options.masterListenFd = listener;
  options.timeout = kLocalLimit;
  try {
    auto store = c10::make_intrusive<c10d::TCPStore>("127.0.0.1", options);
    store->setTimeout(c10d::Store::kDefaultTimeout);
    return {std::move(store), port};
  } catch (const c10::Error& failure) {
    throw RankFailure(
        fmt::format("the processes of this machine cannot be connected at 127.0.0.1:{}: {}",
                    port,
                    failure.what_without_backtrace()),
        "Make sure that the loopback interface is up (ip link set lo up) and that the limit of "
        "open files (ulimit -n) is high enough.");
  }
}

}  // namespace phraseq
