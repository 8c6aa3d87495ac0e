#include "core/text/word_cache.h"

#include "core/base/text_fields.h"

namespace phraseq {

bool WordCache::append_known(std::string_view word, std::vector<std::string>& symbols) {
  Part& part = part_of(word);
  const std::lock_guard lock(part.mutex);
  const auto known = part.words.find(word);
  if (known == part.words.end())
    return false;
  for (const std::string_view symbol : filled_parts(known->second, " "))
    symbols.emplace_back(symbol);
  return true;
}

void WordCache::keep(std::string_view word, std::span<const std::string> symbols) {
  std::string joined;
  for (const std::string& symbol : symbols) joined += (joined.empty() ? "" : " ") + symbol;
  joined.shrink_to_fit();
  Part& part = part_of(word);
  const std::lock_guard lock(part.mutex);
  if (part.words.size() < most_in_part_)
    part.words.emplace(word, std::move(joined));
}

}  // namespace phraseq
