#pragma once

/// Forces a loop's body into its vectorized caller: an out-of-line copy that was compiled for one
/// processor level must never be used at another.
#define PHRASEQ_INLINE __attribute__((always_inline)) inline
