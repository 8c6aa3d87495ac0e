#include "core/data/blocks/token_blocks.h"

#include <algorithm>

#include "core/base/error.h"

namespace phraseq {
namespace {

constexpr int64_t kSeparator = 1;  // the length of an empty line, </s> alone
constexpr int64_t kMaxBlock = 1 << 24;

std::vector<TokenBlock> cut_anywhere(const std::vector<int64_t>& lengths, int64_t size) {
  std::vector<TokenBlock> blocks;
  int64_t room = 0;  // of the last block
  for (size_t i = 0; i < lengths.size(); ++i) {
    for (int64_t offset = 0; offset < lengths[i];) {
      if (room == 0) {
        blocks.push_back({static_cast<int64_t>(i), offset, 0});
        room = size;
      }
      const int64_t taken = std::min(room, lengths[i] - offset);
      blocks.back().tokens += taken;
      room -= taken;
      offset += taken;
    }
  }
  return blocks;
}

std::vector<TokenBlock> cut_after_sentences(const std::vector<int64_t>& lengths, int64_t size) {
  std::vector<TokenBlock> blocks;
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (blocks.empty() || blocks.back().tokens + lengths[i] > size)
      blocks.push_back({static_cast<int64_t>(i), 0, 0});
    blocks.back().tokens += lengths[i];
  }
  return blocks;
}

std::vector<TokenBlock> cut_at_documents(const std::vector<int64_t>& lengths, int64_t size) {
  std::vector<TokenBlock> blocks;
  TokenBlock open;
  const auto close = [&](size_t next) {
    if (open.tokens > 1)
      blocks.push_back(open);
    open = {static_cast<int64_t>(next), 0, 0};
  };
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] == kSeparator) {
      close(i + 1);
      continue;
    }
    if (open.tokens > 0 && open.tokens + lengths[i] > size)
      close(i);
    open.tokens += lengths[i];
  }
  close(lengths.size());
  return blocks;
}

}  // namespace

void BlockOptions::describe_cuts(OptionTable& table) {
  table.field("sample-break-mode",
              break_mode,
              kBreakModeNames,
              "How the text is divided into blocks. none: every --tokens-per-sample tokens; "
              "complete: only between sentences; complete_doc: like complete, and at empty lines; "
              "eos: after every sentence.");
  table
      .field("tokens-per-sample",
             tokens_per_sample,
             "Maximum number of tokens in a block; without effect for --sample-break-mode eos.")
      .in(1, static_cast<double>(kMaxBlock));
}

std::vector<TokenBlock> cut_into_blocks(const std::vector<int64_t>& lengths,
                                        const BlockOptions& options) {
  switch (options.break_mode) {
    case BreakMode::kNone:
      return cut_anywhere(lengths, options.tokens_per_sample);
    case BreakMode::kComplete:
      return cut_after_sentences(lengths, options.tokens_per_sample);
    case BreakMode::kCompleteDoc:
      return cut_at_documents(lengths, options.tokens_per_sample);
    case BreakMode::kSentence:
      return cut_after_sentences(lengths, /*size=*/0);
    case BreakMode::kAuto:
      break;
  }
  throw UsageError("--sample-break-mode was not chosen");
}

}  // namespace phraseq
