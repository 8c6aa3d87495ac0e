#include "core/conformance/architecture/architecture_suite.h"

#include "core/conformance/architecture/checkpoint_checks.h"
#include "core/conformance/architecture/decoding_checks.h"
#include "core/conformance/architecture/forward_checks.h"
#include "core/conformance/architecture/gradient_checks.h"
#include "core/conformance/architecture/long_sentence_checks.h"
#include "core/conformance/architecture/multiply_add_checks.h"
#include "core/conformance/architecture/parameter_checks.h"
#include "core/conformance/architecture/sharing_checks.h"

namespace phraseq::conformance {

std::vector<Check> architecture_suite(const Registry& registry,
                                      const Selection& selection,
                                      const std::string& folder) {
  std::vector<Check> all;
  for (auto& part : {parameter_checks(registry, selection),
                     forward_checks(registry, selection),
                     multiply_add_checks(registry, selection),
                     gradient_checks(registry, selection),
                     decoding_checks(registry, selection),
                     long_sentence_checks(registry, selection),
                     sharing_checks(registry, selection),
                     checkpoint_checks(registry, selection, folder)}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace phraseq::conformance
