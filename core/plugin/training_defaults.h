#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// The training configuration that a preset of an architecture was tested with. `phraseq train`
/// uses these values for options that neither the command line nor a configuration file sets; a
/// preset without them trains with the defaults of `phraseq train`.
struct TrainingDefaults {
  std::string criterion;     ///< empty: the default of `phraseq train`
  std::string optimizer;     ///< the same
  std::string lr_scheduler;  ///< the same
  /// Option names and values. Options of components that are not selected are ignored. So are the
  /// learning rate if a different optimizer is selected, and the batch size if a different limit is
  /// given.
  std::vector<std::pair<std::string, std::string>> options;
  /// Warm-up updates as a share of the updates of the run; 0 = the scheduler's default.
  double warmup_share = 0.0;
  /// Share all embeddings if source and target use one dictionary.
  bool tie_when_joined = false;
  /// The decoder keeps its dimensions if only the encoder's are given. Otherwise, it takes them
  /// over, like fairseq's `transformer`.
  bool keeps_decoder_sizes = false;
  /// If only --decoder-embed-dim is given, --decoder-ffn-embed-dim becomes this multiple of it; 0 =
  /// it keeps its value.
  int64_t ffn_factor = 0;

  bool empty() const { return options.empty() && criterion.empty(); }
};

/// For models of a few million parameters and corpora of 5,000 to 200,000 sentence pairs: after the
/// configuration of Wu et al. 2021 ("Good for Misconceived Reasons", sec. 3.1) for Multi30k, with
/// smaller batches and a warm-up in proportion to the length of the run.
PHRASEQ_API TrainingDefaults small_corpus_training();

/// Defaults of fairseq 0.12.2's training that differ from phraseq's: a fixed learning rate, no
/// label smoothing, and that version's form of label smoothing.
PHRASEQ_API TrainingDefaults fairseq_training();

/// `defaults`, for a preset that sets the decoder's dimensions itself.
PHRASEQ_API TrainingDefaults with_decoder_sizes(TrainingDefaults defaults);

}  // namespace phraseq
