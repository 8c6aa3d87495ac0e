#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/text/dictionary.h"

namespace phraseq {

/// How a dictionary was made from a learned subword model.
struct LearnedVocabulary {
  int64_t requested = 0;            ///< --subwords: the number of pieces in the model
  std::vector<std::string> pieces;  ///< the pieces that can occur in text
  int64_t threshold = 0;            ///< the argument of Dictionary::finalize
};

/// Explains in one line how the requested pieces lead to the types of `finished`: minus pieces that
/// do not occur, control pieces, rare and cut ones, plus symbols that are not pieces (characters
/// outside the model), special symbols and padding. `counted`: the same dictionary before
/// `finalize`. Empty if the numbers of types and of requested pieces are equal.
PHRASEQ_API std::string explain_types(const LearnedVocabulary& learned,
                                      const Dictionary& counted,
                                      const Dictionary& finished);

}  // namespace phraseq
