// Attention of the rows of a search to the tokens decoded so far: one query a row, whose keys and values lie where the
// row's ancestors wrote them (core/nn/functional/incremental.h). Scores and sums are fp32.
//
// The option PHRASEQ_HEAD_DIM of the compiler is the number of columns of a head, a multiple of 8.

#define PHRASEQ_PAST_BLOCKS 32
#define PHRASEQ_LANE_PAIRS ((PHRASEQ_HEAD_DIM / 2 + PHRASEQ_WARP - 1) / PHRASEQ_WARP)

// The blocks of a cache, [steps, rows then, columns] each.
struct PastBlocks {
  int count;
  int first_step[PHRASEQ_PAST_BLOCKS];
  int rows[PHRASEQ_PAST_BLOCKS];
  int64 start[PHRASEQ_PAST_BLOCKS];  // in elements, from the start of block 0
};

struct PastShape {
  int64 rows;
  int64 query_stride;    // elements from row to row
  int64 ancestor_stride;
  int columns;           // of the cache: those of all heads' keys, then those of their values
  int steps;
  float scale;
};

__device__ inline int64 past_row(const PastBlocks& blocks, int step, int ancestor, int columns) {
  int block = blocks.count - 1;
  while (step < blocks.first_step[block]) --block;
  const int64 row = (int64)(step - blocks.first_step[block]) * blocks.rows[block] + ancestor;
  return blocks.start[block] + row * columns;
}

__device__ inline float past_score(const Element* query, const Element* key) {
  float sum = 0.0f;
  for (int i = 0; i < PHRASEQ_HEAD_DIM; i += PHRASEQ_PACK) {
    const Pack<PHRASEQ_PACK> left = load<PHRASEQ_PACK>(query + i), right = load<PHRASEQ_PACK>(key + i);
    for (int j = 0; j < PHRASEQ_PACK; ++j) sum += wide(left.at[j]) * wide(right.at[j]);
  }
  return sum;
}

// q: column 0 of head 0 in the first row; past: block 0; ancestors [rows, steps or more]; out [rows, heads · head_dim]. A
// warp for each row, blocks_y = heads: each lane takes a step at a time, then columns of the values of all these steps.
PHRASEQ_KERNEL void attend_to_past(const Element* q, const Element* past, const int* ancestors, Element* out,
                                   PastBlocks blocks, PastShape shape) {
  const int64 row = grid_warp();
  if (row >= shape.rows)
    return;
  const int lane = threadIdx.x % PHRASEQ_WARP, head_column = blockIdx.y * PHRASEQ_HEAD_DIM;
  const Element* const query = q + row * shape.query_stride + head_column;
  float sums[PHRASEQ_LANE_PAIRS][2] = {};
  float top = -PHRASEQ_INFINITY, total = 0.0f;
  for (int first = 0; first < shape.steps; first += PHRASEQ_WARP) {
    const bool is_step = first + lane < shape.steps;
    int64 place = 0;
    float score = -PHRASEQ_INFINITY;
    if (is_step) {
      const int ancestor = ancestors[row * shape.ancestor_stride + first + lane];
      place = past_row(blocks, first + lane, ancestor, shape.columns) + head_column;
      score = past_score(query, past + place) * shape.scale;
    }
    const float highest = fmaxf(top, warp_max(score)), before = exponential(top - highest);
    const float weight = is_step ? exponential(score - highest) : 0.0f;
    top = highest;
    total = total * before + warp_sum(weight);
    for (int i = 0; i < PHRASEQ_LANE_PAIRS; ++i) {
      sums[i][0] *= before;
      sums[i][1] *= before;
    }
    for (int step = 0; step < PHRASEQ_WARP && first + step < shape.steps; ++step) {
      const float share = of_lane(weight, step);
      const Element* const value = past + of_lane(place, step) + shape.columns / 2;
      for (int i = 0; i < PHRASEQ_LANE_PAIRS; ++i) {
        const int column = 2 * (lane + i * PHRASEQ_WARP);
        if (column < PHRASEQ_HEAD_DIM) {
          const Pack<2> pair = load<2>(value + column);
          sums[i][0] += share * wide(pair.at[0]);
          sums[i][1] += share * wide(pair.at[1]);
        }
      }
    }
  }
  Element* const to = out + row * (shape.columns / 2) + head_column;
  for (int i = 0; i < PHRASEQ_LANE_PAIRS; ++i) {
    const int column = 2 * (lane + i * PHRASEQ_WARP);
    if (column < PHRASEQ_HEAD_DIM)
      store<2>(to + column, {narrow(sums[i][0] / total), narrow(sums[i][1] / total)});
  }
}
