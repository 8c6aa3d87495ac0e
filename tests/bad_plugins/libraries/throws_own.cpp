// Throws an exception type of its own while it registers.
#include <exception>

#include "toy.h"

namespace {

struct OwnFailure : std::exception {
  const char* what() const noexcept override { return "own words"; }
};

void register_components(phraseq::Registry& registry) {
  registry.add<toy::Toy, toy::ToyRectangle, toy::ToyOptions>("half_registered", "Must not stay.");
  throw OwnFailure();
}

}  // namespace

PHRASEQ_PLUGIN("throws_own", "1.0", "Throws", register_components)
