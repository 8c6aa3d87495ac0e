// Attention of the rows of a search to the tokens decoded so far: one query per row, whose keys and values are where
// the row's ancestors wrote them (core/nn/functional/incremental.h). Scores and sums are fp32.
//
// The option PHRASEQ_HEAD_DIM of the compiler is the number of columns of a head, a multiple of 8.

#define PHRASEQ_PAST_BLOCKS 32
#define PHRASEQ_LANE_PAIRS ((PHRASEQ_HEAD_DIM / 2 + PHRASEQ_WARP - 1) / PHRASEQ_WARP)

// The blocks of a cache, each [steps, rows at that time, columns].
struct PastBlocks {
  int count;
  int first_step[PHRASEQ_PAST_BLOCKS];
  int rows[PHRASEQ_PAST_BLOCKS];
  int64 start[PHRASEQ_PAST_BLOCKS];  // in elements, from the start of block 0
};

struct PastShape {
  int64 rows;
  int64 stride;  // of kvq, in elements between rows
  int64 ancestor_stride;
  int model;  // columns of all heads
  int steps;  // including the newest one
  float scale;
};

// The offset of the keys of a step in a cache whose rows have 2 · model columns.
__device__ inline int64 past_place(const PastBlocks& blocks, int step, int ancestor, int model) {
  int block = blocks.count - 1;
  while (step < blocks.first_step[block]) --block;
  const int64 row = (int64)(step - blocks.first_step[block]) * blocks.rows[block] + ancestor;
  return blocks.start[block] + row * 2 * model;
}

__device__ inline float past_score(const Element* query, const Element* key) {
  float sum = 0.0f;
  for (int i = 0; i < PHRASEQ_HEAD_DIM; i += PHRASEQ_PACK) {
    const Pack<PHRASEQ_PACK> left = load<PHRASEQ_PACK>(query + i), right = load<PHRASEQ_PACK>(key + i);
    for (int j = 0; j < PHRASEQ_PACK; ++j) sum += wide(left.at[j]) * wide(right.at[j]);
  }
  return sum;
}

// Copies the columns of a head.
__device__ inline void copy_head(const Element* from, Element* to) {
  for (int i = warp_lane() * PHRASEQ_PACK; i < PHRASEQ_HEAD_DIM; i += PHRASEQ_WARP * PHRASEQ_PACK)
    store<PHRASEQ_PACK>(to + i, load<PHRASEQ_PACK>(from + i));
}

// Weighted sums of values, of which each lane has pairs of columns. Scores are processed in rounds, one score per lane.
struct PastSums {
  float at[PHRASEQ_LANE_PAIRS][2], top, total;

  PHRASEQ_MEMBER PastSums() : top(-PHRASEQ_INFINITY), total(0.0f) {
    for (int i = 0; i < PHRASEQ_LANE_PAIRS; ++i) at[i][0] = at[i][1] = 0.0f;
  }
  static PHRASEQ_MEMBER int column_of(int i) { return 2 * (warp_lane() + i * PHRASEQ_WARP); }

  // Returns the weight of this lane's score; -infinity means no score.
  PHRASEQ_MEMBER float begin_round(float score) {
    const float highest = fmaxf(top, warp_max(score)), before = exponential(top - highest);
    const float weight = exponential(score - highest);
    top = highest;
    total = total * before + warp_sum(weight);
    for (int i = 0; i < PHRASEQ_LANE_PAIRS; ++i) {
      at[i][0] *= before;
      at[i][1] *= before;
    }
    return weight;
  }

  PHRASEQ_MEMBER void add(float weight, const Element* value) {
    for (int i = 0; i < PHRASEQ_LANE_PAIRS; ++i) {
      if (column_of(i) >= PHRASEQ_HEAD_DIM)
        continue;
      const Pack<2> pair = load<2>(value + column_of(i));
      at[i][0] += weight * wide(pair.at[0]);
      at[i][1] += weight * wide(pair.at[1]);
    }
  }

  PHRASEQ_MEMBER void write(Element* to) const {
    for (int i = 0; i < PHRASEQ_LANE_PAIRS; ++i) {
      if (column_of(i) < PHRASEQ_HEAD_DIM)
        store<2>(to + column_of(i), {narrow(at[i][0] / total), narrow(at[i][1] / total)});
    }
  }
};

// kvq [rows, 3 · model], the keys, values and queries of the newest step: keys and values are also stored in `past`
// (block 0). ancestors [rows, steps or more]; out [rows, model]. One warp per row, blocks_y = heads: each lane
// processes one step per round, then some columns of the values of all these steps.
PHRASEQ_KERNEL void attend_to_past(const Element* kvq, Element* past, const int* ancestors, Element* out,
                                   PastBlocks blocks, PastShape shape) {
  const int64 row = grid_warp();
  if (row >= shape.rows)
    return;
  const int head_column = blockIdx.y * PHRASEQ_HEAD_DIM;
  const Element* const newest = kvq + row * shape.stride + head_column;
  const Element* const query = newest + 2 * shape.model;
  Element* const place = past + past_place(blocks, shape.steps - 1, (int)row, shape.model) + head_column;
  copy_head(newest, place);
  copy_head(newest + shape.model, place + shape.model);
  PastSums sums;
  for (int first = 0; first < shape.steps; first += PHRASEQ_WARP) {
    const int own_step = first + warp_lane();
    const Element* key = newest;
    if (own_step + 1 < shape.steps) {
      const int ancestor = ancestors[row * shape.ancestor_stride + own_step];
      key = past + past_place(blocks, own_step, ancestor, shape.model) + head_column;
    }
    const float score = own_step < shape.steps ? past_score(query, key) * shape.scale : -PHRASEQ_INFINITY;
    const float weight = sums.begin_round(score);
    for (int step = 0; step < PHRASEQ_WARP && first + step < shape.steps; ++step)
      sums.add(of_lane(weight, step), (const Element*)of_lane((uint64)key, step) + shape.model);
  }
  sums.write(out + row * shape.model + head_column);
}
