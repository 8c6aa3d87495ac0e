// Attention of packed sentences and its gradients, for sentences much shorter than those that FlashAttention is made
// for: a warp computes 16 queries (or keys) of a head, or a head of a whole sentence if its rows fit in shared memory.
// Scores, their sums and the gradients are fp32; weights and the gradients of scores are rounded to 16 bits before they
// are multiplied.
//
//   S = scale · Q Kᵀ, P = exp(S - L), L_i = ln Σ_j exp(S_ij), O = (M ∘ P) V                   (Vaswani et al. 2017)
//   dV = (M ∘ P)ᵀ dO, dS = P ∘ (M ∘ dO Vᵀ - D), D_i = Σ_c dO_ic O_ic, dQ = scale · dS K, dK = scale · dSᵀ Q
//                                                                                             (Dao et al. 2022)
// where M are the factors of the dropout of weights.
//
// The option PHRASEQ_HEAD_DIM of the compiler is the number of columns of a head, a multiple of 16.

#define PHRASEQ_HEAD_TILES (PHRASEQ_HEAD_DIM / PHRASEQ_TILE)

// Up to 16 rows of a sentence (queries or keys), and the rows of the other side that attend to them or that they attend
// to.
struct AttentionTile {
  int row;     // the first row, among all tokens
  int rows;    // 1 to 16
  int place;   // position of the first row in its sentence
  int others;  // the first row of the other side in this sentence
  int length;  // number of rows of the other side
};

struct AttentionShape {
  int64 tiles;
  int64 query_stride, key_stride, out_stride;  // elements from row to row
  int query_tokens, heads;
  int causal;  // token i of a sentence sees the keys of tokens 0 … i
  float scale;
  uint64 key;  // key of the dropout of weights, 0 = none
  uint32 threshold;
  float kept;
};

// The dropout factor of the weight of a query, numbered among all tokens, on a key, numbered within its sentence: the
// same as on the CPU (core/nn/kernels/random_bits.h).
__device__ inline float weight_factor(int query_row, int key_place, const AttentionShape& shape) {
  const uint32 row = (uint32)((int64)query_row * shape.heads + blockIdx.y) * 0x9e3779b1u;
  return dropout_factor(shape.key, shape.threshold, shape.kept, row + (uint32)key_place);
}

// Multiplies the weights of 16 queries on 16 keys by their dropout factors. The queries are the rows of the tile or its
// columns.
__device__ inline void drop_weights(Tile& tile, int query_row, int key_place, bool rows_are_queries,
                                    const AttentionShape& shape) {
  if (shape.key == 0)
    return;
  for (int i = 0; i < PHRASEQ_TILE_SHARE; ++i) {
    const int query = rows_are_queries ? tile_row(i) : tile_column(i);
    const int key = rows_are_queries ? tile_column(i) : tile_row(i);
    tile.at[i] *= weight_factor(query_row + query, key_place + key, shape);
  }
}

__device__ inline Place place_of(const Element* matrix, int64 stride, int row, int rows) {
  return {(Element*)matrix + row * stride + (int64)blockIdx.y * PHRASEQ_HEAD_DIM, stride, rows};
}

__device__ inline void clear(Tile* tiles, int count) {
  for (int t = 0; t < count; ++t) {
    for (int i = 0; i < PHRASEQ_TILE_SHARE; ++i) tiles[t].at[i] = 0.0f;
  }
}

// The functions below read the rows of a head in place (Rows = Place) or from shared memory (Rows = Staged).

template <class Rows>
__device__ inline void read_factors(const Rows& rows, Factor* factors) {
  for (int t = 0; t < PHRASEQ_HEAD_TILES; ++t) factors[t] = left_factor(rows.from_column(t * PHRASEQ_TILE));
}

// The product of 16 rows of a head and the transpose of other rows.
template <class Rows>
__device__ inline Tile scores(const Factor* factors, const Rows& rows) {
  Tile sum;
  clear(&sum, 1);
  for (int t = 0; t < PHRASEQ_HEAD_TILES; ++t)
    add_product(sum, factors[t], right_factor_of_columns(rows.from_column(t * PHRASEQ_TILE)));
  return sum;
}

// sums += weights · rows
template <class Rows>
__device__ inline void add_weighted(Tile* sums, const Tile& weights, const Rows& rows) {
  const Factor left = left_factor_of(weights);
  for (int t = 0; t < PHRASEQ_HEAD_TILES; ++t)
    add_product(sums[t], left, right_factor_of_rows(rows.from_column(t * PHRASEQ_TILE)));
}

