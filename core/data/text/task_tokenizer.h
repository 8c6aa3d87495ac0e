#pragma once

#include <memory>
#include <string>

#include "core/base/api.h"
#include "core/data/task.h"
#include "core/data/vocabularies.h"
#include "core/text/tokenizer.h"

namespace phraseq {

/// What a task's options say about its tokenizer.
struct TokenizerChoice {
  std::string name;        ///< of the component; empty = that of the data
  double bpe_dropout = 0;  ///< --bpe-dropout
};

/// The tokenizer of one side. A name that the user chose is an option; one that was recorded needs
/// its plugin. Throws UsageError for a tokenizer that cannot segment at random when it is asked to.
PHRASEQ_API std::unique_ptr<Tokenizer> task_tokenizer(const TaskSetup& setup,
                                                      const Vocabularies& vocabularies,
                                                      const Vocabularies::Side& side,
                                                      const TokenizerChoice& choice);

}  // namespace phraseq
