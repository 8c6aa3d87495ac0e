// Attention of packed sentences in which a group of heads has several kinds of keys under one softmax and several kinds
// of queries (n-grams of several lengths), and its gradients. The equations are those of attention.cu; vectors consist of
// parts of PHRASEQ_HEAD_DIM columns, and a score is the sum of the products of parts:
//
//   S_ij = scale_k Σ_p q_i^kp · k_j^kp,   for a key j of kind k      (Nguyen and Joty 2018; Nguyen and Nguyen 2022)
//
// A warp computes 16 queries of a kind, or 16 keys of each kind, of a head. Windows of tokens have already
// been summed (windows.cu).

#define PHRASEQ_KEY_KINDS 4
#define PHRASEQ_QUERY_KINDS 2

// Columns are those of the first head of the group.
struct KeyColumns {
  int key, value;        // the first columns
  int parts, part_step;  // of the key
  int first;             // keys of tokens before this one do not exist
  int number;            // of the first key in the numbering of weights
  float scale;
};
struct QueryColumns {
  int query[PHRASEQ_KEY_KINDS], part_step[PHRASEQ_KEY_KINDS];  // against each kind of key
  int first;                                                   // the result for tokens before this one is 0
  int out;
  int kind;  // its number among those of all groups
};

struct GroupShape {
  int64 tiles;
  int64 query_stride, key_stride, out_stride;  // elements from row to row
  int query_tokens, causal;
  int heads, first_head;      // of the group
  int all_heads, token_rows;  // of all groups; token_rows: see WeightMask
  int query_kinds, key_kinds;
  int one_query;  // a query is the same vector against all kinds of keys
  uint64 key;     // key of the dropout of weights, 0 = none
  uint32 threshold;
  float kept;
  KeyColumns keys[PHRASEQ_KEY_KINDS];
  QueryColumns queries[PHRASEQ_QUERY_KINDS];
};

// The parts of some vectors, a row for each. `first`: part 0 of all; part p is `step` columns after part p - 1.
struct Parts {
  Place first;
  int step;

  PHRASEQ_MEMBER Place part(int p) const { return first.from_column((int64)p * step); }
  PHRASEQ_MEMBER Parts from_row(int row) const { return {first.from_row(row), step}; }
};

__device__ inline Place columns_of(const Element* matrix, int64 stride, int row, int rows, int column) {
  return {(Element*)matrix + row * stride + column, stride, rows};
}

// The head of a warp, and a kind of query against a kind of key.
struct GroupHead {
  int head;  // in its group
  int query, key;

  PHRASEQ_MEMBER int from(int column) const { return column + head * PHRASEQ_HEAD_DIM; }
  PHRASEQ_MEMBER Parts queries(const Element* q, int row, int rows, const GroupShape& shape) const {
    const QueryColumns& by = shape.queries[query];
    return {columns_of(q, shape.query_stride, row, rows, from(by.query[key])), by.part_step[key]};
  }
  PHRASEQ_MEMBER Parts keys(const Element* kv, int row, int rows, const GroupShape& shape) const {
    const KeyColumns& by = shape.keys[key];
    return {columns_of(kv, shape.key_stride, row, rows, from(by.key)), by.part_step};
  }
  PHRASEQ_MEMBER Place values(const Element* kv, int row, int rows, const GroupShape& shape) const {
    return columns_of(kv, shape.key_stride, row, rows, from(shape.keys[key].value));
  }
  PHRASEQ_MEMBER Place results(const Element* out, int row, int rows, const GroupShape& shape) const {
    return columns_of(out, shape.out_stride, row, rows, from(shape.queries[query].out));
  }
  // The index of the head and the kind of query among those of all groups.
  PHRASEQ_MEMBER int row(const GroupShape& shape) const {
    return shape.queries[query].kind * shape.all_heads + shape.first_head + head;
  }
  PHRASEQ_MEMBER WeightMask mask(const GroupShape& shape) const {
    return {shape.key, shape.threshold, shape.kept, shape.token_rows, row(shape), shape.keys[key].number};
  }
  PHRASEQ_MEMBER bool sees(int query_place, int key_place, const GroupShape& shape) const {
    return query_place >= shape.queries[query].first && key_place >= shape.keys[key].first &&
           (shape.causal == 0 || key_place <= query_place);
  }
};

// The product of 16 vectors and the transpose of others.
__device__ inline Tile products_of(const Parts& own, const Parts& others, int parts) {
  Tile sum;
  clear(&sum, 1);
  for (int p = 0; p < parts; ++p) {
    Factor factors[PHRASEQ_HEAD_TILES];
    read_factors(own.part(p), factors);
    add_scores(sum, factors, others.part(p));
  }
  return sum;
}

