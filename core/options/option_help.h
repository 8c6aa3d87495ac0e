#pragma once

#include <string>

#include "core/options/option_table.h"

/// The texts of an option in help and manual pages.
namespace phraseq {

/// Whether the option is a flag, and whether its numbers are limited.
bool takes_no_value(const OptionField& field);
bool has_range(const OptionField& field);

/// The placeholder of the value: FILE, a|b|c, N.
std::string placeholder_of(const OptionField& field);

/// The flags and the value: "-s, --source-lang TEXT"; "[--data] DATA" for an option that needs no
/// flag.
std::string flags_text(const OptionField& field);

/// The details that the help adds in brackets: default, range, other names.
std::string details_text(const OptionField& field);

}  // namespace phraseq
