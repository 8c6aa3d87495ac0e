#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq::score {

/// The format of lists of hypotheses.
enum class NBestFormat {
  kFairseq,  ///< D-ID (otherwise H-ID), score, text; P-ID, log-probabilities of the tokens in base
             ///< 2
  kMoses,    ///< ID ||| text ||| … ||| score
  kPlain,    ///< one text per line, the same number of lines for each sentence
};

inline constexpr EnumName<NBestFormat> kNBestFormatNames[] = {{"fairseq", NBestFormat::kFairseq},
                                                              {"moses", NBestFormat::kMoses},
                                                              {"plain", NBestFormat::kPlain}};

/// The hypotheses of one sentence.
struct NBestList {
  std::vector<std::string> texts;
  std::vector<double> scores;  ///< natural logarithms; empty if none were read
};

/// Reads a file ("-" = standard input), sentences in the order of their ids, which must be 0, 1, 2
/// … without a gap; `size`: the number of lines of each sentence, for plain text. With
/// `needs_probabilities`, the scores of fairseq's format are the sums of its P- lines, which every
/// hypothesis must have; otherwise, its lists have no scores. Throws a DataError with file and line
/// if the file does not have this form.
PHRASEQ_API std::vector<NBestList> read_nbest_lists(const std::string& path,
                                                    NBestFormat format,
                                                    int64_t size,
                                                    bool needs_probabilities = false);

}  // namespace phraseq::score
