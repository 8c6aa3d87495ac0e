// y = dropout(scale · table[ids] + position_table[positions]) and the gradient of a table.

struct EmbeddingShape {
  int64 rows;
  int columns;
  float scale;
  uint64 key;  // key of the dropout, 0 = none
  uint32 threshold;
  float kept;
};

// One thread per element; position_table may be null.
PHRASEQ_KERNEL void embed(const int64* ids, const int64* positions, const float* table, const float* position_table,
                          Element* y, EmbeddingShape shape) {
  const int64 at = (int64)blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= shape.rows * shape.columns)
    return;
  const int64 row = at / shape.columns, column = at % shape.columns;
  float sum = table[ids[row] * shape.columns + column] * shape.scale;
  if (position_table != 0)
    sum += position_table[positions[row] * shape.columns + column];
  y[at] = narrow(sum * dropout_factor(shape.key, shape.threshold, shape.kept, (uint32)at));
}

// Gradients are summed by id without atomic additions, so that every run computes the same bits. sorted [rows]: the ids
// in ascending order; order [rows]: the row that each of them comes from, equal ids in the order of the rows. The
// places of an id are divided into pieces of PHRASEQ_CUT, so that no thread sums many rows of a frequent id.
#define PHRASEQ_CUT 32

__device__ inline bool begins_id(const int64* sorted, int64 place) {
  return place == 0 || sorted[place - 1] != sorted[place];
}

// partial [rows, columns] receives, at the place where a piece of an id begins, the sum of scale · dropout(dy) over the
// piece. Block (i, j) does so for place i and the columns from j · blockDim.x on. Rows with the id `skip` are skipped.
PHRASEQ_KERNEL void embed_backward_cuts(const Element* dy, const int64* sorted, const int64* order, float* partial,
                                        int64 skip, EmbeddingShape shape) {
  const int64 first = blockIdx.x;
  const int column = blockIdx.y * blockDim.x + threadIdx.x;
  const int64 id = sorted[first];
  if (column >= shape.columns || id == skip || !(first % PHRASEQ_CUT == 0 || begins_id(sorted, first)))
    return;
  float sum = 0.0f;
  int64 place = first;
  do {
    const int64 at = order[place] * shape.columns + column;
    sum += wide(dy[at]) * dropout_factor(shape.key, shape.threshold, shape.kept, (uint32)at);
    ++place;
  } while (place < shape.rows && place % PHRASEQ_CUT != 0 && sorted[place] == id);
  partial[first * shape.columns + column] = shape.scale * sum;
}

// Adds the sums of an id's pieces to its row of d_table; same grid as above.
PHRASEQ_KERNEL void embed_backward(const float* partial, const int64* sorted, float* d_table, int64 skip,
                                   EmbeddingShape shape) {
  const int64 first = blockIdx.x;
  const int column = blockIdx.y * blockDim.x + threadIdx.x;
  const int64 id = sorted[first];
  if (column >= shape.columns || id == skip || !begins_id(sorted, first))
    return;
  float sum = partial[first * shape.columns + column];
  for (int64 place = (first / PHRASEQ_CUT + 1) * PHRASEQ_CUT; place < shape.rows && sorted[place] == id;
       place += PHRASEQ_CUT)
    sum += partial[place * shape.columns + column];
  d_table[id * shape.columns + column] += sum;
}
