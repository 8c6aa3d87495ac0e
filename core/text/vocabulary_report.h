#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/text/dictionary.h"

namespace phraseq {

/// How a dictionary was made from a learned subword model.
struct LearnedVocabulary {
  int64_t requested = 0;            ///< --subwords: all pieces of the model
  std::vector<std::string> pieces;  ///< those that text can become
  int64_t threshold = 0;            ///< as given to Dictionary::finalize
};

/// Explains in one line how the requested pieces lead to the types of `finished`: minus pieces that
/// do not occur, control pieces, rare and cut ones, plus symbols that are not pieces (characters
/// outside the model), special symbols and padding. `counted`: the same dictionary before
/// `finalize`. Empty if the numbers of types and of requested pieces are equal.
PHRASEQ_API std::string explain_types(const LearnedVocabulary& learned,
                                      const Dictionary& counted,
                                      const Dictionary& finished);

}  // namespace phraseq
