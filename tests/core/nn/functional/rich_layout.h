#pragma once

#include <cstdint>

#include "core/nn/functional/grouped_attention.h"

/// Layouts for tests that use all that attention can read.
namespace phraseq::testing {

/// Two heads attend to words and trigrams under one softmax, where the keys of trigrams combine
/// those of three words; the queries are words and bigrams, and bigrams are written to two rows. A
/// third head attends to bigrams by convolution, with partial windows.
inline nn::AttentionLayout rich_layout(int64_t head_dim) {
  const int64_t wide = 2 * head_dim;
  nn::AttentionLayout layout;
  layout.heads = 3;
  layout.head_dim = head_dim;
  layout.query_kinds = layout.key_kinds = 2;
  layout.out_columns = 3 * wide + head_dim;

  nn::HeadGroup first{0, 2, {{}, {}}, {{}, {}}};
  first.keys[0].value.column = wide;
  first.keys[0].scale = 0.4;
  first.keys[1] = {1,
                   {.column = 2 * wide, .parts = 3, .part_lag = 1},
                   {.column = 3 * wide, .window = 3, .window_step = wide},
                   2,
                   0.3};
  const int64_t queries = 6 * wide + 4 * head_dim;  // the columns of keys and values
  first.queries[0].queries = {{.column = queries},
                              {.column = queries + wide, .parts = 3, .part_step = wide}};
  first.queries[0].out.column = wide;
  first.queries[1] = {1,
                      {{.column = queries + 4 * wide, .window = 2, .window_step = wide},
                       {.column = queries + 6 * wide,
                        .parts = 3,
                        .part_step = wide,
                        .window = 2,
                        .window_step = 3 * wide}},
                      {.column = 2 * wide, .window = 2, .window_step = -2 * wide},
                      1};
  nn::HeadGroup second{2, 1, {{}}, {{}}};
  second.keys[0] = {0,
                    {.column = 6 * wide, .window = 2, .window_step = head_dim},
                    {.column = 6 * wide + 2 * head_dim, .window = 2, .window_step = head_dim},
                    0,
                    0.5};
  second.queries[0].queries = {{.column = queries + 12 * wide}};
  second.queries[0].out.column = 3 * wide;
  layout.groups = {first, second};
  return layout;
}

/// The columns of queries, keys and values.
inline int64_t rich_columns(int64_t head_dim) { return 41 * head_dim; }

/// The layout above with the queries in a matrix of their own, of 25 · head_dim columns; keys and
/// values have 16 · head_dim.
inline nn::AttentionLayout cross_layout(int64_t head_dim) {
  nn::AttentionLayout layout = rich_layout(head_dim);
  for (nn::HeadGroup& group : layout.groups) {
    for (nn::QueryKind& kind : group.queries) {
      for (nn::VectorLayout& query : kind.queries) query.column -= 16 * head_dim;
    }
  }
  return layout;
}

}  // namespace phraseq::testing
