// Calls a function that is defined nowhere.
#include "toy.h"

namespace nowhere {
PHRASEQ_API int64_t missing_kernel(int64_t rows);
}

namespace {
void register_components(phraseq::Registry&) { nowhere::missing_kernel(3); }
}  // namespace

PHRASEQ_PLUGIN("undefined_symbol", "1.0", "Calls what is not there", register_components)
