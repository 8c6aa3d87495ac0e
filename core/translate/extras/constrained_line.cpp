#include "core/translate/extras/constrained_line.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/log.h"
#include "core/text/dictionary.h"
#include "core/text/unicode.h"

namespace phraseq {
namespace {

constexpr const char* kConstraintsExtra = "lexical_constraints";

}  // namespace

ConstrainedLine split_constraints(std::string_view line) {
  ConstrainedLine split;
  size_t tab = line.find('\t');
  split.source = line.substr(0, tab);
  while (tab != std::string_view::npos) {
    const size_t begin = tab + 1;
    tab = line.find('\t', begin);
    const std::string_view phrase = line.substr(begin, tab - begin);
    if (!split_whitespace(phrase).empty())
      split.phrases.emplace_back(phrase);
  }
  return split;
}

LexicalConstraints encode_constraints(const Task& task,
                                      const std::vector<std::string>& phrases,
                                      const TextPlace& place) {
  LexicalConstraints constraints;
  for (const std::string& phrase : phrases) {
    auto ids = task.encode("", phrase).target;
    ids.pop_back();  // </s>
    if (std::find(ids.begin(), ids.end(), kUnk) != ids.end()) {
      log_warning(
          fmt::format("{}:{}: the constraint '{}' contains symbols outside the vocabulary: the "
                      "translation must contain <unk> there",
                      place.file,
                      place.line,
                      phrase));
    }
    if (!ids.empty())
      constraints.push_back(std::move(ids));
  }
  return constraints;
}

/// Packs the phrases as fairseq does: each is followed by a 0, which is not a token of any phrase.
void set_constraints(Example& example, const LexicalConstraints& constraints) {
  std::vector<int64_t> packed;
  for (const auto& constraint : constraints) {
    packed.insert(packed.end(), constraint.begin(), constraint.end());
    packed.push_back(kBos);
  }
  example.extras[kConstraintsExtra] = std::move(packed);
}

LexicalConstraints constraints_of(const Example& example) {
  LexicalConstraints constraints;
  const auto packed = example.extras.find(kConstraintsExtra);
  if (packed == example.extras.end())
    return constraints;
  auto begin = packed->second.begin();
  while (begin != packed->second.end()) {
    const auto end = std::find(begin, packed->second.end(), kBos);
    constraints.emplace_back(begin, end);
    begin = end + 1;
  }
  return constraints;
}

}  // namespace phraseq
