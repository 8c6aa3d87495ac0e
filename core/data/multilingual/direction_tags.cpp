#include "core/data/multilingual/direction_tags.h"

#include <fmt/format.h>

#include "core/data/multilingual/tag_extras.h"

namespace phraseq {
namespace {

/// Numbers of SubwordTree::encode.
constexpr int64_t kLeafOfOne = 2;
constexpr int64_t kBracketOfTwo = 5;

void shift(std::vector<int64_t>& places) {
  for (int64_t& place : places) ++place;
}

}  // namespace

void DirectionTags::apply(Example& example) const {
  if (source >= 0) {
    example.extras[kSourceTagExtra] = {source};
    if (replace) {
      example.source.back() = source;
    } else {
      example.source.insert(example.source.begin(), source);
      for (ExamplePhrase& phrase : example.phrases) shift(phrase.places);
      if (const auto found = example.extras.find(kTreeExtra); found != example.extras.end())
        found->second = tree(std::move(found->second));
    }
  }
  if (target < 0)
    return;
  example.extras[replace ? kStartExtra : kPrefixExtra] = {target};
  if (replace || example.target.empty())
    return;
  example.target.insert(example.target.begin(), target);
  for (ExamplePhrase& phrase : example.phrases) phrase.span_begin += phrase.span_begin < 0 ? 0 : 1;
}

std::vector<int64_t> DirectionTags::tree(std::vector<int64_t> code) const {
  if (added_to_source() == 0 || code.empty())
    return code;
  const bool is_leaf = code.front() % 2 == 0;
  if (is_leaf)
    code.insert(code.begin(), {kBracketOfTwo, kLeafOfOne});
  else {
    code.front() += 2;  // one child more
    code.insert(code.begin() + 1, kLeafOfOne);
  }
  return code;
}

int64_t TaggedCorpus::source_length(int64_t index) const {
  return corpus_->source_length(index) + tags_.added_to_source();
}

int64_t TaggedCorpus::target_length(int64_t index) const {
  const int64_t length = corpus_->target_length(index);
  return length == 0 ? 0 : length + tags_.added_to_target();
}

Example TaggedCorpus::get(int64_t index) const {
  Example example = corpus_->get(index);
  tags_.apply(example);
  return example;
}

EmptyLengths TaggedCorpus::empty_lengths() const {
  EmptyLengths lengths = corpus_->empty_lengths();
  lengths.source += tags_.added_to_source();
  lengths.target += tags_.added_to_target();
  return lengths;
}

std::string TaggedCorpus::fingerprint() const {
  return fmt::format("{}, language tokens {} {}{}",
                     corpus_->fingerprint(),
                     tags_.source,
                     tags_.target,
                     tags_.replace ? " in place of </s>" : "");
}

}  // namespace phraseq
