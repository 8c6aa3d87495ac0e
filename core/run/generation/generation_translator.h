#pragma once

#include "core/run/generation/generate_run.h"
#include "core/translate/translator.h"
#include "core/translate/workers.h"

namespace phraseq {

/// The models of a run with its decoder, settings and language model, ready to translate. Throws
/// UsageError at once, not at the first batch, if a model needs trees that were not given, or if
/// attention is needed to a source that it does not read.
Translator make_translator(GenerateRun& run, const WorkerSettings& workers);

}  // namespace phraseq
