#pragma once

#include <cstdint>
#include <string>

#include "core/base/api.h"
#include "core/data/blocks/token_blocks.h"
#include "core/options/batch_options.h"
#include "core/options/option_table.h"
#include "core/translate/post_process.h"

namespace phraseq {

/// The text to evaluate, and the output.
struct PHRASEQ_API EvalLmOptions : Options {
  std::string data;
  std::string gen_subset = "test";
  BreakMode break_mode = BreakMode::kAuto;
  int64_t tokens_per_sample = 0;  ///< 0 = as in the checkpoint
  int64_t context_window = 0;
  bool output_word_probs = false;
  bool output_word_stats = false;
  int64_t softmax_batch = 0;
  PostProcess remove_bpe = PostProcess::kNotGiven;
  BatchOptions batches{36000};

  void describe(OptionTable& table) override;
};

}  // namespace phraseq
