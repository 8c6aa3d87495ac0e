#pragma once

/// Forces a loop's body into its vectorized caller: a copy out of line that was compiled for one
/// processor level must never serve another.
#define PHRASEQ_INLINE __attribute__((always_inline)) inline
