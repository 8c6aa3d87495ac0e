#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/score/rerank/noisy_channel.h"

namespace phraseq::score {

/// Reads the S-, H-, D- and P- lines of the output of `generate --format fairseq --nbest N` or of
/// fairseq-generate; "-" is standard input. The lists are in the order of the sentences' numbers,
/// which must be 0, 1, 2 and so on, but may be in any order in the file. `forward` is the sum of
/// the P- line. Throws a DataError with file and line for a malformed line of these kinds, for a
/// hypothesis without a P- line, for a sentence with D- lines for some but not all hypotheses, and,
/// with `needs_sources`, for one without an S- line.
PHRASEQ_API std::vector<RerankList> read_rerank_lists(const std::string& path,
                                                      bool needs_sources = false);

/// Reads one number per hypothesis, a natural logarithm as written by `phraseq rescore`, in the
/// order of the lists, into one of the scores. Throws DataError for a line that is not a number and
/// for a wrong number of lines.
PHRASEQ_API void read_scores(const std::string& path,
                             double RerankHypothesis::*score,
                             std::vector<RerankList>& lists);

/// Writes PREFIX.src and PREFIX.hyp with a line for each hypothesis, the symbols of its source and
/// its own symbols, for `phraseq rescore`. Warns if the symbols are subwords.
PHRASEQ_API void write_pairs(const std::vector<RerankList>& lists, const std::string& prefix);

/// Writes the pairs as plain text, for models with their own subwords: the sentence's line in
/// `source`, which is the text that was translated, and the text of the hypothesis. Throws
/// DataError for a sentence without a line.
PHRASEQ_API void write_text_pairs(const std::vector<RerankList>& lists,
                                  const std::string& source,
                                  const std::string& prefix);

}  // namespace phraseq::score
