#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/batch_options.h"
#include "core/options/option_table.h"
#include "core/options/shards/shard_options.h"
#include "core/score/contrastive/contrastive_options.h"
#include "core/translate/translation_text.h"

namespace phraseq {

/// The translations whose probabilities are computed, and the output format.
struct PHRASEQ_API RescoreOptions : Options {
  std::string data;
  std::string gen_subset = "test";
  std::string source;
  std::string target;
  std::string trees;
  std::string output = "-";
  TranslationFormat format;
  BatchOptions batches{4096};
  ShardOptions shards;
  int64_t buffer_size = 20000;
  bool truncate_source = false;
  score::ContrastiveOptions contrastive;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
};

}  // namespace phraseq
