#include "core/text/tokenizer.h"

namespace phraseq {

std::vector<std::string> Tokenizer::sample(std::string_view line, uint64_t) const {
  return encode(line);
}

}  // namespace phraseq
