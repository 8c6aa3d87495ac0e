// Cross entropy with label smoothing of rows of logits, and its gradient in their place:
//
//   loss = lse(z) - uniform · Σ_{c ∈ S} z_c - extra · z_gold + constant,  ∂loss/∂z_c = p_c - q_c,
//   q_c = uniform · [c ∈ S] + extra · [c = gold]                          (core/nn/loss/smoothing.h)

struct LossTarget {
  float uniform, extra, constant;
};

struct LossShape {
  int64 rows;
  int columns;           // the vocabulary
  int unsmoothed_count;  // classes outside S
  int excluded_count;    // those of them that are excluded from the softmax
  int with_gradient;
  float scale;          // of the gradient
  LossTarget smoothed;  // for rows whose gold class is in S
  LossTarget plain;     // for other rows
};

// Classes in ascending order.
struct ClassList {
  const int64* ids;
  int count;

  // Sets bit i for each class column + i of the list, i < width.
  PHRASEQ_SELDOM uint32 bits(int64 column, int width) const {
    int first = 0, rest = count;
    while (rest > 0) {  // finds the index `first` of the first id that is at least `column`
      const int half = rest / 2;
      const bool is_below = ids[first + half] < column;
      first += is_below ? half + 1 : 0;
      rest = is_below ? rest - half - 1 : half;
    }
    uint32 found = 0;
    for (; first < count && ids[first] < column + width; ++first) found |= 1u << (ids[first] - column);
    return found;
  }
};

// The logits of neighboring columns.
template <int width>
struct LossPack {
  float z[width];      // -infinity for a class that is excluded from the softmax
  uint32 outside = 0;  // bit i: class column + i is not in S

  PHRASEQ_MEMBER LossPack(const Pack<width>& stored, int column, const float* bias, const ClassList& unsmoothed,
                             const ClassList& excluded) {
    for (int i = 0; i < width; ++i) z[i] = wide(stored.at[i]) + (bias == 0 ? 0.0f : bias[column + i]);
    // Most packs have no class outside S.
    if (unsmoothed.count == 0 || column + width <= unsmoothed.ids[0] || column > unsmoothed.ids[unsmoothed.count - 1])
      return;
    outside = unsmoothed.bits(column, width);
    const uint32 left_out = excluded.bits(column, width);
    for (int i = 0; i < width; ++i) z[i] = left_out >> i & 1 ? -PHRASEQ_INFINITY : z[i];
  }
  PHRASEQ_MEMBER bool is_smoothed(int i) const { return (outside >> i & 1) == 0; }
};

// The sums over the columns of a row that a lane, and then the warp, has read.
struct LossSums {
  float top = -PHRASEQ_INFINITY;  // the largest logit
  float total = 0.0f;             // Σ exp(z - top)
  float smoothed = 0.0f;          // Σ of the logits in S

  template <int width>
  PHRASEQ_MEMBER void add(const LossPack<width>& pack) {
    const float before = top;
    for (int i = 0; i < width; ++i) {
      top = fmaxf(top, pack.z[i]);
      smoothed += pack.is_smoothed(i) ? pack.z[i] : 0.0f;
    }
    if (top == -PHRASEQ_INFINITY)
      return;
    total *= exponential(before - top);
    for (int i = 0; i < width; ++i) total += exponential(pack.z[i] - top);
  }

  PHRASEQ_MEMBER LossSums of_warp() const {
    LossSums all;
    all.top = warp_max(top);
    all.total = warp_sum(top == -PHRASEQ_INFINITY ? total : total * exponential(top - all.top));
    all.smoothed = warp_sum(smoothed);
    return all;
  }
};

// Calls work(column, pack) for the packs of this lane, while the next one is being loaded.
template <int width, class Work>
__device__ inline void over_packs(const Element* row, int columns, const Work& work) {
  const int step = PHRASEQ_WARP * width;
  int column = warp_lane() * width;
  if (column >= columns)
    return;
  Pack<width> next = load<width>(row + column);
  for (; column < columns; column += step) {
    const Pack<width> pack = next;
    if (column + step < columns)
      next = load<width>(row + column + step);
    work(column, pack);
  }
}

struct LossRow {
  Element* logits;
  const float* bias;  // may be null
  ClassList unsmoothed, excluded;
  int64 gold;
  const LossShape& shape;

  template <int width>
  PHRASEQ_MEMBER LossPack<width> pack_of(int column, const Pack<width>& stored) const {
    return LossPack<width>(stored, column, bias, unsmoothed, excluded);
  }

  template <int width>
  PHRASEQ_MEMBER LossSums sums() const {
    LossSums sums;
    over_packs<width>(logits, shape.columns, [&](int column, const Pack<width>& stored) {
      sums.add<width>(pack_of<width>(column, stored));
    });
    return sums.of_warp();
  }

  template <int width>
  PHRASEQ_MEMBER void write_gradient(float log_sum, const LossTarget& target) const {
    over_packs<width>(logits, shape.columns, [&](int column, const Pack<width>& stored) {
      const LossPack<width> pack = pack_of<width>(column, stored);
      Pack<width> gradient;
      for (int i = 0; i < width; ++i) {
        const float q = (pack.is_smoothed(i) ? target.uniform : 0.0f) + (column + i == gold ? target.extra : 0.0f);
        gradient.at[i] = narrow(shape.scale * (exponential(pack.z[i] - log_sum) - q));
      }
      store<width>(logits + column, gradient);
    });
  }
};

// One warp per row. results [3, rows] receives the loss, -ln p(gold), and 1 if no logit is larger than that of the gold
// class; if the gradient is requested, it replaces the logits [rows, vocab]. unsmoothed and excluded must be in
// ascending order.
PHRASEQ_KERNEL void cross_entropy(Element* logits, const float* bias, const int64* targets, const int64* unsmoothed,
                                  const int64* excluded, float* results, LossShape shape) {
  const int64 number = grid_warp();
  if (number >= shape.rows)
    return;
  const LossRow row = {logits + number * shape.columns, bias, {unsmoothed, shape.unsmoothed_count},
                       {excluded, shape.excluded_count}, targets[number], shape};
  const LossPack<1> gold = row.pack_of<1>((int)row.gold, load<1>(row.logits + row.gold));
  const bool in_packs = shape.columns % PHRASEQ_PACK == 0 && is_aligned(logits);
  const LossSums sums = in_packs ? row.sums<PHRASEQ_PACK>() : row.sums<1>();
  const float log_sum = sums.top + logf(sums.total), log_p = gold.z[0] - log_sum;
  const LossTarget target = gold.is_smoothed(0) ? shape.smoothed : shape.plain;
  if (warp_lane() == 0) {
    // Σ q = 1 splits into uniform · |S| + extra.
    const float spread = (float)(shape.columns - shape.unsmoothed_count) * log_sum - sums.smoothed;
    results[number] = target.uniform * spread - target.extra * log_p + target.constant;
    results[shape.rows + number] = -log_p;
    results[2 * shape.rows + number] = gold.z[0] >= sums.top ? 1.0f : 0.0f;
  }
  if (shape.with_gradient == 0)
    return;
  sync_warp();  // every lane has read the logit of the gold class
  if (in_packs)
    row.write_gradient<PHRASEQ_PACK>(log_sum, target);
  else
    row.write_gradient<1>(log_sum, target);
}
