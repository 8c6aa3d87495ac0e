#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq::fairseq {

/// The value of an option that phraseq spells differently from fairseq: a Python dictionary of
/// --model-overrides as NAME=VALUE items (without the options of the command itself, which have no
/// effect there in fairseq; each causes a note), the name of --restore-file without ".pt", "@@ "
/// and "@@" of --remove-bpe as subword_nmt, the ppl of --best-checkpoint-metric as nll_loss.
/// Nothing if the value does not change.
PHRASEQ_API std::optional<std::string> translated_value(std::string_view option,
                                                        std::string_view value,
                                                        OptionTable& table,
                                                        std::vector<std::string>& notes);

/// The reason why a value is rejected: it is a value of fairseq that phraseq does not have (--bpe
/// sentencepiece), or that the option of this name does not accept (the file of -s in `score`).
/// Empty for every other value. `option` is without its dashes.
PHRASEQ_API std::string_view rejection_of_value(std::string_view option,
                                                std::string_view value,
                                                const OptionTable& table);

}  // namespace phraseq::fairseq
