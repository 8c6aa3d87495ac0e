#pragma once

#include "core/base/api.h"
#include "core/conformance/check.h"
#include "core/conformance/suites.h"

namespace phraseq::conformance {

/// Runs a check in a separate process: a component that ends the process (a wrong address, a data
/// race, abort) fails only this check. The calling process must have a single thread. Throws
/// IoError if no process can be started.
PHRASEQ_API Verdict run_isolated(const Check& check);

}  // namespace phraseq::conformance
