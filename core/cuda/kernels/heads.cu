// Parts of attention that its kernels share: rows of a head as factors of products, a softmax over tiles of keys, and the
// sums D of the backward pass (attention.cu).

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

// The number of keys, counted from the first one, that a tile of queries sees.
__device__ inline int keys_of(const AttentionTile& tile, int causal) {
  const int seen = tile.place + tile.rows;
  return causal != 0 && seen < tile.length ? seen : tile.length;
}
__device__ inline bool is_seen(int query, int key, const AttentionTile& tile, int causal) {
  return key < tile.length && (causal == 0 || key <= query);
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
__device__ inline void add_scores(Tile& sum, const Factor* factors, const Rows& rows) {
  for (int t = 0; t < PHRASEQ_HEAD_TILES; ++t)
    add_product(sum, factors[t], right_factor_of_columns(rows.from_column(t * PHRASEQ_TILE)));
}
template <class Rows>
__device__ inline Tile scores(const Factor* factors, const Rows& rows) {
  Tile sum;
  clear(&sum, 1);
  add_scores(sum, factors, rows);
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

// The numbering of the weights of a head for dropout: that of the CPU (core/nn/kernels/random_bits.h).
struct WeightMask {
  uint64 key;  // 0 = no dropout
  uint32 threshold;
  float kept;
  int token_rows, row;  // the number of rows of weights of a token, and the head's row among them
  int first;            // the number of the first key in its row

  // The factor of the weight of a query, numbered among all tokens, on a key, numbered within its sentence.
  PHRASEQ_MEMBER float factor(int query, int key_place) const {
    const uint32 start = (uint32)((int64)query * token_rows + row) * 0x9e3779b1u;
    return dropout_factor(key, threshold, kept, start + (uint32)(first + key_place));
  }
};

// Multiplies the weights of 16 queries on 16 keys by their dropout factors. The queries are the rows of the tile or its
// columns.
__device__ inline void drop_weights(Tile& tile, int query_row, int key_place, bool rows_are_queries,
                                    const WeightMask& mask) {
  if (mask.key == 0)
    return;
  for (int i = 0; i < PHRASEQ_TILE_SHARE; ++i) {
    const int query = rows_are_queries ? tile_row(i) : tile_column(i);
    const int key = rows_are_queries ? tile_column(i) : tile_row(i);
    tile.at[i] *= mask.factor(query_row + query, key_place + key);
  }
}

// Below every score, but finite: the exponentials of differences to it are defined.
#define PHRASEQ_NO_SCORE -1e30f

// A softmax over keys that are processed 16 at a time. If all keys are hidden, the result is 0.
struct OnlineSoftmax {
  float top[PHRASEQ_TILE_ROWS], total[PHRASEQ_TILE_ROWS];

  PHRASEQ_MEMBER OnlineSoftmax() {
    for (int slot = 0; slot < PHRASEQ_TILE_ROWS; ++slot) {
      top[slot] = PHRASEQ_NO_SCORE;
      total[slot] = 0.0f;
    }
  }

  // Turns scores into exp(score - top), and rescales earlier sums, which were made with another top. Hidden keys have
  // the score -∞.
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
    for (int slot = 0; slot < PHRASEQ_TILE_ROWS; ++slot) shares[slot] = total[slot] == 0.0f ? 0.0f : 1.0f / total[slot];
    multiply_rows(sums, shares);
  }

  PHRASEQ_MEMBER float log_sum(int slot) const { return top[slot] + logf(total[slot]); }
};

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
