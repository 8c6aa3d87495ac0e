#include "core/translate/extras/prompts.h"

#include "core/data/multilingual/tag_extras.h"

namespace phraseq {
namespace {

std::vector<int64_t> prompt_of(const Example& example) {
  for (const char* name : {kPromptExtra, kPrefixExtra}) {
    const auto found = example.extras.find(name);
    if (found != example.extras.end())
      return found->second;
  }
  return {};
}

}  // namespace

std::vector<std::vector<int64_t>> prompts_of(const std::vector<Example>& examples) {
  std::vector<std::vector<int64_t>> prompts;
  for (const Example& example : examples) prompts.push_back(prompt_of(example));
  return prompts;
}

}  // namespace phraseq
