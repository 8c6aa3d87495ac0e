#include "core/nn/functional/device/attention/plain_attention.h"

#include <algorithm>

namespace phraseq::nn {
namespace {

/// Whether heads are adjacent columns that begin at a multiple of 8, so that they can be read as
/// vectors of 8 numbers.
bool is_plain(const VectorLayout& layout) {
  constexpr int64_t kColumnMultiple = 8;
  return layout.parts == 1 && layout.window == 1 && layout.column % kColumnMultiple == 0;
}

}  // namespace

bool is_plain(const AttentionLayout& layout) {
  if (layout.groups.size() != 1 || layout.groups[0].heads != layout.heads)
    return false;
  const HeadGroup& group = layout.groups[0];
  if (group.keys.size() != 1 || group.queries.size() != 1 || group.queries[0].queries.size() != 1)
    return false;
  const KeyKind& key = group.keys[0];
  const QueryKind& query = group.queries[0];
  return is_plain(key.key) && is_plain(key.value) && is_plain(query.queries[0]) &&
         is_plain(query.out) && key.first == 0 && query.first == 0 && query.out.column == 0 &&
         layout.out_columns == layout.heads * layout.head_dim;
}

PlainColumns::PlainColumns(const AttentionLayout& layout)
    : query(layout.groups[0].queries[0].queries[0].column),
      key(layout.groups[0].keys[0].key.column),
      value(layout.groups[0].keys[0].value.column),
      heads(layout.heads),
      head_dim(layout.head_dim),
      scale(layout.groups[0].keys[0].scale) {}

int64_t shortest(const std::vector<int64_t>& offsets) {
  int64_t length = offsets.size() < 2 ? 0 : offsets[1] - offsets[0];
  for (size_t i = 1; i < offsets.size(); ++i)
    length = std::min(length, offsets[i] - offsets[i - 1]);
  return length;
}

}  // namespace phraseq::nn
