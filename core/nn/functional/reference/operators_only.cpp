#include "core/nn/functional/reference/operators_only.h"

#include <atomic>
#include <cstdlib>
#include <string_view>

namespace phraseq::nn {
namespace {

int initial_requests() {
  const char* const value = std::getenv("PHRASEQ_OPERATORS");
  return value != nullptr && std::string_view(value) == "1" ? 1 : 0;
}

std::atomic<int>& requests() {
  static std::atomic<int> count = initial_requests();
  return count;
}

}  // namespace

bool operators_only() { return requests().load(std::memory_order_relaxed) > 0; }

OperatorsOnly::OperatorsOnly() { ++requests(); }
OperatorsOnly::~OperatorsOnly() { --requests(); }

}  // namespace phraseq::nn
