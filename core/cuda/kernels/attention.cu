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

__device__ inline WeightMask mask_of(const AttentionShape& shape) {
  return {shape.key, shape.threshold, shape.kept, shape.heads, (int)blockIdx.y, 0};
}

__device__ inline Place place_of(const Element* matrix, int64 stride, int row, int rows) {
  return {(Element*)matrix + row * stride + (int64)blockIdx.y * PHRASEQ_HEAD_DIM, stride, rows};
}

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
  for (int first = 0; first < keys_of(tile, shape.causal); first += PHRASEQ_TILE) {
    Tile weights = scores(queries, side.keys.from_row(first));
    for (int i = 0; i < PHRASEQ_TILE_SHARE; ++i) {
      const bool seen = is_seen(tile.place + tile_row(i), first + tile_column(i), tile, shape.causal);
      weights.at[i] = seen ? weights.at[i] * shape.scale : -PHRASEQ_INFINITY;
    }
    softmax.add(weights, sums);
    drop_weights(weights, tile.row, first, true, mask_of(shape));
    add_weighted(sums, weights, side.values.from_row(first));
  }
  softmax.finish(sums);
  write_head(sums, out, side.spare);
  for (int slot = 0; slot < PHRASEQ_TILE_ROWS; ++slot) {
    if (slot_row(slot) < tile.rows && writes_slots())
      log_sums[slot_row(slot)] = softmax.log_sum(slot);
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
  for (int first = 0; first < keys_of(tile, shape.causal); first += PHRASEQ_TILE) {
    Tile gradient = scores(queries, side.keys.from_row(first));
    Tile products = scores(ups, side.values.from_row(first));
    drop_weights(products, tile.row, first, true, mask_of(shape));
    for (int i = 0; i < PHRASEQ_TILE_SHARE; ++i) {
      const int row = tile_row(i), slot = tile_slot(i);
      const bool seen = row < tile.rows && is_seen(tile.place + row, first + tile_column(i), tile, shape.causal);
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
    drop_weights(gradient, tile.others + first, tile.place, false, mask_of(shape));
    for (int i = 0; i < PHRASEQ_TILE_SHARE; ++i) {
      const int query = first + tile_column(i), key = tile.place + tile_row(i);
      const bool seen = query < tile.length && tile_row(i) < tile.rows && (shape.causal == 0 || key <= query);
      const float weight = seen ? exponential(weights.at[i] * shape.scale - log_sums[query]) : 0.0f;
      gradient.at[i] = seen ? weight * (gradient.at[i] - deltas[query]) * shape.scale : 0.0f;
      weights.at[i] = weight;
    }
    drop_weights(weights, tile.others + first, tile.place, false, mask_of(shape));
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
