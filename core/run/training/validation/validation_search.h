#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/plugin/registry.h"

namespace phraseq {

/// The beam search of --eval-bleu, and the problems of the options in --eval-bleu-args.
struct ValidationSearch {
  Selection decoder;
  std::vector<std::string> problems;
};

/// Selects the beam search and sets its options; `arguments` is the JSON object of
/// --eval-bleu-args.
PHRASEQ_API ValidationSearch validation_search(const Registry& registry,
                                               const std::string& arguments);

}  // namespace phraseq
