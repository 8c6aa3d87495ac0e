#include "core/distributed/rendezvous.h"

#include <algorithm>
#include <array>
#include <future>
#include <memory>
#include <netdb.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "core/base/error.h"
#include "core/base/host_name.h"
#include "core/base/log.h"
#include "core/base/signals.h"
#include "core/distributed/process_group.h"
#include "core/distributed/roll_call.h"

namespace phraseq {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLongestMeeting{300};
constexpr std::chrono::seconds kQuiet{5};  // after which a waiting process says what it waits for
constexpr std::chrono::milliseconds kLookAgain{50};
constexpr std::chrono::milliseconds kLongestFarewell{5000};
constexpr std::chrono::seconds kGrace{2};  // for TCPStore, which has the same time limit

std::string place_text(const Placement& placement) {
  return fmt::format("{}:{}", placement.address, placement.port);
}

using AddressList = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

AddressList addresses_of(const std::string& host) {
  addrinfo wanted = {};
  wanted.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  const int problem = ::getaddrinfo(host.c_str(), "1", &wanted, &found);
  if (problem != 0) {
    throw UsageError(
        fmt::format("the host of rank 0, '{}', is not known: {}", host, ::gai_strerror(problem)),
        "Correct MASTER_ADDR or --distributed-init-method.");
  }
  return {found, &::freeaddrinfo};
}

[[noreturn]] void throw_no_server(const Placement& placement, const std::string& reason) {
  if (reason.find("EADDRINUSE") != std::string::npos) {
    throw UsageError(fmt::format("port {} is in use on this machine", placement.port),
                     "Choose another port with MASTER_PORT or --distributed-port, the same one for "
                     "all processes.");
  }
  throw UsageError(
      fmt::format("rank 0 cannot listen on {}: {}", place_text(placement), reason),
      "MASTER_ADDR must be an address of the machine of rank 0, and MASTER_PORT free.");
}

[[noreturn]] void throw_unreachable(const Placement& placement, std::chrono::seconds timeout) {
  throw RankFailure(
      fmt::format("rank {} could not reach rank 0 at {} within {} s",
                  placement.rank,
                  place_text(placement),
                  timeout.count()),
      "Make sure that rank 0 runs, that MASTER_ADDR and MASTER_PORT (or --distributed-init-method) "
      "name its machine and port, that no other service uses this port, and that no firewall is in "
      "between.");
}

/// Connects in a thread of its own, which is given up after the time limit: TCPStore waits for the
/// answer to its first message without one, and a service that is no store may never answer.
StorePointer open_store(const Placement& placement, const c10d::TCPStoreOptions& options) {
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

StorePointer connect(const Placement& placement, std::chrono::seconds timeout) {
  addresses_of(placement.address);
  c10d::TCPStoreOptions options;
  options.port = static_cast<uint16_t>(placement.port);
  options.isServer = placement.rank == 0 && !placement.store_is_running;
  options.waitWorkers = false;
  options.timeout = timeout;
  try {
    return c10::make_intrusive<c10d::PrefixStore>("phraseq" + placement.attempt,
                                                  open_store(placement, options));
  } catch (const c10::Error& failure) {
    if (options.isServer)
      throw_no_server(placement, failure.what_without_backtrace());
    throw_unreachable(placement, timeout);
  }
}

/// Everybody's entry in the store, as it comes in.
class Attendance {
 public:
  Attendance(const Placement& placement, c10d::Store& store)
      : placement_(placement), store_(store), names_(static_cast<size_t>(placement.world_size)) {}

  void sign_in() {
    const std::string rank = std::to_string(placement_.rank);
    if (store_.add("joined/" + rank, 1) > 1) {
      throw UsageError(
          fmt::format("two processes have rank {} ({})", rank, placement_.source),
          "Every process needs its own RANK; a port can be used by only one run at a time.");
    }
    store_.set(
        "present/" + rank,
        nlohmann::json{
            {"host", host_name()}, {"process", ::getpid()}, {"world_size", placement_.world_size}}
            .dump());
  }

  std::vector<std::string> wait(std::chrono::seconds timeout) {
    const auto start = Clock::now();
    bool is_quiet = placement_.rank == 0;
    while (look() > 0) {
      require_no_failure();
      const auto waited = Clock::now() - start;
      if (waited >= timeout)
        throw_missing(timeout);
      if (is_quiet && waited >= kQuiet) {
        log_warning("waiting: " + presence_text());
        is_quiet = false;
      }
      std::this_thread::sleep_for(kLookAgain);
    }
    return names_;
  }

 private:
  /// What a process has signed in with; empty before that.
  std::string entry_of(size_t rank) {
    const std::string key = "present/" + std::to_string(rank);
    return store_.check({key}) ? store_.get_to_str(key) : "";
  }

  /// How many are still missing.
  int64_t look() {
    for (size_t rank = 0; rank < names_.size(); ++rank) {
      const std::string entry = names_[rank].empty() ? entry_of(rank) : "";
      if (!entry.empty())
        note(static_cast<int>(rank), entry);
    }
    return std::count(names_.begin(), names_.end(), std::string());
  }

  void note(int rank, const std::string& text) {
    const auto entry = nlohmann::json::parse(text);
    const int size = entry.at("world_size").get<int>();
    if (size != placement_.world_size)
      throw_other_size(rank, size);
    names_[static_cast<size_t>(rank)] = fmt::format("rank {} ({}, process {})",
                                                    rank,
                                                    entry.at("host").get<std::string>(),
                                                    entry.at("process").get<int64_t>());
  }

  [[noreturn]] void throw_other_size(int rank, int size) {
    const auto known_to = [](int who) { return fmt::format("other_size/{}", who); };
    store_.set(known_to(placement_.rank), "known");
    if (placement_.rank == 0)
      wait_for(known_to(rank));
    throw UsageError(fmt::format("rank {} was started with a world size of {}, rank {} with {}",
                                 rank,
                                 size,
                                 placement_.rank,
                                 placement_.world_size),
                     "WORLD_SIZE (or --distributed-world-size) must be equal for all processes.");
  }

  /// The store disappears when rank 0 ends: what others have to read there, they must have read.
  void wait_for(const std::string& key) {
    try {
      store_.wait({key}, kLongestFarewell);
    } catch (const c10::Error& /*the other one has ended*/) {
    }
  }

  void require_no_failure() {
    if (const auto failure = first_reported_failure(store_, placement_.world_size))
      throw RankFailure(fmt::format("rank {} stops: {}", placement_.rank, *failure));
  }

  /// "1 of 3 processes are at node0:29500; missing: rank 1, 2".
  std::string presence_text() const {
    std::vector<size_t> missing;
    for (size_t rank = 0; rank < names_.size(); ++rank) {
      if (names_[rank].empty())
        missing.push_back(rank);
    }
    return fmt::format("{} of {} processes are at {}; missing: rank {}",
                       names_.size() - missing.size(),
                       names_.size(),
                       place_text(placement_),
                       fmt::join(missing, ", "));
  }

  [[noreturn]] void throw_missing(std::chrono::seconds timeout) const {
    throw RankFailure(
        fmt::format("after {} s, {}", timeout.count(), presence_text()),
        "Start all processes, with the same MASTER_ADDR, MASTER_PORT and WORLD_SIZE.");
  }

  const Placement& placement_;
  c10d::Store& store_;
  std::vector<std::string> names_;
};

/// A listening socket on a free port of 127.0.0.1; its number and port.
std::pair<int, int> listen_on_loopback() {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  const bool ready = listener >= 0 && ::bind(listener, generic, size) == 0 &&
                     ::listen(listener, SOMAXCONN) == 0 &&
                     ::getsockname(listener, generic, &size) == 0;
  if (!ready)
    throw IoError("a port of 127.0.0.1", "listen on", errno);
  return {listener, ntohs(address.sin_port)};
}

}  // namespace

Meeting meet(const Placement& placement, std::chrono::seconds timeout) {
  timeout = std::min(timeout, kLongestMeeting);
  Meeting meeting;
  meeting.store = connect(placement, timeout);
  Attendance attendance(placement, *meeting.store);
  try {
    attendance.sign_in();
    meeting.names = attendance.wait(timeout);
  } catch (const c10::Error& /*store is gone*/) {
    throw RankFailure(fmt::format("rank {} stops: rank 0 has ended, and with it the store at {}",
                                  placement.rank,
                                  place_text(placement)));
  }
  return meeting;
}

std::string local_address_towards(const std::string& host) {
  const AddressList found = addresses_of(host);
  sockaddr_storage local = {};
  socklen_t size = sizeof(local);
  const int descriptor = ::socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  // Sends nothing: connecting a datagram socket only chooses the interface.
  const bool known = ::connect(descriptor, found->ai_addr, found->ai_addrlen) == 0 &&
                     ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&local), &size) == 0;
  ::close(descriptor);
  std::array<char, NI_MAXHOST> text = {};
  if (!known || ::getnameinfo(reinterpret_cast<sockaddr*>(&local),
                              size,
                              text.data(),
                              text.size(),
                              nullptr,
                              0,
                              NI_NUMERICHOST) != 0)
    return host;
  return text.data();
}

LocalStore start_local_store() {
  const auto [listener, port] = listen_on_loopback();
  c10d::TCPStoreOptions options;
  options.port = static_cast<uint16_t>(port);
  options.isServer = true;
  options.waitWorkers = false;
  options.masterListenFd = listener;
  return {c10::make_intrusive<c10d::TCPStore>("127.0.0.1", options), port};
}

}  // namespace phraseq
