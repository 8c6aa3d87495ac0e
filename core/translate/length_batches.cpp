#include "core/translate/length_batches.h"

#include <algorithm>
#include <numeric>

namespace phraseq {
namespace {

/// The maximum number of tokens per batch if each worker is to get at most one batch. A batch is
/// full if not even the longest sentence fits any more; it then has at least one worker's share of
/// the tokens.
int64_t share_of_tokens(const std::vector<int64_t>& lengths, int64_t workers) {
  const int64_t all = std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
  return (all + workers - 1) / workers + *std::max_element(lengths.begin(), lengths.end()) - 1;
}

}  // namespace

std::vector<std::vector<int64_t>> length_batches(const std::vector<int64_t>& lengths,
                                                 int64_t max_tokens,
                                                 int64_t max_sentences,
                                                 int64_t workers) {
  if (workers > 1 && !lengths.empty()) {
    const int64_t share = share_of_tokens(lengths, workers);
    max_tokens = max_tokens == 0 ? share : std::min(max_tokens, share);
  }
  const auto length = [&](int64_t place) { return lengths[static_cast<size_t>(place)]; };
  std::vector<int64_t> order(lengths.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(
      order.begin(), order.end(), [&](int64_t a, int64_t b) { return length(a) > length(b); });
  std::vector<std::vector<int64_t>> batches;
  int64_t tokens = 0;
  for (const int64_t place : order) {
    const bool room =
        !batches.empty() && (max_tokens == 0 || tokens + length(place) <= max_tokens) &&
        (max_sentences == 0 || static_cast<int64_t>(batches.back().size()) < max_sentences);
    if (!room) {
      batches.emplace_back();
      tokens = 0;
    }
    batches.back().push_back(place);
    tokens += length(place);
  }
  return batches;
}

}  // namespace phraseq
