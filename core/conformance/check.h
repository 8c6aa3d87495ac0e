#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

/// The checks that every component of a kind must pass, whatever its mathematics: the suites behind
/// `phraseq plugins check`.
namespace phraseq::conformance {

/// The problems found, each as a sentence that an author can act on; empty = none.
using Findings = std::vector<std::string>;

/// One property of a component. What `run` throws is a finding, too.
struct Check {
  std::string title;  ///< the property, as a sentence: "a sentence scores alone as in a batch"
  std::function<Findings()> run;
};

/// Makes the checks of one suite, each from its title and a function of the arguments, such as the
/// selected component. The arguments must outlive the checks.
template <class... Arguments>
auto check_maker(const Arguments&... arguments) {
  return [&arguments...](const char* title, Findings (*run)(const Arguments&...)) {
    return Check{title, [&arguments..., run] { return run(arguments...); }};
  };
}

/// Thrown by a check that has nothing to check in this component; the message says why.
struct NotApplicable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace phraseq::conformance
