#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq::score {

/// How lists of hypotheses are written down.
enum class NBestFormat {
  kFairseq,  ///< D-ID (else H-ID), score, text; scores in base 2
  kMoses,    ///< ID ||| text ||| … ||| score
  kPlain,    ///< one text per line, the same number of lines for each sentence
};

inline constexpr EnumName<NBestFormat> kNBestFormatNames[] = {{"fairseq", NBestFormat::kFairseq},
                                                              {"moses", NBestFormat::kMoses},
                                                              {"plain", NBestFormat::kPlain}};

/// The hypotheses of one sentence.
struct NBestList {
  std::vector<std::string> texts;
  std::vector<double> scores;  ///< natural logarithms; empty when the format has none
};

/// Reads a file ("-" = standard input), sentences in the order of their ids, which must be 0, 1, 2
/// … without a gap; `size`: lines of a sentence, for plain text. DataError with file and line for
/// anything else.
PHRASEQ_API std::vector<NBestList> read_nbest_lists(const std::string& path,
                                                    NBestFormat format,
                                                    int64_t size);

}  // namespace phraseq::score