// Adds what 16 queries receive from the keys of a kind.
__device__ inline void attend_to_kind(OnlineSoftmax& softmax, Tile* sums, const AttentionTile& tile,
                                      const GroupHead& head, const Element* q, const Element* kv,
                                      const GroupShape& shape) {
  const KeyColumns& by = shape.keys[head.key];
  const Parts queries = head.queries(q, tile.row, tile.rows, shape);
  const Parts keys = head.keys(kv, tile.others, tile.length, shape);
  const Place values = head.values(kv, tile.others, tile.length, shape);
  for (int first = 0; first < keys_of(tile, shape.causal); first += PHRASEQ_TILE) {
    Tile weights = products_of(queries, keys.from_row(first), by.parts);
    for (int i = 0; i < PHRASEQ_TILE_SHARE; ++i) {
      const int key = first + tile_column(i);
      const bool seen = key < tile.length && head.sees(tile.place + tile_row(i), key, shape);
      weights.at[i] = seen ? weights.at[i] * by.scale : -PHRASEQ_INFINITY;
    }
    softmax.add(weights, sums);
    drop_weights(weights, tile.row, first, true, head.mask(shape));
    add_weighted(sums, weights, values.from_row(first));
  }
}

// A warp for each tile of queries, blocks_y = heads · query kinds. log_sums [query kinds · all heads, query tokens].
PHRASEQ_KERNEL void grouped_attention(const Element* q, const Element* kv, const AttentionTile* tiles, Element* out,
                                      float* log_sums, PHRASEQ_GRID_CONSTANT GroupShape shape) {
  if (grid_warp() >= shape.tiles)
    return;
  const AttentionTile tile = tiles[grid_warp()];
  GroupHead head = {(int)blockIdx.y % shape.heads, (int)blockIdx.y / shape.heads, 0};
  Tile sums[PHRASEQ_HEAD_TILES];
  clear(sums, PHRASEQ_HEAD_TILES);
  OnlineSoftmax softmax;
  for (; head.key < shape.key_kinds; ++head.key) attend_to_kind(softmax, sums, tile, head, q, kv, shape);
  softmax.finish(sums);
  const Place results = head.results(out, tile.row, tile.rows, shape);
  write_head(sums, results, results);
  log_sums += (int64)head.row(shape) * shape.query_tokens + tile.row;
  for (int slot = 0; slot < PHRASEQ_TILE_ROWS; ++slot) {
    if (slot_row(slot) < tile.rows && writes_slots())
      log_sums[slot_row(slot)] = softmax.log_sum(slot);
  }
}

// The rows of a tile of queries in the backward pass: this lane's sums.
struct GroupSums {
  float log_sums[PHRASEQ_TILE_ROWS], deltas[PHRASEQ_TILE_ROWS];
};

// Adds the gradient of a part of 16 queries that comes from a kind of key.
__device__ inline void add_query_gradient(Tile* sums, int part, const AttentionTile& tile, const GroupHead& head,
                                          const Place& ups, const Element* q, const Element* kv, const GroupSums& by,
                                          const GroupShape& shape) {
  const KeyColumns& columns = shape.keys[head.key];
  const Parts queries = head.queries(q, tile.row, tile.rows, shape);
  const Parts keys = head.keys(kv, tile.others, tile.length, shape);
  const Parts values = {head.values(kv, tile.others, tile.length, shape), 0};
  for (int first = 0; first < keys_of(tile, shape.causal); first += PHRASEQ_TILE) {
    Tile gradient = products_of(queries, keys.from_row(first), columns.parts);
    Tile products = products_of({ups, 0}, values.from_row(first), 1);
    drop_weights(products, tile.row, first, true, head.mask(shape));
    for (int i = 0; i < PHRASEQ_TILE_SHARE; ++i) {
      const int row = tile_row(i), slot = tile_slot(i), key = first + tile_column(i);
      const bool seen = row < tile.rows && key < tile.length && head.sees(tile.place + row, key, shape);
      const float weight = seen ? exponential(gradient.at[i] * columns.scale - by.log_sums[slot]) : 0.0f;
      gradient.at[i] = weight * (products.at[i] - by.deltas[slot]) * columns.scale;
    }
    add_weighted(sums, gradient, keys.from_row(first).part(part));
  }
}

