// Throws a standard exception while it registers.
#include <stdexcept>

#include "toy.h"

namespace {

void register_components(phraseq::Registry& registry) {
  registry.add<toy::Toy, toy::ToyRectangle, toy::ToyOptions>("half_registered", "Must not stay.");
  throw std::runtime_error("no weather today");
}

}  // namespace

PHRASEQ_PLUGIN("throws_std", "1.0", "Throws", register_components)
