#pragma once

/// The compiler's vector types, as wide as a level's registers. Included only by the kernels'
/// sources.
namespace phraseq::nn::kernels {
namespace {

#if defined(__AVX512F__)
constexpr int kRegisterBytes = 64;
#elif defined(__AVX2__)
constexpr int kRegisterBytes = 32;
#else
constexpr int kRegisterBytes = 16;
#endif

template <class Number>
constexpr int kLanesOfRegister = kRegisterBytes / int{sizeof(Number)};

template <class Number, int lanes>
struct VectorOf {
  typedef Number type
      __attribute__((vector_size(lanes * sizeof(Number)), aligned(sizeof(Number)), may_alias));
};
/// A vector at any address. GCC keeps vectors that are wider than a register in memory.
template <class Number, int lanes>
using Vector = typename VectorOf<Number, lanes>::type;

}  // namespace
}  // namespace phraseq::nn::kernels
