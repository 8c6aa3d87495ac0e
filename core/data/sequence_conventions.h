#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/api.h"
#include "core/data/batch.h"
#include "core/data/example.h"

namespace phraseq {

/// Adds to a batch what an architecture needs in addition to the ids (phrase indices …), from the
/// examples that the batch was made of, in its order. Runs where batches are made: in advance, on
/// another thread.
using BatchExtension = std::function<void(const std::vector<Example>&, Batch&)>;

/// The form of batches that an architecture requires.
struct PHRASEQ_API SequenceConventions {
  bool start_with_bos = false;  ///< the decoder is first fed <s>, else </s>
  bool source_has_bos = false;  ///< sources begin with <s>
  BatchExtension extend = {};   ///< empty = nothing to add
  bool reads_source = true;     ///< false = a language model, which reads only its own output
  bool source_has_eos = true;   ///< sources end with </s>
  bool reads_phrases = false;   ///< uses the phrases of a phrase memory

  /// The id that the decoder is first fed.
  int64_t start_token() const;
  /// The ids of an example's source as the model reads them. At least one: a source that would
  /// otherwise be empty is </s>.
  std::vector<int64_t> source_of(const Example& example) const;
};

}  // namespace phraseq
