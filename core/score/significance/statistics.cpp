#include "core/score/significance/statistics.h"

#include <algorithm>
#include <exception>
#include <thread>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/exception_of.h"
#include "core/base/threads.h"

namespace phraseq::score {
namespace {

/// Each thread processes several pieces, because sentences differ in cost.
constexpr size_t kPiecesPerThread = 8;

void check_counts(const Lines& hypotheses, std::span<const Lines> references) {
  if (references.empty())
    throw UsageError("no references: at least one is required");
  if (hypotheses.empty())
    throw DataError("no sentences to score: the output of the system is empty");
  for (size_t stream = 0; stream < references.size(); ++stream) {
    if (references[stream].size() == hypotheses.size())
      continue;
    throw DataError(
        fmt::format("the system has {} lines, reference {} has {}",
                    hypotheses.size(),
                    stream + 1,
                    references[stream].size()),
        "Line i of a system is scored against line i of the reference; nothing was scored.");
  }
}

}  // namespace

std::vector<double> Statistics::sums() const {
  std::vector<double> totals(columns, 0.0);
  for (size_t at = 0; at < values.size(); ++at) totals[at % columns] += values[at];
  return totals;
}

size_t thread_count(int threads) {
  return threads > 0 ? static_cast<size_t>(threads)
                     : std::max<size_t>(std::thread::hardware_concurrency(), 1);
}

void in_parallel(size_t count,
                 int threads,
                 const std::function<void(size_t begin, size_t end)>& work) {
  const size_t workers = std::min(thread_count(threads), std::max<size_t>(count, 1));
  const size_t pieces = workers == 1 ? 1 : std::min(count, workers * kPiecesPerThread);
  std::vector<std::exception_ptr> failures(workers);
  const auto run = [&](size_t worker) {
    failures[worker] = exception_of([&] {
      for (size_t piece = worker; piece < pieces; piece += workers) {
        work(count * piece / pieces, count * (piece + 1) / pieces);
      }
    });
  };
  {
    const auto others = start_threads(workers - 1, [&](size_t number) { run(number + 1); });
    run(0);
    for (size_t worker = others.size() + 1; worker < workers; ++worker) run(worker);
  }
  for (const auto& failure : failures) {
    if (failure)
      std::rethrow_exception(failure);
  }
}

Statistics collect_statistics(const Metric& metric,
                              const Lines& hypotheses,
                              std::span<const Lines> references,
                              int threads) {
  check_counts(hypotheses, references);
  Statistics statistics;
  statistics.columns = metric.statistics();
  statistics.values.resize(hypotheses.size() * statistics.columns);
  in_parallel(hypotheses.size(), threads, [&](size_t begin, size_t end) {
    std::vector<std::string_view> lines(references.size());
    for (size_t sentence = begin; sentence < end; ++sentence) {
      for (size_t stream = 0; stream < references.size(); ++stream) {
        lines[stream] = references[stream][sentence];
      }
      metric.measure(
          hypotheses[sentence],
          lines,
          std::span(statistics.values).subspan(sentence * statistics.columns, statistics.columns));
    }
  });
  return statistics;
}

}  // namespace phraseq::score
