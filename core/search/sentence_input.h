#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/api.h"
#include "core/search/decoder.h"
#include "core/search/lexical_state.h"
#include "core/search/search_options.h"
#include "core/text/dictionary.h"

namespace phraseq {

/// Facts about one sentence that a search needs before it starts.
struct SentenceInput {
  int64_t id = 0;             ///< place in the data set; seeds its random draws
  int64_t source_length = 0;  ///< including </s> (and <s>)
  int64_t max_length = 0;     ///< tokens before </s>
  std::vector<int64_t> prefix;
  /// The strings of each slot's phrase, word by word, as kPhraseStrings numbers them; empty =
  /// unknown.
  std::vector<std::vector<int64_t>> phrase_strings = {};
  LexicalConstraints lexical_constraints = {};  ///< phrases that the translation must contain
  int64_t start_token = kEos;                   ///< the first token that its rows are fed
};

/// Counts the tokens of a sentence that are not control symbols.
PHRASEQ_API int64_t count_text_tokens(std::span<const int64_t> ids);

/// Describes the sentences of a request's batch. Throws UsageError if a prefix of the reference is
/// forced and there is no reference, and DataError if --match-source-len requires more tokens than
/// a model can generate.
PHRASEQ_API std::vector<SentenceInput> describe_sentences(const DecodingRequest& request,
                                                          const SearchOptions& options);

}  // namespace phraseq
