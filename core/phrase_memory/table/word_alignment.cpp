#include "core/phrase_memory/table/word_alignment.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "core/text/unicode.h"

namespace phraseq {
namespace {

bool read_place(const char*& at, const char* end, int64_t& value) {
  const auto [after, error] = std::from_chars(at, end, value);
  at = after;
  return error == std::errc() && value >= 0;
}

bool read_link(std::string_view text, AlignmentLink& link) {
  const char* at = text.data();
  const char* end = at + text.size();
  return read_place(at, end, link.source) && at != end && *at++ == '-' &&
         read_place(at, end, link.target) && at == end;
}

/// The links taken so far, and which words have one.
struct GrowingAlignment {
  std::set<AlignmentLink> links;
  std::set<int64_t> sources;
  std::set<int64_t> targets;

  void add(const AlignmentLink& link) {
    links.insert(link);
    sources.insert(link.source);
    targets.insert(link.target);
  }
};

constexpr std::array<AlignmentLink, 8> kNeighbors = {
    {{-1, 0}, {0, -1}, {1, 0}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}}};

/// One round of growing over the links taken; whether there was anything to add.
bool grow(GrowingAlignment& taken, const std::set<AlignmentLink>& either) {
  bool has_grown = false;
  const std::vector<AlignmentLink> before(taken.links.begin(), taken.links.end());
  for (const AlignmentLink& link : before) {
    for (const AlignmentLink& step : kNeighbors) {
      const AlignmentLink next{link.source + step.source, link.target + step.target};
      const bool is_free =
          !taken.sources.contains(next.source) || !taken.targets.contains(next.target);
      if (is_free && either.contains(next)) {
        taken.add(next);
        has_grown = true;
      }
    }
  }
  return has_grown;
}

}  // namespace

std::vector<AlignmentLink> parse_links(std::string_view line,
                                       int64_t source_words,
                                       int64_t target_words,
                                       const TextPlace& place) {
  std::vector<AlignmentLink> links;
  for (const std::string_view text : split_whitespace(line)) {
    AlignmentLink link;
    if (!read_link(text, link)) {
      throw DataError(
          place,
          fmt::format("'{}' is not an alignment link", text),
          "An alignment is written as 0-0 1-2: source word, target word, counted from 0.");
    }
    if (link.source >= source_words || link.target >= target_words) {
      throw DataError(place,
                      fmt::format("the link {} is outside the sentences of {} and {} words",
                                  text,
                                  source_words,
                                  target_words),
                      "The alignment belongs to another text, or to another tokenization of it.");
    }
    links.push_back(link);
  }
  return links;
}

WordAlignment parse_alignment(std::string_view line,
                              int64_t source_words,
                              int64_t target_words,
                              const TextPlace& place) {
  WordAlignment links = parse_links(line, source_words, target_words, place);
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
  return links;
}

WordAlignment symmetrize(const WordAlignment& forward, const WordAlignment& backward) {
  GrowingAlignment taken;
  WordAlignment both;
  std::set_intersection(
      forward.begin(), forward.end(), backward.begin(), backward.end(), std::back_inserter(both));
  for (const AlignmentLink& link : both) taken.add(link);
  std::set<AlignmentLink> either(forward.begin(), forward.end());
  either.insert(backward.begin(), backward.end());
  while (grow(taken, either)) continue;
  for (const WordAlignment* direction : {&forward, &backward}) {
    for (const AlignmentLink& link : *direction) {
      if (!taken.sources.contains(link.source) && !taken.targets.contains(link.target))
        taken.add(link);
    }
  }
  return {taken.links.begin(), taken.links.end()};
}

}  // namespace phraseq
