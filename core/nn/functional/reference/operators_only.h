#pragma once

#include "core/base/api.h"

namespace phraseq::nn {

/// Whether activations on the CPU go through ATen's operators, as on a GPU, instead of the kernels:
/// while an OperatorsOnly exists, or with PHRASEQ_OPERATORS=1 in the environment. The code for a
/// GPU can then be tested and debugged without one, though it is several times slower.
PHRASEQ_API bool operators_only();

/// Switches the kernels off in all threads, until the last such object is destroyed.
class PHRASEQ_API OperatorsOnly {
 public:
  OperatorsOnly();
  ~OperatorsOnly();
  OperatorsOnly(const OperatorsOnly&) = delete;
  OperatorsOnly& operator=(const OperatorsOnly&) = delete;
};

}  // namespace phraseq::nn
