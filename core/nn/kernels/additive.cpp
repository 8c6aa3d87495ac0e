#include "core/nn/kernels/arithmetic.h"
#include "core/nn/kernels/level.h"

// A step of additive attention. Each row stays in the first-level cache through all stages.
namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL {
namespace {

/// y += factor · x
template <typename S>
PHRASEQ_INLINE void add_scaled(S* y, S factor, const S* x, int64_t columns) {
#pragma GCC ivdep
  for (int64_t i = 0; i < columns; ++i) y[i] += factor * x[i];
}

template <typename S>
PHRASEQ_INLINE S inner_product(const S* x, const S* y, int64_t columns) {
  S sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < columns; ++i) sum += x[i] * y[i];
  return sum;
}

/// Computes t of one token of a row. Zero features are skipped: most features of a phrase memory
/// are 0.
template <typename S>
PHRASEQ_INLINE void activate(
    const AdditiveStep<S>& step, int64_t row, int64_t token, S* t, int64_t columns) {
  const S *key = step.keys + token * columns, *query = step.query + row * columns;
#pragma GCC ivdep
  for (int64_t i = 0; i < columns; ++i) t[i] = key[i] + query[i];
  for (int64_t f = 0; f < step.feature_count; ++f) {
    const S feature = step.features[token * step.feature_count + f];
    if (feature != S{0})
      add_scaled(t, feature, step.weight + f * columns, columns);
  }
#pragma GCC ivdep
  for (int64_t i = 0; i < columns; ++i) t[i] = hyperbolic_tangent(t[i]);
}

template <typename S>
void additive_energies(const AdditiveStep<S>& step,
                       S masked,
                       S* energies,
                       S* activations,
                       int64_t kept,
                       RowRange rows) {
  for (int64_t row = rows.first; row < rows.last; ++row) {
    for (int64_t token = row * step.tokens; token < (row + 1) * step.tokens; ++token) {
      energies[token] = masked;
      if (!step.mask[token])
        continue;
      S* t = activations + token * kept;
      activate(step, row, token, t, rows.columns);
      energies[token] = inner_product(step.v, t, rows.columns);
    }
  }
}

/// Computes the gradient of tanh's argument for one token, and adds it to the gradients of the
/// token's key and of the query.
template <typename S>
PHRASEQ_INLINE void undo_activation(
    S d_energy, const S* v, const S* t, S* d_sum, S* d_key, S* d_query, S* d_v, int64_t columns) {
#pragma GCC ivdep
  for (int64_t i = 0; i < columns; ++i) {
    d_sum[i] = d_energy * v[i] * (S{1} - t[i] * t[i]);
    d_key[i] += d_sum[i];
    d_query[i] += d_sum[i];
    d_v[i] += d_energy * t[i];
  }
}

/// Computes the gradients of a token's features and of their weight.
template <typename S>
PHRASEQ_INLINE void undo_features(const AdditiveStep<S>& step,
                                  const AdditiveGradients<S>& gradients,
                                  const S* d_sum,
                                  int64_t token,
                                  int64_t columns) {
  for (int64_t f = 0; f < step.feature_count; ++f) {
    const S feature = step.features[token * step.feature_count + f];
    if (feature != S{0})
      add_scaled(gradients.d_weight + f * columns, feature, d_sum, columns);
    if (f < gradients.wanted_features) {
      gradients.d_features[token * step.feature_count + f] =
          inner_product(d_sum, step.weight + f * columns, columns);
    }
  }
}

template <typename S>
void additive_energies_backward(const AdditiveStep<S>& step,
                                const AdditiveGradients<S>& gradients,
                                S* scratch,
                                RowRange rows) {
  const int64_t columns = rows.columns;
  S* d_v = gradients.d_weight + step.feature_count * columns;
  for (int64_t row = rows.first; row < rows.last; ++row) {
    for (int64_t token = row * step.tokens; token < (row + 1) * step.tokens; ++token) {
      const S d_energy = gradients.d_energies[token];
      if (d_energy == S{0})
        continue;
      undo_activation(d_energy,
                      step.v,
                      gradients.activations + token * columns,
                      scratch,
                      gradients.d_keys + token * columns,
                      gradients.d_query + row * columns,
                      d_v,
                      columns);
      undo_features(step, gradients, scratch, token, columns);
    }
  }
}

template <typename S>
void attended_sum(const S* weights, const S* x, S* y, int64_t tokens, RowRange rows) {
  for (int64_t row = rows.first; row < rows.last; ++row) {
    S* sum = y + row * rows.columns;
    for (int64_t i = 0; i < rows.columns; ++i) sum[i] = 0;
    for (int64_t token = row * tokens; token < (row + 1) * tokens; ++token) {
      if (weights[token] != S{0})
        add_scaled(sum, weights[token], x + token * rows.columns, rows.columns);
    }
  }
}

template <typename S>
void attended_sum_backward(
    const S* dy, const S* weights, const S* x, S* d_weights, S* dx, int64_t tokens, RowRange rows) {
  for (int64_t row = rows.first; row < rows.last; ++row) {
    const S* d_sum = dy + row * rows.columns;
    for (int64_t token = row * tokens; token < (row + 1) * tokens; ++token) {
      d_weights[token] = 0;
      if (weights[token] == S{0})
        continue;
      d_weights[token] = inner_product(d_sum, x + token * rows.columns, rows.columns);
      add_scaled(dx + token * rows.columns, weights[token], d_sum, rows.columns);
    }
  }
}

}  // namespace

template <typename T>
void add_additive_kernels(Kernels<T>& kernels) {
  kernels.additive_energies = additive_energies<Sum<T>>;
  kernels.additive_energies_backward = additive_energies_backward<Sum<T>>;
  kernels.attended_sum = attended_sum<Sum<T>>;
  kernels.attended_sum_backward = attended_sum_backward<Sum<T>>;
}

PHRASEQ_INSTANTIATE(add_additive_kernels);

}  // namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL
