#pragma once

#include <cstdint>

#include <c10/core/Device.h>

#include "core/base/api.h"
#include "core/options/batch_options.h"
#include "core/options/option_table.h"

namespace phraseq {

/// Describes the options for the batches of a search.
PHRASEQ_API void describe_search_batches(OptionTable& table, BatchOptions& batches);

/// The source tokens of a batch if the user sets no limit.
PHRASEQ_API int64_t automatic_source_tokens(at::Device device);

/// The most source tokens of a batch with these options; 0 = any, if the user limits only its
/// sentences.
PHRASEQ_API int64_t source_tokens_of_batch(const BatchOptions& batches, at::Device device);

}  // namespace phraseq