// Writes sums of products with rows. Sums of products with staged rows are first stored in 16 spare rows, from which
// whole rows are written.
__device__ inline void write_head(const Tile* sums, const Place& to, const Place& /*spare*/) {
  for (int t = 0; t < PHRASEQ_HEAD_TILES; ++t) write_tile(sums[t], to.from_column(t * PHRASEQ_TILE));
}
__device__ inline void write_head(const Tile* sums, const Place& to, const Staged& spare) {
  sync_warp();
  for (int t = 0; t < PHRASEQ_HEAD_TILES; ++t) write_tile(sums[t], spare.from_column(t * PHRASEQ_TILE));
  sync_warp();
  unstage(spare, to);
}

// The number of keys, counted from the first one, that a tile of queries sees.
__device__ inline int keys_of(const AttentionTile& tile, const AttentionShape& shape) {
  const int seen = tile.place + tile.rows;
  return shape.causal != 0 && seen < tile.length ? seen : tile.length;
}
__device__ inline bool is_seen(int query, int key, const AttentionTile& tile, const AttentionShape& shape) {
  return key < tile.length && (shape.causal == 0 || key <= query);
}

// A softmax over keys that are processed 16 at a time.
struct OnlineSoftmax {
  float top[PHRASEQ_TILE_ROWS], total[PHRASEQ_TILE_ROWS];

  PHRASEQ_MEMBER OnlineSoftmax() {
    for (int slot = 0; slot < PHRASEQ_TILE_ROWS; ++slot) {
      top[slot] = -PHRASEQ_INFINITY;
      total[slot] = 0.0f;
    }
  }

  // Turns scores into exp(score - top), and rescales earlier sums, which were made with another top. Each row has a key
  // among the first 16.
  PHRASEQ_MEMBER void add(Tile& scores, Tile* sums) {
    float highest[PHRASEQ_TILE_ROWS], before[PHRASEQ_TILE_ROWS], added[PHRASEQ_TILE_ROWS];
    for (int slot = 0; slot < PHRASEQ_TILE_ROWS; ++slot) highest[slot] = top[slot];
    for (int i = 0; i < PHRASEQ_TILE_SHARE; ++i) highest[tile_slot(i)] = fmaxf(highest[tile_slot(i)], scores.at[i]);
    for (int slot = 0; slot < PHRASEQ_TILE_ROWS; ++slot) {
      highest[slot] = tile_row_max(highest[slot]);
      before[slot] = exponential(top[slot] - highest[slot]);
      top[slot] = highest[slot];
      added[slot] = 0.0f;
    }
    for (int i = 0; i < PHRASEQ_TILE_SHARE; ++i) {
      scores.at[i] = exponential(scores.at[i] - top[tile_slot(i)]);
      added[tile_slot(i)] += scores.at[i];
    }
    for (int slot = 0; slot < PHRASEQ_TILE_ROWS; ++slot)
      total[slot] = total[slot] * before[slot] + tile_row_sum(added[slot]);
    multiply_rows(sums, before);
  }

  static PHRASEQ_MEMBER void multiply_rows(Tile* tiles, const float* factors) {
    for (int t = 0; t < PHRASEQ_HEAD_TILES; ++t) {
      for (int i = 0; i < PHRASEQ_TILE_SHARE; ++i) tiles[t].at[i] *= factors[tile_slot(i)];
    }
  }

  PHRASEQ_MEMBER void finish(Tile* sums) const {
    float shares[PHRASEQ_TILE_ROWS];
    for (int slot = 0; slot < PHRASEQ_TILE_ROWS; ++slot) shares[slot] = 1.0f / total[slot];
    multiply_rows(sums, shares);
  }

  PHRASEQ_MEMBER float log_sum(int slot) const { return top[slot] + logf(total[slot]); }
};

// The rows that a tile of queries or keys works on: its own, all rows of the other side, and 16 spare rows.
template <class Rows>
struct Sides {
  Rows queries, ups, keys, values, spare;  // ups: dO, in the backward pass
};

