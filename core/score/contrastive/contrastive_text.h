#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/score/contrastive/contrastive_report.h"
#include "core/score/contrastive/contrastive_set.h"

namespace phraseq::score {

/// The report for a terminal, for programs (docs/formats/contrastive_json.md), and with a line for
/// each pair.
PHRASEQ_API std::string contrastive_text(const ContrastiveReport& report);
PHRASEQ_API std::string contrastive_json(const ContrastiveReport& report);
/// For each system, the two logarithms and `right`, `wrong` or `tie`, separated by TABs.
PHRASEQ_API std::string contrastive_rows(const ContrastiveSet& set,
                                         const std::vector<ContrastiveSystem>& systems);
/// The same as one JSON object per line, with line number and groups.
PHRASEQ_API std::string contrastive_jsonl(const ContrastiveSet& set,
                                          const std::vector<ContrastiveSystem>& systems);

}  // namespace phraseq::score
