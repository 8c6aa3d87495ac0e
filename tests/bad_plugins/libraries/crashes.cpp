// Crashes the process that loads it, as a damaged library may.
#include <cstdlib>

#include "toy.h"

namespace {
struct Crash {
  Crash() { std::abort(); }
} const crash;
void register_components(phraseq::Registry&) {}
}  // namespace

PHRASEQ_PLUGIN("crashes", "1.0", "Aborts", register_components)
