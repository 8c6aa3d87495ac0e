#include "core/run/language_model/context_window.h"

#include <algorithm>

#include "core/text/dictionary.h"

namespace phraseq {

ContextWindow::ContextWindow(int64_t window, int64_t most_tokens)
    : window_(window), most_tokens_(most_tokens) {}

int64_t ContextWindow::extend(Example& block) {
  const auto room = most_tokens_ - static_cast<int64_t>(block.source.size());
  const auto held = static_cast<int64_t>(context_.size());
  const int64_t used = std::clamp<int64_t>(room, 0, held);
  block.source.insert(block.source.begin(), context_.end() - used, context_.end());
  block.target.insert(block.target.begin(), static_cast<size_t>(used), kEos);
  const auto kept = std::min(window_, static_cast<int64_t>(block.source.size()));
  context_.assign(block.source.end() - kept, block.source.end());
  return used;
}

}  // namespace phraseq
