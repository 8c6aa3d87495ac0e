// Throws a number while it registers.

#include "toy.h"

namespace {

void register_components(phraseq::Registry& registry) {
  registry.add<toy::Toy, toy::ToyRectangle, toy::ToyOptions>("half_registered", "Must not stay.");
  throw 42;
}

}  // namespace

PHRASEQ_PLUGIN("throws_other", "1.0", "Throws", register_components)
