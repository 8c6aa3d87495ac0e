// Takes the process down that loads it, as a library damaged in the middle may.
#include <cstdlib>

#include "toy.h"

namespace {
struct Crash {
  Crash() { std::abort(); }
} const crash;
void register_components(phraseq::Registry&) {}
}  // namespace

PHRASEQ_PLUGIN("crashes", "1.0", "Aborts", register_components)
