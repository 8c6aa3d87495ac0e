#include "core/base/work_profile.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <fstream>
#include <iterator>
#include <mutex>
#include <sstream>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace phraseq {

namespace profiling {
std::atomic<bool> is_on = false;
}

namespace {

using Totals = std::map<WorkKey, WorkTotals>;

int64_t nanoseconds_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void add(Totals& to, const Totals& from) {
  for (const auto& [key, totals] : from) {
    WorkTotals& sum = to[key];
    sum.calls += totals.calls;
    sum.nanoseconds += totals.nanoseconds;
    sum.multiply_adds += totals.multiply_adds;
  }
}

/// What the threads that have ended measured.
struct Collected {
  std::mutex mutex;
  Totals totals;
};

Collected& collected() {
  static Collected all;
  return all;
}

/// One thread's measurements, handed over when it ends.
struct OfThread {
  OfThread() { collected(); }  // made first, so that it ends last
  ~OfThread() { hand_over(); }

  void hand_over() {
    const std::lock_guard lock(collected().mutex);
    add(collected().totals, totals);
    totals.clear();
  }

  Totals totals;
  WorkSpan* innermost = nullptr;
};

OfThread& of_thread() {
  thread_local OfThread mine;
  return mine;
}

/// Since the process was started, by the kernel's clock of 10 ms; 0 when it does not say.
int64_t nanoseconds_since_start() {
  std::ifstream stat("/proc/self/stat"), uptime("/proc/uptime");
  const std::string text{std::istreambuf_iterator<char>(stat), {}};
  const size_t name_end = text.rfind(')');
  double seconds_up = 0;
  if (name_end == std::string::npos || !(uptime >> seconds_up))
    return 0;
  std::istringstream fields(text.substr(name_end + 1));
  constexpr int kFieldsBefore = 19;  // field 22 of proc(5), counted from the state
  std::string field;
  for (int i = 0; i < kFieldsBefore; ++i) fields >> field;
  double ticks = 0;
  if (!(fields >> ticks))
    return 0;
  const double started = ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
  return static_cast<int64_t>(std::max(0.0, seconds_up - started) * 1e9);
}

std::string_view name_of(Work work) {
  switch (work) {
    case Work::kProduct:
      return "product";
    case Work::kAttention:
      return "attention";
    case Work::kScores:
      return "log-softmax and best words";
    case Work::kNorms:
      return "norms and residuals";
    case Work::kEmbedding:
      return "embedding";
    case Work::kCaches:
      return "caches";
    case Work::kModel:
      return "model, other";
    case Work::kSearch:
      return "search, other";
    case Work::kText:
      return "text and subwords";
    case Work::kLoading:
      return "loading the model";
    case Work::kStart:
      break;
  }
  return "starting the program";
}

bool is_product(const WorkKey& key) { return key.shape.columns > 0; }

std::string description(const WorkKey& key) {
  if (!is_product(key))
    return std::string(name_of(key.work));
  const int64_t least = key.shape.rows == 1 ? 1 : key.shape.rows / 2 + 1;
  const std::string rows = least == key.shape.rows ? fmt::format("{}", least)
                                                   : fmt::format("{}-{}", least, key.shape.rows);
  return fmt::format("product {} × {}{}, {} rows",
                     key.shape.depth,
                     key.shape.columns,
                     key.work == Work::kScores ? " with log-softmax and best words" : "",
                     rows);
}

std::string speed(const WorkTotals& totals) {
  if (totals.multiply_adds == 0 || totals.nanoseconds == 0)
    return "";
  return fmt::format("{:.1f}", 2 * totals.multiply_adds / static_cast<double>(totals.nanoseconds));
}

std::string profile_row(double nanoseconds,
                        double all_nanoseconds,
                        const std::string& calls,
                        const std::string& rate,
                        const std::string& what) {
  return fmt::format("{:>5.1f} % {:>9.3f} {:>9} {:>8}  {}\n",
                     100 * nanoseconds / std::max(all_nanoseconds, 1.0),
                     nanoseconds * 1e-9,
                     calls,
                     rate,
                     what);
}

}  // namespace

void start_work_profile() {
  WorkTotals& start = of_thread().totals[{Work::kStart, {}}];
  start.calls = 1;
  start.nanoseconds = nanoseconds_since_start();
  profiling::is_on = true;
}

Totals work_profile() {
  of_thread().hand_over();
  const std::lock_guard lock(collected().mutex);
  return collected().totals;
}

std::string work_profile_text(const Totals& profile) {
  std::vector<std::pair<WorkKey, WorkTotals>> rows(profile.begin(), profile.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.second.nanoseconds > b.second.nanoseconds;
  });
  double all = 0, products = 0;
  for (const auto& [key, totals] : rows) {
    all += static_cast<double>(totals.nanoseconds);
    products += is_product(key) ? static_cast<double>(totals.nanoseconds) : 0;
  }
  std::string text = fmt::format("{:>7} {:>9} {:>9} {:>8}  {}\n",
                                 "share",
                                 "seconds",
                                 "calls",
                                 "GFLOP/s",
                                 "work, all threads added");
  for (const auto& [key, totals] : rows) {
    const double time = static_cast<double>(totals.nanoseconds);
    text +=
        profile_row(time, all, fmt::format("{}", totals.calls), speed(totals), description(key));
  }
  return text + profile_row(products, all, "", "", "all products") +
         profile_row(all, all, "", "", "total");
}

void WorkSpan::begin(Work work, const ProductShape& shape) {
  OfThread& mine = of_thread();
  measures_ = true;
  key_ = {work, shape};
  if (is_product(key_)) {
    multiply_adds_ = static_cast<double>(shape.rows) * static_cast<double>(shape.columns) *
                     static_cast<double>(shape.depth);
    key_.shape.rows = static_cast<int64_t>(
        std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(shape.rows, 1))));
  }
  outer_ = mine.innermost;
  mine.innermost = this;
  start_ = nanoseconds_now();
}

void WorkSpan::end() {
  const int64_t time = nanoseconds_now() - start_;
  OfThread& mine = of_thread();
  mine.innermost = outer_;
  if (outer_ != nullptr)
    outer_->inside_ += time;
  WorkTotals& totals = mine.totals[key_];
  ++totals.calls;
  totals.nanoseconds += time - inside_;
  totals.multiply_adds += multiply_adds_;
}

}  // namespace phraseq
