#include "core/text/finalized_dictionary.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>

namespace phraseq {

Dictionary finalized(const Dictionary& counted,
                     int64_t threshold,
                     int64_t max_symbols,
                     int64_t padding_factor) {
  Dictionary kept;
  std::vector<int64_t> order(static_cast<size_t>(counted.size() - kept.size()));
  std::iota(order.begin(), order.end(), kept.size());
  // The order of bytes in UTF-8 is the order of code points.
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return counted.count(a) != counted.count(b) ? counted.count(a) > counted.count(b)
                                                : counted.symbol(a) < counted.symbol(b);
  });
  for (int64_t special = 0; special < kept.size(); ++special)
    kept.add(counted.symbol(special), counted.count(special));
  for (const int64_t id : order) {
    if (counted.count(id) < threshold || (max_symbols > 0 && kept.size() >= max_symbols))
      break;
    kept.add(counted.symbol(id), counted.count(id));
  }
  for (int i = 0; padding_factor > 1 && kept.size() % padding_factor != 0; ++i)
    kept.add(fmt::format("madeupword{:04d}", i), 0);
  return kept;
}

}  // namespace phraseq
