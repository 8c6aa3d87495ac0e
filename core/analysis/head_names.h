#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"

namespace phraseq::analysis {

/// The heads of one attention module whose output can be switched off one by one.
struct HeadsOfModule {
  std::string attention;  ///< encoder, decoder, cross, encoder-phrases or cross-phrases
  int64_t layer = 0;      ///< from 1
  std::string module;     ///< "decoder.layers.0.encoder_attn"
  /// For each head the lengths of the n-grams that it attends to.
  std::vector<std::set<int64_t>> ngrams;

  int64_t heads() const { return static_cast<int64_t>(ngrams.size()); }
};

/// The parts of a head's name, ATTENTION.LAYER.HEAD: "cross.2.3".
struct PHRASEQ_API HeadName {
  std::string attention;
  int64_t layer = 0, head = 0;  ///< from 1

  std::string text() const;
};

/// Parses a head's name. Throws UsageError for any other text.
PHRASEQ_API HeadName parse_head_name(std::string_view text);

/// The module of a head. Throws UsageError with the names of all heads if the modules of `model`, a
/// checkpoint, do not have it.
PHRASEQ_API const HeadsOfModule& module_of(const std::vector<HeadsOfModule>& modules,
                                           const HeadName& name,
                                           const std::string& model);

}  // namespace phraseq::analysis
