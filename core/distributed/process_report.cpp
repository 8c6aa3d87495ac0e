#include "core/distributed/process_report.h"

#include <algorithm>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

namespace phraseq {
namespace {

/// As CBOR, which keeps every bit of a number, also NaN.
std::string packed(const ProcessReport& report) {
  nlohmann::json batches = nlohmann::json::array();
  for (const auto& [position, sums] : report.batches) {
    batches.push_back(
        {position, sums.loss_sum, sums.nll_sum, sums.tokens, sums.sentences, sums.extras});
  }
  std::string bytes;
  nlohmann::json::to_cbor(
      {batches, report.signal, report.checkpoint_requested, report.wall_seconds, report.sums_again},
      bytes);
  return bytes;
}

void add_unpacked(const std::string& bytes, bool is_first, ProcessReport& all) {
  const auto entry = nlohmann::json::from_cbor(bytes);
  for (const auto& batch : entry.at(0)) {
    LossReport& sums = all.batches[batch.at(0).get<int64_t>()];
    sums.loss_sum = batch.at(1).get<double>();
    sums.nll_sum = batch.at(2).get<double>();
    sums.tokens = batch.at(3).get<int64_t>();
    sums.sentences = batch.at(4).get<int64_t>();
    if (!batch.at(5).is_null())
      sums.extras = batch.at(5).get<std::map<std::string, double>>();
  }
  all.signal = std::max(all.signal, entry.at(1).get<int>());
  all.checkpoint_requested = all.checkpoint_requested || entry.at(2).get<bool>();
  all.sums_again = all.sums_again || entry.at(4).get<bool>();
  if (is_first)
    all.wall_seconds = entry.at(3).get<double>();
}

}  // namespace

LossReport sum_of(const BatchReports& reports) {
  LossReport sums;
  for (const auto& [position, report] : reports) sums.add(report);
  return sums;
}

ProcessReport exchange_reports(ProcessGroup& processes, ProcessReport mine) {
  if (processes.is_alone())
    return mine;
  ProcessReport all;
  bool is_first = true;
  for (const std::string& bytes : processes.all_texts(packed(mine)))
    add_unpacked(bytes, std::exchange(is_first, false), all);
  return all;
}

}  // namespace phraseq
