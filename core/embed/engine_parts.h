#pragma once

#include <cstdint>
#include <memory>

#include "core/options/batch_options.h"
#include "core/plugin/registry.h"
#include "core/run/options/decoder_choice.h"
#include "core/run/options/model_options.h"
#include "core/run/options/shortlist_options.h"
#include "core/run/run_components.h"
#include "core/translate/post_process.h"
#include "core/translate/workers.h"

namespace phraseq {

/// What the engines of an EngineSetup share: its options and its decoder.
struct EngineParts {
  std::unique_ptr<LoadedPlugins> loaded;
  ModelOptions model;
  ShortlistOptions shortlist;
  BatchOptions batches;
  PostProcess remove_bpe = PostProcess::kNotGiven;
  DecoderChoice search;
  int64_t seed = 1;
  Selection decoder;
  Selection prefix_decoder;  ///< the same, but forces all target tokens; no component = it cannot
  int64_t max_nbest = 1;
  WorkerSettings workers;
};

}  // namespace phraseq