// Computes the result of a tile of queries; log_sums points at its first query.
template <class Rows>
__device__ inline void attend(const AttentionTile& tile, const Sides<Rows>& side, const Place& out, float* log_sums,
                              const AttentionShape& shape) {
  Factor queries[PHRASEQ_HEAD_TILES];
  read_factors(side.queries, queries);
  Tile sums[PHRASEQ_HEAD_TILES];
  clear(sums, PHRASEQ_HEAD_TILES);
  OnlineSoftmax softmax;
  for (int first = 0; first < keys_of(tile, shape); first += PHRASEQ_TILE) {
    Tile weights = scores(queries, side.keys.from_row(first));
    for (int i = 0; i < PHRASEQ_TILE_SHARE; ++i) {
      const bool seen = is_seen(tile.place + tile_row(i), first + tile_column(i), tile, shape);
      weights.at[i] = seen ? weights.at[i] * shape.scale : -PHRASEQ_INFINITY;
    }
    softmax.add(weights, sums);
    drop_weights(weights, tile.row, first, true, shape);
    add_weighted(sums, weights, side.values.from_row(first));
  }
  softmax.finish(sums);
  write_head(sums, out, side.spare);
  for (int slot = 0; slot < PHRASEQ_TILE_ROWS; ++slot) {
    if (slot_row(slot) < tile.rows && writes_slots())
      log_sums[slot_row(slot)] = softmax.log_sum(slot);
  }
}

// Computes D of 16 queries, of which this lane keeps those of its rows.
__device__ inline void find_deltas(const Place& dout, const Place& out, int rows, float* deltas, float* own) {
  for (int slot = 0; slot < PHRASEQ_TILE_ROWS; ++slot) own[slot] = 0.0f;
  for (int t = 0; t < PHRASEQ_HEAD_TILES; ++t) {
    const Tile up = read_tile(dout.from_column(t * PHRASEQ_TILE)), result = read_tile(out.from_column(t * PHRASEQ_TILE));
    for (int i = 0; i < PHRASEQ_TILE_SHARE; ++i) own[tile_slot(i)] += up.at[i] * result.at[i];
  }
  for (int slot = 0; slot < PHRASEQ_TILE_ROWS; ++slot) {
    own[slot] = tile_row_sum(own[slot]);
    if (slot_row(slot) < rows && writes_slots())
      deltas[slot_row(slot)] = own[slot];
  }
}

// Computes the gradient of a tile of queries; log_sums and deltas are those of this lane's rows.
template <class Rows>
__device__ inline void find_query_gradients(const AttentionTile& tile, const Sides<Rows>& side, const float* log_sums,
                                            const float* deltas, const Place& dq, const AttentionShape& shape) {
  Factor queries[PHRASEQ_HEAD_TILES], ups[PHRASEQ_HEAD_TILES];
  read_factors(side.queries, queries);
  read_factors(side.ups, ups);
  Tile sums[PHRASEQ_HEAD_TILES];
  clear(sums, PHRASEQ_HEAD_TILES);
  for (int first = 0; first < keys_of(tile, shape); first += PHRASEQ_TILE) {
    Tile gradient = scores(queries, side.keys.from_row(first));
    Tile products = scores(ups, side.values.from_row(first));
    drop_weights(products, tile.row, first, true, shape);
    for (int i = 0; i < PHRASEQ_TILE_SHARE; ++i) {
      const int row = tile_row(i), slot = tile_slot(i);
      const bool seen = row < tile.rows && is_seen(tile.place + row, first + tile_column(i), tile, shape);
      const float weight = seen ? exponential(gradient.at[i] * shape.scale - log_sums[slot]) : 0.0f;
      gradient.at[i] = weight * (products.at[i] - deltas[slot]) * shape.scale;
    }
    add_weighted(sums, gradient, side.keys.from_row(first));
  }
  write_head(sums, dq, side.spare);
}

// Computes the gradients of a tile of keys and of their values, whose rows are in `side`; log_sums and deltas point at
// the sentence's first query.
template <class Rows>
__device__ inline void find_key_gradients(const AttentionTile& tile, const Sides<Rows>& side, const float* log_sums,
                                          const float* deltas, const Place& dk, const Place& dv,
                                          const AttentionShape& shape) {
  Factor keys[PHRASEQ_HEAD_TILES], values[PHRASEQ_HEAD_TILES];
  read_factors(side.keys, keys);
  read_factors(side.values, values);
  Tile key_sums[PHRASEQ_HEAD_TILES], value_sums[PHRASEQ_HEAD_TILES];
  clear(key_sums, PHRASEQ_HEAD_TILES);
  clear(value_sums, PHRASEQ_HEAD_TILES);
  // Causal attention: queries before the tile do not see it.
  for (int first = shape.causal != 0 ? tile.place : 0; first < tile.length; first += PHRASEQ_TILE) {
    const Rows queries = side.queries.from_row(first), ups = side.ups.from_row(first);
    Tile weights = scores(keys, queries), gradient = scores(values, ups);  // [key, query]
    drop_weights(gradient, tile.others + first, tile.place, false, shape);
    for (int i = 0; i < PHRASEQ_TILE_SHARE; ++i) {
      const int query = first + tile_column(i), key = tile.place + tile_row(i);
      const bool seen = query < tile.length && tile_row(i) < tile.rows && (shape.causal == 0 || key <= query);
      const float weight = seen ? exponential(weights.at[i] * shape.scale - log_sums[query]) : 0.0f;
      gradient.at[i] = seen ? weight * (gradient.at[i] - deltas[query]) * shape.scale : 0.0f;
      weights.at[i] = weight;
    }
    drop_weights(weights, tile.others + first, tile.place, false, shape);
    add_weighted(value_sums, weights, ups);
    add_weighted(key_sums, gradient, queries);
  }
  write_head(key_sums, dk, side.spare);
  write_head(value_sums, dv, side.spare);
}

