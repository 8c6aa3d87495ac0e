#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq::score {

/// The metrics whose options sacrebleu's command line has, whichever metrics are computed.
PHRASEQ_API std::span<const std::string> sacrebleu_metrics();

/// Gives the options of BLEU and chrF in the table sacrebleu's names and short flags:
/// --bleu-tokenize becomes --tokenize, -tok. The component's own name stays as an alias.
PHRASEQ_API void spell_as_sacrebleu(OptionTable& table);

/// The names in the order in which sacrebleu reports: bleu, chrf, chrf++, ter, then the others as
/// they were given; each name once.
PHRASEQ_API std::vector<std::string> in_sacrebleu_order(std::span<const std::string> names);

}  // namespace phraseq::score
