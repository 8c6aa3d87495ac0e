#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/data/task.h"
#include "core/search/hypothesis.h"
#include "core/translate/post_process.h"

namespace phraseq {

/// What a hypothesis says, as Task::symbols and Task::text of the target side give it; but words
/// that a phrase of the example generated are written as the phrase has them, also those that are
/// outside the vocabulary. Always one line (on_one_line), whatever the tokens contain.
PHRASEQ_API std::string hypothesis_symbols(const Task& task,
                                           const Example& example,
                                           const Hypothesis& hypothesis);
PHRASEQ_API std::string hypothesis_text(const Task& task,
                                        const Example& example,
                                        const Hypothesis& hypothesis);

/// A hypothesis and a reference as text for people: after --remove-bpe
/// (post_process_text).
PHRASEQ_API std::string hypothesis_text(const Task& task,
                                        const Example& example,
                                        const Hypothesis& hypothesis,
                                        PostProcess remove_bpe);
PHRASEQ_API std::string reference_text(const Task& task,
                                       const Example& example,
                                       PostProcess remove_bpe);

/// The phrases that a hypothesis says, in their order, for jsonl (docs/formats/output.md).
PHRASEQ_API nlohmann::ordered_json hypothesis_phrases(const Example& example,
                                                      const Hypothesis& hypothesis);

}  // namespace phraseq