// Computes the gradient of q, by tiles of queries as in `grouped_attention`. deltas receives D, like log_sums.
PHRASEQ_KERNEL void grouped_attention_backward_queries(const Element* dout, const Element* q, const Element* kv,
                                                       const Element* out, const AttentionTile* tiles,
                                                       const float* log_sums, float* deltas, Element* dq,
                                                       PHRASEQ_GRID_CONSTANT GroupShape shape) {
  if (grid_warp() >= shape.tiles)
    return;
  const AttentionTile tile = tiles[grid_warp()];
  GroupHead head = {(int)blockIdx.y % shape.heads, (int)blockIdx.y / shape.heads, 0};
  const Place ups = head.results(dout, tile.row, tile.rows, shape);
  const int64 first_row = (int64)head.row(shape) * shape.query_tokens + tile.row;
  GroupSums by;
  find_deltas(ups, head.results(out, tile.row, tile.rows, shape), tile.rows, deltas + first_row, by.deltas);
  for (int slot = 0; slot < PHRASEQ_TILE_ROWS; ++slot)
    by.log_sums[slot] = slot_row(slot) < tile.rows ? log_sums[first_row + slot_row(slot)] : 0.0f;
  for (int kind = 0; kind < (shape.one_query != 0 ? 1 : shape.key_kinds); ++kind) {
    for (int part = 0; part < shape.keys[kind].parts; ++part) {
      Tile sums[PHRASEQ_HEAD_TILES];
      clear(sums, PHRASEQ_HEAD_TILES);
      for (head.key = kind; head.key < (shape.one_query != 0 ? shape.key_kinds : kind + 1); ++head.key)
        add_query_gradient(sums, part, tile, head, ups, q, kv, by, shape);
      head.key = kind;
      const Place to = head.queries(dq, tile.row, tile.rows, shape).part(part);
      write_head(sums, to, to);
    }
  }
}

// Adds the gradients of a part of 16 keys and of their values that come from a kind of query. log_sums and deltas point
// at the first query of the sentence.
__device__ inline void add_key_gradients(Tile* key_sums, Tile* value_sums, int part, const AttentionTile& tile,
                                         const GroupHead& head, const Element* dout, const Element* q,
                                         const Element* kv, const float* log_sums, const float* deltas,
                                         const GroupShape& shape) {
  const KeyColumns& by = shape.keys[head.key];
  const Parts queries = head.queries(q, tile.others, tile.length, shape);
  const Place ups = head.results(dout, tile.others, tile.length, shape);
  const Parts keys = head.keys(kv, tile.row, tile.rows, shape);
  const Parts values = {head.values(kv, tile.row, tile.rows, shape), 0};
  // Causal attention: queries before the tile do not see it.
  for (int first = shape.causal != 0 ? tile.place : 0; first < tile.length; first += PHRASEQ_TILE) {
    Tile weights = products_of(keys, queries.from_row(first), by.parts);  // [key, query]
    Tile gradient = products_of(values, {ups.from_row(first), 0}, 1);     // [key, query]
    drop_weights(gradient, tile.others + first, tile.place, false, head.mask(shape));
    for (int i = 0; i < PHRASEQ_TILE_SHARE; ++i) {
      const int query = first + tile_column(i), key = tile.place + tile_row(i);
      const bool seen = query < tile.length && tile_row(i) < tile.rows && head.sees(query, key, shape);
      const float weight = seen ? exponential(weights.at[i] * by.scale - log_sums[query]) : 0.0f;
      gradient.at[i] = seen ? weight * (gradient.at[i] - deltas[query]) * by.scale : 0.0f;
      weights.at[i] = weight;
    }
    drop_weights(weights, tile.others + first, tile.place, false, head.mask(shape));
    if (part == 0)
      add_weighted(value_sums, weights, ups.from_row(first));
    add_weighted(key_sums, gradient, queries.from_row(first).part(part));
  }
}

// Computes the gradients of keys and values, by tiles of keys; the other side of a tile are the queries. blocks_y =
// heads. Runs after grouped_attention_backward_queries.
PHRASEQ_KERNEL void grouped_attention_backward_keys(const Element* dout, const Element* q, const Element* kv,
                                                    const AttentionTile* tiles, const float* log_sums,
                                                    const float* deltas, Element* dkv,
                                                    PHRASEQ_GRID_CONSTANT GroupShape shape) {
  if (grid_warp() >= shape.tiles)
    return;
  const AttentionTile tile = tiles[grid_warp()];
  GroupHead head = {(int)blockIdx.y, 0, 0};
  for (; head.key < shape.key_kinds; ++head.key) {
    for (int part = 0; part < shape.keys[head.key].parts; ++part) {
      Tile key_sums[PHRASEQ_HEAD_TILES], value_sums[PHRASEQ_HEAD_TILES];
      clear(key_sums, PHRASEQ_HEAD_TILES);
      clear(value_sums, PHRASEQ_HEAD_TILES);
      for (head.query = 0; head.query < shape.query_kinds; ++head.query) {
        const int64 first_row = (int64)head.row(shape) * shape.query_tokens + tile.others;
        add_key_gradients(key_sums, value_sums, part, tile, head, dout, q, kv, log_sums + first_row,
                          deltas + first_row, shape);
      }
      const Place keys = head.keys(dkv, tile.row, tile.rows, shape).part(part);
      const Place values = head.values(dkv, tile.row, tile.rows, shape);
      write_head(key_sums, keys, keys);
      if (part == 0)
        write_head(value_sums, values, values);
    }
  }
}
