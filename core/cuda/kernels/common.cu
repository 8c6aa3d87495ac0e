// The common beginning of all kernels, which NVRTC compiles without any header. The tests include these files as C++,
// with one thread per warp (PHRASEQ_WARP 1), and compare the results with those of the CPU's kernels.

#ifndef PHRASEQ_WARP
#define PHRASEQ_WARP 32
#define PHRASEQ_KERNEL extern "C" __global__
#define PHRASEQ_MAY_ALIAS
#define PHRASEQ_MEMBER __device__ inline
#define PHRASEQ_SELDOM __device__ __noinline__
// A struct whose entries are read at indices that are not known at compile time; it is not copied.
#define PHRASEQ_GRID_CONSTANT const __grid_constant__
#endif

typedef long long int64;
typedef unsigned long long uint64;
typedef unsigned int uint32;

// The type of activations: PHRASEQ_ELEMENT 0 = fp32, 1 = bf16, 2 = fp16. Sums are fp32.
#if PHRASEQ_ELEMENT == 0
typedef float Element;
__device__ inline float wide(Element x) { return x; }
__device__ inline Element narrow(float x) { return x; }
#elif PHRASEQ_ELEMENT == 1
typedef unsigned short Element;
__device__ inline float wide(Element x) { return __uint_as_float((uint32)x << 16); }
// Rounds to nearest, ties to even; NaN stays NaN.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
__device__ inline Element narrow(float x) {
  Element result;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(result) : "f"(x));
  return result;
}
#else
__device__ inline Element narrow(float x) {
  const uint32 bits = __float_as_uint(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return (Element)((bits >> 16) | 0x40u);
  return (Element)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}
#endif
#else
typedef unsigned short Element;
#ifdef PHRASEQ_ON_HOST
__device__ inline float wide(Element x) { return host_from_half(x); }
__device__ inline Element narrow(float x) { return host_to_half(x); }
#else
__device__ inline float wide(Element x) {
  float result;
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(x));
  return result;
}
__device__ inline Element narrow(float x) {
  Element result;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result) : "f"(x));
  return result;
}
#endif
#endif

#define PHRASEQ_INFINITY __uint_as_float(0x7f800000u)

// e^x; if activations have 16 bits, within two units in the last place of fp32.
__device__ inline float exponential(float x) {
#if PHRASEQ_ELEMENT == 0
  return expf(x);
#else
  return __expf(x);
#endif
}

// Equals kernels::random_bits of core/nn/kernels/random_bits.h.
__device__ inline uint32 random_bits(uint64 key, uint32 element) {
  uint32 x = element ^ (uint32)key;
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= (x >> 15) ^ (uint32)(key >> 32);
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

// The dropout factor of an element: 0 if it is dropped, otherwise 1 / (1 - p); 1 without dropout (key 0).
__device__ inline float dropout_factor(uint64 key, uint32 threshold, float kept, uint32 element) {
  if (key == 0)
    return 1.0f;
  return random_bits(key, element) < threshold ? 0.0f : kept;
}

// The number of this thread in its warp.
__device__ inline int warp_lane() { return (int)(threadIdx.x % PHRASEQ_WARP); }

__device__ inline float warp_sum(float x) {
#if PHRASEQ_WARP > 1
  for (int offset = PHRASEQ_WARP / 2; offset > 0; offset /= 2)
    x += __shfl_xor_sync(0xffffffffu, x, offset);
#endif
  return x;
}

__device__ inline float warp_max(float x) {
#if PHRASEQ_WARP > 1
  for (int offset = PHRASEQ_WARP / 2; offset > 0; offset /= 2)
    x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, offset));
#endif
  return x;
}

// The value of a lane, and of the lane whose number differs by a power of two.
#if PHRASEQ_WARP > 1
template <class Value>
__device__ inline Value of_lane(Value x, int lane) {
  return __shfl_sync(0xffffffffu, x, lane);
}
template <class Value>
__device__ inline Value of_neighbor(Value x, int offset) {
  return __shfl_xor_sync(0xffffffffu, x, offset);
}
#else
template <class Value>
__device__ inline Value of_lane(Value x, int /*lane*/) {
  return x;
}
template <class Value>
__device__ inline Value of_neighbor(Value x, int /*offset*/) {
  return x;
}
#endif

// The memory that the threads of a block share.
__device__ inline void* shared_memory() {
#if PHRASEQ_WARP > 1
  extern __shared__ uint4 phraseq_shared[];
  return phraseq_shared;
#else
  return host_shared_memory();
#endif
}
// Returns a number that no other lane gets.
__device__ inline int next_place(int* count) {
#if PHRASEQ_WARP > 1
  return atomicAdd(count, 1);
#else
  return (*count)++;
#endif
}

// Waits until the reads and writes of all lanes of the warp are done.
__device__ inline void sync_warp() {
#if PHRASEQ_WARP > 1
  __syncwarp();
#endif
}

// The number of a thread's warp in the whole grid; below, the number of all warps.
__device__ inline int64 grid_warp() {
  return (int64)blockIdx.x * (blockDim.x / PHRASEQ_WARP) + threadIdx.x / PHRASEQ_WARP;
}
__device__ inline int64 grid_warps() { return (int64)gridDim.x * (blockDim.x / PHRASEQ_WARP); }

// The number of neighboring elements that a thread reads or writes at once: 16 bytes, with which memory is read
// fastest.
#define PHRASEQ_PACK (16 / (int)sizeof(Element))
template <int width>
struct alignas(width * sizeof(Element)) Pack {
  Element at[width];
} PHRASEQ_MAY_ALIAS;
template <int width>
__device__ inline Pack<width> load(const Element* from) {
  return *(const Pack<width>*)from;
}
template <int width>
__device__ inline void store(Element* to, const Pack<width>& pack) {
  *(Pack<width>*)to = pack;
}
__device__ inline bool is_aligned(const void* address) { return (uint64)address % 16 == 0; }

struct alignas(16) FourSums {
  float at[4];
} PHRASEQ_MAY_ALIAS;

// The numbers in a pack of columns, as fp32.
struct Columns {
  float at[PHRASEQ_PACK];

  static PHRASEQ_MEMBER Columns zeros() {
    Columns columns;
    for (int i = 0; i < PHRASEQ_PACK; ++i) columns.at[i] = 0.0f;
    return columns;
  }
  static PHRASEQ_MEMBER Columns of(const Element* from) {
    const Pack<PHRASEQ_PACK> pack = load<PHRASEQ_PACK>(from);
    Columns columns;
    for (int i = 0; i < PHRASEQ_PACK; ++i) columns.at[i] = wide(pack.at[i]);
    return columns;
  }
  static PHRASEQ_MEMBER Columns of_sums(const float* from) {
    Columns columns;
    for (int i = 0; i < PHRASEQ_PACK; ++i) columns.at[i] = ((const FourSums*)from)[i / 4].at[i % 4];
    return columns;
  }
  PHRASEQ_MEMBER void write(Element* to) const {
    Pack<PHRASEQ_PACK> pack;
    for (int i = 0; i < PHRASEQ_PACK; ++i) pack.at[i] = narrow(at[i]);
    store(to, pack);
  }
  PHRASEQ_MEMBER void write_sums(float* to) const {
    for (int i = 0; i < PHRASEQ_PACK; ++i) ((FourSums*)to)[i / 4].at[i % 4] = at[i];
  }
  PHRASEQ_MEMBER void add(const Columns& other) {
    for (int i = 0; i < PHRASEQ_PACK; ++i) at[i] += other.at[i];
  }
};
