#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/options/shards/shard_options.h"
#include "core/run/options/model_options.h"
#include "core/run/result_output.h"
#include "core/translate/sentence_source.h"
#include "core/translate/translation_text.h"

namespace phraseq {

/// The part of a command's sentences that this process works on, with the options of the command.
class PHRASEQ_API ShardRun {
 public:
  /// Throws like ShardOptions::shard.
  explicit ShardRun(const ShardOptions& options);

  const Shard& shard() const { return shard_; }
  /// Gives each process that a launcher started on this machine its own GPU and its share of the
  /// cores. Call it before ModelOptions::worker_settings.
  void take_share_of_machine(ModelOptions& model) const;
  /// Returns the output file: `output`, or its shard. Removes the shard's file from an earlier run,
  /// so that a failure of this one does not go unnoticed. Throws UsageError if that file is one of
  /// `inputs`, which this run reads.
  std::string output(const std::string& output, const std::vector<std::string>& inputs) const;
  /// Ends the output of a shard with its seal. `table` and `model` are the command's options,
  /// `source` is the input that was read.
  void seal(ResultOutput& output,
            const SentenceSource& source,
            OutputFormat format,
            const OptionTable& table,
            const ModelOptions& model) const;

 private:
  Shard shard_;
  std::optional<LaunchedRank> launched_;
};

}  // namespace phraseq
