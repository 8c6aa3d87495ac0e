// y = dropout(scale · table[ids] + position_table[positions]) and the gradient of a table.

struct EmbeddingShape {
  int64 rows;
  int columns;
  float scale;
  uint64 key;  // of the dropout, 0 = none
  uint32 threshold;
  float kept;
};

// A thread for each element; position_table may be null.
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

// Adds scale · dropout(dy) to the rows `ids` of d_table; rows with the id `skip` add nothing. sorted [rows]: the ids in
// ascending order; order [rows]: the row that each of them comes from, equal ids in the order of the rows. Block (i, j)
// adds up all rows of the id at place i, if it is the first of its id, for columns j · blockDim.x …: no atomic addition,
// the same bits in every run.
PHRASEQ_KERNEL void embed_backward(const Element* dy, const int64* sorted, const int64* order, float* d_table,
                                          int64 skip, EmbeddingShape shape) {
  const int64 first = blockIdx.x;
  const int column = blockIdx.y * blockDim.x + threadIdx.x;
  const int64 id = sorted[first];
  if (column >= shape.columns || id == skip || (first > 0 && sorted[first - 1] == id))
    return;
  float sum = 0.0f;
  for (int64 place = first; place < shape.rows && sorted[place] == id; ++place) {
    const int64 at = order[place] * shape.columns + column;
    sum += wide(dy[at]) * dropout_factor(shape.key, shape.threshold, shape.kept, (uint32)at);
  }
  d_table[id * shape.columns + column] += shape.scale * sum;
}
