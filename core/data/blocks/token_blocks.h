#pragma once

#include <cstdint>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

/// Where running text is cut (fairseq's --sample-break-mode). kAuto leaves the choice to the
/// caller.
enum class BreakMode { kAuto, kNone, kComplete, kCompleteDoc, kSentence };

inline constexpr EnumName<BreakMode> kBreakModeNames[] = {{"none", BreakMode::kNone},
                                                          {"complete", BreakMode::kComplete},
                                                          {"complete_doc", BreakMode::kCompleteDoc},
                                                          {"eos", BreakMode::kSentence}};

inline constexpr EnumName<BreakMode> kAutoBreakModeNames[] = {
    {"auto", BreakMode::kAuto},
    {"none", BreakMode::kNone},
    {"complete", BreakMode::kComplete},
    {"complete_doc", BreakMode::kCompleteDoc},
    {"eos", BreakMode::kSentence}};

/// How the sentences of a text become the blocks that a language model reads.
struct PHRASEQ_API BlockOptions {
  BreakMode break_mode = BreakMode::kNone;
  int64_t tokens_per_sample = 1024;
  bool add_bos_token = false;  ///< blocks begin with <s>

  /// --sample-break-mode and --tokens-per-sample; not --add-bos-token, which a trained model fixes.
  void describe_cuts(OptionTable& table);
};

/// A stretch of consecutive sentences, as one block: `tokens` tokens from token `offset` of
/// sentence `first` on.
struct TokenBlock {
  int64_t first = 0;
  int64_t offset = 0;
  int64_t tokens = 0;
};

/// Cuts a text, given the lengths of its sentences with </s>, as TokenBlockDataset of fairseq
/// 0.12.2 does. none: every `tokens_per_sample` tokens. complete: after the last sentence that
/// fits; a longer sentence is a block of its own. complete_doc: like complete, and also at empty
/// lines, which separate documents; blocks of one token are left out. eos: after every sentence.
/// Throws UsageError for kAuto.
PHRASEQ_API std::vector<TokenBlock> cut_into_blocks(const std::vector<int64_t>& lengths,
                                                    const BlockOptions& options);

}  // namespace phraseq
