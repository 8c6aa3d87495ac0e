// The values that a search needs from each row of scores: the best columns, ln Σ exp(score), and the scores of some
// columns.
//
// A warp reads a row twice. The row is divided into 128 parts. The n-th highest of the parts' maxima is a lower bound
// for the row's n-th best score. The second pass collects the scores that are not below it: few more than n. If there
// are too many (many equal scores), or if n is above 128, the best columns are searched in the row itself.

#define PHRASEQ_PARTS 128
#define PHRASEQ_LANE_PARTS (PHRASEQ_PARTS / PHRASEQ_WARP)
#define PHRASEQ_COLLECTED 512

// The number of this lane's p-th part, among all parts.
__device__ inline int lane_part(int p) { return warp_lane() + p * PHRASEQ_WARP; }

struct BestShape {
  int64 rows;
  int columns;
  int best;   // number of best columns requested: at most `columns`
  int asked;  // number of columns requested by number
};

// The data that the lanes of a warp share.
struct CollectedScores {
  float highest[PHRASEQ_PARTS];  // the maximum of each part
  float threshold;
  int count;
  float scores[PHRASEQ_COLLECTED];
  int columns[PHRASEQ_COLLECTED];
};

struct RankedScore {
  float score;
  int column;

  PHRASEQ_MEMBER bool is_before(const RankedScore& other) const {
    return score > other.score || (score == other.score && column < other.column);
  }
};

// The scores that are searched: element i of a row, or of the collected scores.
struct RowScores {
  const Element* scores;
  int count;

  PHRASEQ_MEMBER RankedScore at(int i) const { return {wide(scores[i]), i}; }
};
struct ListedScores {
  const CollectedScores& from;
  int count;

  PHRASEQ_MEMBER RankedScore at(int i) const { return {from.scores[i], from.columns[i]}; }
};

// Calls use(x, column) for each element of a part of a row.
template <class Use>
__device__ inline void read_part(const Element* scores, int columns, int part, const Use& use) {
  const int distance = PHRASEQ_PARTS * PHRASEQ_PACK, at_once = 4;
  int first = part * PHRASEQ_PACK;
  if (columns % PHRASEQ_PACK == 0 && is_aligned(scores)) {
    for (; first + (at_once - 1) * distance < columns; first += at_once * distance) {
      Pack<PHRASEQ_PACK> packs[at_once];
      for (int p = 0; p < at_once; ++p) packs[p] = load<PHRASEQ_PACK>(scores + first + p * distance);
      for (int p = 0; p < at_once; ++p) {
        for (int i = 0; i < PHRASEQ_PACK; ++i) use(wide(packs[p].at[i]), first + p * distance + i);
      }
    }
  }
  for (; first < columns; first += distance) {
    for (int i = first; i < first + PHRASEQ_PACK && i < columns; ++i) use(wide(scores[i]), i);
  }
}

// Returns ln Σ exp(score) of a row; NaN if a score is NaN or infinity, or if all are -infinity. highest [parts]
// receives the maximum of each part.
__device__ inline float find_log_sum(const Element* scores, int columns, float* highest) {
  float top = -PHRASEQ_INFINITY, total = 0.0f;
  for (int p = 0; p < PHRASEQ_LANE_PARTS; ++p) {
    const int part = lane_part(p);
    float part_top = -PHRASEQ_INFINITY;
    read_part(scores, columns, part, [&](float x, int) {
      part_top = fmaxf(part_top, x);
      if (x > top) {
        total *= exponential(top - x);
        top = x;
      }
      total += exponential(x - (top == -PHRASEQ_INFINITY ? 0.0f : top));
    });
    highest[part] = part_top;
  }
  const float row_top = warp_max(top);
  total = warp_sum(top == -PHRASEQ_INFINITY ? total : total * exponential(top - row_top));
  return row_top == -PHRASEQ_INFINITY ? row_top - row_top : row_top + logf(total);
}

// Finds the n-th highest of the parts' maxima, if n is not above the number of parts.
__device__ inline void find_threshold(CollectedScores& shared, int n) {
  if (n > PHRASEQ_PARTS)
    return;
  for (int p = 0; p < PHRASEQ_LANE_PARTS; ++p) {
    const int part = lane_part(p);
    const RankedScore own = {shared.highest[part], part};
    int better = 0;
    for (int i = 0; i < PHRASEQ_PARTS; ++i) better += RankedScore{shared.highest[i], i}.is_before(own) ? 1 : 0;
    if (better == n - 1)
      shared.threshold = own.score;
  }
}

__device__ inline void collect(const Element* scores, int columns, CollectedScores& shared) {
  for (int p = 0; p < PHRASEQ_LANE_PARTS; ++p) {
    read_part(scores, columns, lane_part(p), [&](float x, int column) {
      if (!(x >= shared.threshold))
        return;
      const int place = next_place(&shared.count);
      if (place < PHRASEQ_COLLECTED) {
        shared.scores[place] = x;
        shared.columns[place] = column;
      }
    });
  }
}

// The best score that ranks after `last`; -infinity if there is none.
template <class Scores>
__device__ inline RankedScore next_best(const Scores& scores, const RankedScore& last) {
  RankedScore best = {-PHRASEQ_INFINITY, 0};
  for (int i = warp_lane(); i < scores.count; i += PHRASEQ_WARP) {
    const RankedScore found = scores.at(i);
    if (last.is_before(found) && found.is_before(best))
      best = found;
  }
  for (int offset = PHRASEQ_WARP / 2; offset > 0; offset /= 2) {
    const RankedScore other = {of_neighbor(best.score, offset), of_neighbor(best.column, offset)};
    if (other.is_before(best))
      best = other;
  }
  return best;
}

template <class Scores>
__device__ inline void write_best(const Scores& scores, int best, float* row) {
  RankedScore last = {PHRASEQ_INFINITY, -1};
  for (int place = 0; place < best; ++place) {
    last = next_best(scores, last);
    row[place] = last.score;
    row[best + place] = (float)last.column;
  }
}

// scores [rows, columns]; asked [rows, asked] column numbers. found [rows, 2 best + asked + 1] receives the best
// scores, best first (among equal ones, the lower column first), their columns, the scores of the columns in `asked`,
// and the logarithm of the sum. A block of one warp for each row.
PHRASEQ_KERNEL void best_columns(const Element* scores, const int64* asked, float* found, BestShape shape) {
  const int64 row = grid_warp();
  if (row >= shape.rows)
    return;
  CollectedScores& shared = *(CollectedScores*)shared_memory();
  const Element* const own = scores + row * shape.columns;
  float* const to = found + row * (2 * shape.best + shape.asked + 1);
  shared.count = 0;
  const float log_sum = find_log_sum(own, shape.columns, shared.highest);
  sync_warp();
  find_threshold(shared, shape.best);
  sync_warp();
  if (shape.best > 0 && shape.best <= PHRASEQ_PARTS)
    collect(own, shape.columns, shared);
  sync_warp();
  if (shared.count >= shape.best && shared.count <= PHRASEQ_COLLECTED)
    write_best(ListedScores{shared, shared.count}, shape.best, to);
  else
    write_best(RowScores{own, shape.columns}, shape.best, to);
  for (int i = warp_lane(); i < shape.asked; i += PHRASEQ_WARP)
    to[2 * shape.best + i] = wide(own[asked[row * shape.asked + i]]);
  to[2 * shape.best + shape.asked] = log_sum;
}
