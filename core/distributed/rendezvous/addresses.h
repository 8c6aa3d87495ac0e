#pragma once

#include <string>

namespace phraseq {

/// Throws UsageError if `host`, the one of rank 0, cannot be resolved.
void require_known_host(const std::string& host);

/// The address of this machine on the interface that leads to `host`.
std::string local_address_towards(const std::string& host);

/// A socket that listens on a free port of 127.0.0.1.
struct LoopbackListener {
  int descriptor = -1;
  int port = 0;
};
/// Throws IoError if there is no such port.
LoopbackListener listen_on_loopback();

}  // namespace phraseq