// q, k, v and out point at column 0 of head 0 in the first row. log_sums [heads, query tokens]. A warp for each tile of
// queries, blocks_y = heads.
PHRASEQ_KERNEL void attention(const Element* q, const Element* k, const Element* v, const AttentionTile* tiles,
                              Element* out, float* log_sums, AttentionShape shape) {
  if (grid_warp() >= shape.tiles)
    return;
  const AttentionTile tile = tiles[grid_warp()];
  const Place queries = place_of(q, shape.query_stride, tile.row, tile.rows);
  const Place keys = place_of(k, shape.key_stride, tile.others, tile.length);
  const Place values = place_of(v, shape.key_stride, tile.others, tile.length);
  attend<Place>(tile, {queries, queries, keys, values, queries}, place_of(out, shape.out_stride, tile.row, tile.rows),
                log_sums + (int64)blockIdx.y * shape.query_tokens + tile.row, shape);
}

// Computes the gradient of q, by tiles of queries as in `attention`. deltas [heads, query tokens] receives D.
PHRASEQ_KERNEL void attention_backward_queries(const Element* dout, const Element* q, const Element* k, const Element* v,
                                               const Element* out, const AttentionTile* tiles, const float* log_sums,
                                               float* deltas, Element* dq, AttentionShape shape) {
  if (grid_warp() >= shape.tiles)
    return;
  const AttentionTile tile = tiles[grid_warp()];
  const int64 first_row = (int64)blockIdx.y * shape.query_tokens + tile.row;
  const Place queries = place_of(q, shape.query_stride, tile.row, tile.rows);
  const Place ups = place_of(dout, shape.out_stride, tile.row, tile.rows);
  const Place keys = place_of(k, shape.key_stride, tile.others, tile.length);
  const Place values = place_of(v, shape.key_stride, tile.others, tile.length);
  float own_deltas[PHRASEQ_TILE_ROWS], own_log_sums[PHRASEQ_TILE_ROWS];
  find_deltas(ups, place_of(out, shape.out_stride, tile.row, tile.rows), tile.rows, deltas + first_row, own_deltas);
  for (int slot = 0; slot < PHRASEQ_TILE_ROWS; ++slot)
    own_log_sums[slot] = slot_row(slot) < tile.rows ? log_sums[first_row + slot_row(slot)] : 0.0f;
  find_query_gradients<Place>(tile, {queries, ups, keys, values, queries}, own_log_sums, own_deltas,
                              place_of(dq, shape.query_stride, tile.row, tile.rows), shape);
}

// Computes the gradients of k and v, by tiles of keys; the other side of a tile are the queries. Runs after
// attention_backward_queries.
PHRASEQ_KERNEL void attention_backward_keys(const Element* dout, const Element* q, const Element* k, const Element* v,
                                            const AttentionTile* tiles, const float* log_sums, const float* deltas,
                                            Element* dk, Element* dv, AttentionShape shape) {
  if (grid_warp() >= shape.tiles)
    return;
  const AttentionTile tile = tiles[grid_warp()];
  const int64 first_row = (int64)blockIdx.y * shape.query_tokens + tile.others;
  const Place queries = place_of(q, shape.query_stride, tile.others, tile.length);
  const Place ups = place_of(dout, shape.out_stride, tile.others, tile.length);
  const Place keys = place_of(k, shape.key_stride, tile.row, tile.rows);
  const Place values = place_of(v, shape.key_stride, tile.row, tile.rows);
  find_key_gradients<Place>(tile, {queries, ups, keys, values, keys}, log_sums + first_row, deltas + first_row,
                            place_of(dk, shape.key_stride, tile.row, tile.rows),
                            place_of(dv, shape.key_stride, tile.row, tile.rows), shape);
}

// The rows of both sides of a sentence.
struct AttentionSentence {
  int query, queries, key, keys;

