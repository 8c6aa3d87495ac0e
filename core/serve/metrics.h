#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/serve/model_pool.h"

namespace phraseq {

/// The figures that a server counts for Prometheus. All functions may be called from any thread.
class ServerMetrics {
 public:
  /// Counts a request to a route that was answered with a status after the given number of seconds;
  /// no seconds = it was refused before it was handled, or its client disconnected.
  void count_request(const std::string& route, int status, std::optional<double> seconds);
  void count_reload(bool succeeded);

  /// The counts in Prometheus's text format 0.0.4.
  std::string text(const std::vector<ServedModel>& models, int64_t connections) const;

 private:
  static constexpr std::array<double, 10> kBounds = {
      0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30};
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, int64_t> requests_;
  std::array<int64_t, kBounds.size() + 1> buckets_{};
  double seconds_ = 0;
  int64_t timed_ = 0;
  int64_t reloads_ = 0, failed_reloads_ = 0;
};

}  // namespace phraseq
