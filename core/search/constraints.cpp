#include "core/search/constraints.h"

#include <algorithm>

#include "core/text/dictionary.h"

namespace phraseq {
namespace {

/// Returns the edits of a forced token: the penalty on <unk> also applies to it.
std::vector<ScoreEdit> edits_of_forced(int64_t token, const ConstraintSettings& settings) {
  if (token != kUnk || settings.unknown_penalty == 0)
    return {};
  return {{kUnk, -settings.unknown_penalty}};
}

}  // namespace

std::vector<int64_t> repeating_tokens(std::span<const int64_t> tokens, int64_t n) {
  std::vector<int64_t> found;
  const auto context = static_cast<size_t>(n - 1);
  if (tokens.size() < context)
    return found;
  const auto last = tokens.last(context);
  for (size_t begin = 0; begin + context < tokens.size(); ++begin) {
    if (std::equal(last.begin(), last.end(), tokens.begin() + static_cast<int64_t>(begin))) {
      found.push_back(tokens[begin + context]);
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

void forbid_repeats(StepConstraint& constraint, std::span<const int64_t> tokens, int64_t n) {
  if (constraint.forces_token())
    return;
  for (const int64_t token : repeating_tokens(tokens, n)) constraint.forbid(token);
}

StepConstraint step_constraint(const ConstraintSettings& settings,
                               int64_t step,
                               int64_t max_length,
                               std::span<const int64_t> prefix) {
  const bool exact = settings.match_source_len;
  if (step >= max_length)
    return {kEos, {}, exact};
  if (step < static_cast<int64_t>(prefix.size())) {
    const int64_t forced = prefix[static_cast<size_t>(step)];
    if (!exact || forced != kEos)
      return {forced, edits_of_forced(forced, settings)};
  }
  StepConstraint constraint{kAnyToken, {{kPad, kImpossible}}};
  if (exact || step < settings.min_length)
    constraint.forbid(kEos);
  if (settings.unknown_penalty != 0)
    constraint.edits.push_back({kUnk, -settings.unknown_penalty});
  return constraint;
}

}  // namespace phraseq
