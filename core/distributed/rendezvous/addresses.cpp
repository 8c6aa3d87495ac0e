#include "core/distributed/rendezvous/addresses.h"

#include <array>
#include <cerrno>
#include <memory>
#include <netdb.h>
#include <unistd.h>

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "core/base/error.h"

namespace phraseq {
namespace {

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

}  // namespace

void require_known_host(const std::string& host) { addresses_of(host); }

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

LoopbackListener listen_on_loopback() {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  const bool ready = listener >= 0 && ::bind(listener, generic, size) == 0 &&
                     ::listen(listener, SOMAXCONN) == 0 &&
                     ::getsockname(listener, generic, &size) == 0;
  if (!ready) {
    const int problem = errno;
    if (listener >= 0)
      ::close(listener);
    throw IoError("a port of 127.0.0.1", "listen on", problem);
  }
  return {listener, ntohs(address.sin_port)};
}

}  // namespace phraseq
