#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/phrase_memory/rules/rule_findings.h"

namespace phraseq {

/// What the rules from English to German find in a sentence; no two findings overlap.
std::vector<RuleFinding> english_german_findings(std::span<const std::string> sentence);

}  // namespace phraseq
