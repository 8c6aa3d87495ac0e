#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"
#include "core/data/example.h"
#include "core/data/task.h"
#include "core/search/lexical_state.h"

namespace phraseq {

/// A line of fairseq's input for --constraints: the source sentence and, separated by TABs, phrases
/// that its translation must contain.
struct ConstrainedLine {
  std::string source;
  std::vector<std::string> phrases;  ///< excluding empty ones
};
PHRASEQ_API ConstrainedLine split_constraints(std::string_view line);

/// The ids of the phrases on the task's target side. Warns of words outside the vocabulary.
PHRASEQ_API LexicalConstraints encode_constraints(const Task& task,
                                                  const std::vector<std::string>& phrases,
                                                  const TextPlace& place);

/// Stores the constraints of an example among its extras.
PHRASEQ_API void set_constraints(Example& example, const LexicalConstraints& constraints);
PHRASEQ_API LexicalConstraints constraints_of(const Example& example);

}  // namespace phraseq
