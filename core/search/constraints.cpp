#include "core/search/constraints.h"

#include <algorithm>
#include <limits>

#include "core/text/dictionary.h"

namespace phraseq {

namespace {

constexpr double kForbidden = -std::numeric_limits<double>::infinity();

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

StepConstraint step_constraint(const ConstraintSettings& settings,
                               std::span<const int64_t> tokens,
                               int64_t max_length,
                               std::span<const int64_t> prefix) {
  const size_t step = tokens.size();
  if (static_cast<int64_t>(step) >= max_length)
    return {kEos, {}};
  if (step < prefix.size())
    return {prefix[step], {}};
  StepConstraint constraint{-1, {{kPad, kForbidden}}};
  if (static_cast<int64_t>(step) < settings.min_length)
    constraint.edits.push_back({kEos, kForbidden});
  if (settings.unknown_penalty != 0)
    constraint.edits.push_back({kUnk, -settings.unknown_penalty});
  if (settings.no_repeat_ngram_size > 0) {
    for (const int64_t token : repeating_tokens(tokens, settings.no_repeat_ngram_size)) {
      std::erase_if(constraint.edits, [&](const ScoreEdit& edit) { return edit.column == token; });
      constraint.edits.push_back({token, kForbidden});
    }
  }
  return constraint;
}

}  // namespace phraseq
