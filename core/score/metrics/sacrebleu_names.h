#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq::score {

/// The metrics whose options sacrebleu's command line accepts, whichever metrics are computed.
PHRASEQ_API std::span<const std::string> sacrebleu_metrics();

/// Renames the options of BLEU and chrF in the table to sacrebleu's names and short flags:
/// --bleu-tokenize becomes --tokenize, -tok. The component's own name stays as an alias.
PHRASEQ_API void spell_as_sacrebleu(OptionTable& table);

/// The names in the order in which sacrebleu reports: bleu, chrf, chrf++, ter, then the others as
/// they were given; each name once.
PHRASEQ_API std::vector<std::string> in_sacrebleu_order(std::span<const std::string> names);

/// The name of an option in `phraseq score`: "tokenize" for "bleu-tokenize".
PHRASEQ_API std::string in_sacrebleu_spelling(std::string_view option);

/// Whether a metric, or a preset of one, uses an option of its component.
PHRASEQ_API bool uses_option(std::string_view metric, std::string_view option);

/// The condition that an option requires and `table` does not meet: "--spm-model has no effect
/// without --tokenize spm or …". Empty if it is met or if there is none.
PHRASEQ_API std::string missing_condition(std::string_view option, const OptionTable& table);

}  // namespace phraseq::score
