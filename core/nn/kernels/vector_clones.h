#pragma once

/// Compiles a function once for each of these instruction sets; the dynamic linker picks. For plain
/// loops that the compiler vectorizes, without templates at the outside.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define PHRASEQ_VECTOR_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define PHRASEQ_VECTOR_CLONES
#endif

/// Forces a loop's body into its vectorized caller: a copy out of line made for one instruction set
/// must never serve another.
#define PHRASEQ_INLINE __attribute__((always_inline)) inline