  PHRASEQ_MEMBER AttentionTile query_tile(int place) const {
    return {query + place, rows_from(place, queries), place, key, keys};
  }
  PHRASEQ_MEMBER AttentionTile key_tile(int place) const {
    return {key + place, rows_from(place, keys), place, query, queries};
  }
  static PHRASEQ_MEMBER int rows_from(int place, int rows) {
    return rows - place < PHRASEQ_TILE ? rows - place : PHRASEQ_TILE;
  }
};

// Allocates rows in shared memory, one matrix after the other.
struct SharedRows {
  Staged next;

  PHRASEQ_MEMBER SharedRows() : next{(Element*)shared_memory()} {}
  PHRASEQ_MEMBER Staged take(int rows) {
    const Staged taken = next;
    next = next.from_row(whole_tiles(rows));
    return taken;
  }
  PHRASEQ_MEMBER Staged take(const Place& from) {
    const Staged taken = take(from.rows);
    stage(from, taken);
    return taken;
  }
};

// Computes the same as `attention`, with a block of one warp for each sentence, whose rows are read once. For sentences
// that fit in shared memory. shape.tiles: the number of sentences.
PHRASEQ_KERNEL void attention_of_sentences(const Element* q, const Element* k, const Element* v,
                                           const AttentionSentence* sentences, Element* out, float* log_sums,
                                           AttentionShape shape) {
  if (grid_warp() >= shape.tiles)
    return;
  const AttentionSentence sentence = sentences[grid_warp()];
  SharedRows shared;
  const Staged queries = shared.take(place_of(q, shape.query_stride, sentence.query, sentence.queries));
  const Staged keys = shared.take(place_of(k, shape.key_stride, sentence.key, sentence.keys));
  const Staged values = shared.take(place_of(v, shape.key_stride, sentence.key, sentence.keys));
  wait_for_staged();
  for (int place = 0; place < sentence.queries; place += PHRASEQ_TILE) {
    const AttentionTile tile = sentence.query_tile(place);
    const Staged own = queries.from_row(place);
    attend<Staged>(tile, {own, own, keys, values, own}, place_of(out, shape.out_stride, tile.row, tile.rows),
                   log_sums + (int64)blockIdx.y * shape.query_tokens + tile.row, shape);
  }
}

// Computes the gradients of q, k and v, by sentences.
PHRASEQ_KERNEL void attention_backward_of_sentences(const Element* dout, const Element* q, const Element* k,
                                                    const Element* v, const Element* out,
                                                    const AttentionSentence* sentences, const float* log_sums,
                                                    Element* dq, Element* dk, Element* dv, AttentionShape shape) {
  if (grid_warp() >= shape.tiles)
    return;
  const AttentionSentence sentence = sentences[grid_warp()];
  SharedRows shared;
  const Staged spare = shared.take(PHRASEQ_TILE);
  const Staged queries = shared.take(place_of(q, shape.query_stride, sentence.query, sentence.queries));
  const Staged ups = shared.take(place_of(dout, shape.out_stride, sentence.query, sentence.queries));
  const Staged keys = shared.take(place_of(k, shape.key_stride, sentence.key, sentence.keys));
  const Staged values = shared.take(place_of(v, shape.key_stride, sentence.key, sentence.keys));
  float* const deltas = (float*)shared.next.first;
  log_sums += (int64)blockIdx.y * shape.query_tokens + sentence.query;
  wait_for_staged();
  for (int place = 0; place < sentence.queries; place += PHRASEQ_TILE) {
    const AttentionTile tile = sentence.query_tile(place);
    float own_deltas[PHRASEQ_TILE_ROWS], own_log_sums[PHRASEQ_TILE_ROWS];
    find_deltas(place_of(dout, shape.out_stride, tile.row, tile.rows), place_of(out, shape.out_stride, tile.row, tile.rows),
                tile.rows, deltas + place, own_deltas);
    for (int slot = 0; slot < PHRASEQ_TILE_ROWS; ++slot)
      own_log_sums[slot] = slot_row(slot) < tile.rows ? log_sums[place + slot_row(slot)] : 0.0f;
    find_query_gradients<Staged>(tile, {queries.from_row(place), ups.from_row(place), keys, values, spare}, own_log_sums,
                                 own_deltas, place_of(dq, shape.query_stride, tile.row, tile.rows), shape);
  }
  sync_warp();
  for (int place = 0; place < sentence.keys; place += PHRASEQ_TILE) {
    const AttentionTile tile = sentence.key_tile(place);
    find_key_gradients<Staged>(tile, {queries, ups, keys.from_row(place), values.from_row(place), spare}, log_sums, deltas,
                               place_of(dk, shape.key_stride, tile.row, tile.rows),
                               place_of(dv, shape.key_stride, tile.row, tile.rows), shape);
  }
}
