#pragma once

#include <cstddef>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/corpus/preprocessing/run_files.h"
#include "core/phrase_memory/phrase_memory.h"

namespace phraseq {

/// Writes and records what belongs to the sentences of a split besides their text: parse trees
/// (--trees), phrases (of `memory`, null = none) and word alignments (--align-suffix). The texts of
/// all languages must have been written already, because the links of alignments count their
/// symbols.
void write_annotations(const RunFiles& files,
                       const std::vector<RunSide>& sides,
                       size_t split,
                       const PhraseMemory* memory,
                       const PreprocessOptions& options,
                       nlohmann::json& record);

}  // namespace phraseq
