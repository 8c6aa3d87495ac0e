#pragma once

#include "core/data/task.h"
#include "core/phrase_memory/stored_memory.h"
#include "tasks/translation_with_phrase_memory/phrase_memory_task.h"

namespace phraseq {

/// What a task keeps of its phrase memory, and the memory again. Throws FormatError when it is not
/// there.
void add_memory(TaskState& state, const StoredMemory& memory);
StoredMemory memory_of(const TaskState& state);

/// The memory of the checkpoint, of the data folder, or of the options, in this order. Throws
/// UsageError when there is none, or when options are set to something else than the data folder's.
StoredMemory choose_memory(const PhraseMemoryTaskOptions& options, const TaskSetup& setup);

}  // namespace phraseq
