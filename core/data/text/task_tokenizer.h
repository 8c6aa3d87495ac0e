#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/data/task.h"
#include "core/data/vocabularies.h"
#include "core/options/option_table.h"
#include "core/text/tokenizer.h"

namespace phraseq {

/// The options --tokenizer and --bpe-dropout of tasks that read raw text.
PHRASEQ_API void describe_tokenizer(OptionTable& table, std::string& tokenizer);
PHRASEQ_API void describe_bpe_dropout(OptionTable& table, double& bpe_dropout);
/// Adds a problem if the two options contradict each other: indexed data are segmented already.
PHRASEQ_API void check_bpe_dropout(double bpe_dropout,
                                   const std::string& data_loader,
                                   std::vector<std::string>& problems);

/// The tokenizer options of a task.
struct TokenizerChoice {
  std::string name;        ///< name of the component; empty = that of the data
  double bpe_dropout = 0;  ///< --bpe-dropout
};

/// The tokenizer of one side. A name that the user chose is an option; one that was recorded needs
/// its plugin. Throws UsageError if random segmentation is requested and the tokenizer cannot do
/// it.
PHRASEQ_API std::unique_ptr<Tokenizer> task_tokenizer(const TaskSetup& setup,
                                                      const Vocabularies& vocabularies,
                                                      const Vocabularies::Side& side,
                                                      const TokenizerChoice& choice);

}  // namespace phraseq
