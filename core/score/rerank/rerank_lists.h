#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/score/rerank/noisy_channel.h"

namespace phraseq::score {

/// Reads the output of `generate --format fairseq --nbest N`, its S-, H-, D- and P- lines, or
/// fairseq-generate's; "-" is standard input. Sentences come in the order of their numbers, which
/// must be 0, 1, 2 and so on, in any order in the file. `forward` is the sum of the P- line.
/// DataError with file and line for a line of these kinds that is none, for a hypothesis without a
/// P- line, for a sentence with some D- lines but not all, and, with `needs_sources`, for one
/// without an S- line.
PHRASEQ_API std::vector<RerankList> read_rerank_lists(const std::string& path,
                                                      bool needs_sources = false);

/// Reads one number per hypothesis, natural logarithms as of `phraseq rescore`, in the order of the
/// lists, into one of the scores. DataError for a line that is no number and for another number of
/// lines.
PHRASEQ_API void read_scores(const std::string& path,
                             double RerankHypothesis::*score,
                             std::vector<RerankList>& lists);

/// Writes PREFIX.src and PREFIX.hyp, a line for each hypothesis: the symbols of its source and its
/// own, for `phraseq rescore`. Warns if the symbols are subwords.
PHRASEQ_API void write_pairs(const std::vector<RerankList>& lists, const std::string& prefix);

/// The same as plain text, for models with subwords of their own: the line of the sentence in
/// `source`, the text that was translated, and the text of the hypothesis. DataError for a sentence
/// without a line.
PHRASEQ_API void write_text_pairs(const std::vector<RerankList>& lists,
                                  const std::string& source,
                                  const std::string& prefix);

}  // namespace phraseq::score
