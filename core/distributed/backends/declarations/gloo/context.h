#pragma once

#include <chrono>

namespace gloo::transport {
class Device;
class UnboundBuffer;
}  // namespace gloo::transport

namespace gloo {

/// What ProcessGroupGloo.hpp calls in an inline function that we do not.
class Context {
 public:
  void setTimeout(std::chrono::milliseconds timeout);
};

}  // namespace gloo
