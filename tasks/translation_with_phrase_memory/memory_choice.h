#pragma once

#include "core/data/task.h"
#include "core/phrase_memory/stored_memory.h"
#include "tasks/translation_with_phrase_memory/phrase_memory_task.h"

namespace phraseq {

/// Stores a phrase memory in a task's state, and restores it. Restoring throws FormatError if the
/// state has none.
void add_memory(TaskState& state, const StoredMemory& memory);
StoredMemory memory_of(const TaskState& state);

/// The memory of the checkpoint, of the data folder, or of the options, in this order. Throws
/// UsageError if there is none, or if options are set to values different from the data folder's.
StoredMemory choose_memory(const PhraseMemoryTaskOptions& options, const TaskSetup& setup);

}  // namespace phraseq
