#include "core/text/bpe/bpe_codes.h"

#include <optional>
#include <set>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/base/text_fields.h"
#include "core/base/utf8_characters.h"
#include "core/io/utf8.h"

namespace phraseq {
namespace {

constexpr const char* kEnd = "</w>";
constexpr const char* kSeparator = "@@";
constexpr size_t kCachedWords = 1 << 18;

std::string_view strip_ends(std::string_view text) { return trimmed(text, "\r\n "); }

bool is_count(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

FormatError bad_line(const std::string& name, size_t line, std::string_view text) {
  return FormatError(
      fmt::format("{}:{}: '{}' is not a merge: two symbols in UTF-8, separated by a space",
                  name,
                  line,
                  repair_text(text, ControlBytes::kAllow)),
      "Give a file of codes of subword-nmt or fastBPE.");
}

/// Whether the end of a word is a symbol of its own, as in version 0.1, which may lack a header.
bool has_separate_end(std::string_view header, const std::string& name) {
  if (!header.starts_with("#version:"))
    return true;
  const std::string_view version = header.substr(header.find_last_of(' ') + 1);
  if (version == "0.1" || version == "0.2")
    return version == "0.1";
  throw FormatError(fmt::format("{}: codes of version {}", name, version),
                    "Versions 0.1 and 0.2 of subword-nmt are known.");
}

struct MergeLine {
  std::string left;
  std::string right;
  bool has_count = false;  ///< only in files of fastBPE
};

std::optional<MergeLine> parse_merge(std::string_view line, bool may_have_count) {
  const auto parts = split_text(strip_ends(line), " ");
  const bool has_count = may_have_count && parts.size() == 3 && is_count(parts[2]);
  if ((parts.size() != 2 && !has_count) || parts[0].empty() || parts[1].empty() ||
      find_text_fault(line, ControlBytes::kAllow))
    return std::nullopt;
  return MergeLine{std::string(parts[0]), std::string(parts[1]), has_count};
}

/// Merges the symbol at each of the `places` with the next one, and returns all symbols. If two
/// merges overlap (x x x), only the first one is applied.
std::vector<std::string> merged_at(const std::vector<size_t>& places,
                                   const std::vector<std::string>& symbols) {
  std::vector<std::string> merged;
  size_t next = 0;
  for (const size_t place : places) {
    if (place < next)
      continue;
    merged.insert(merged.end(),
                  symbols.begin() + static_cast<int64_t>(next),
                  symbols.begin() + static_cast<int64_t>(place));
    merged.push_back(symbols[place] + symbols[place + 1]);
    next = place + 2;
  }
  merged.insert(merged.end(), symbols.begin() + static_cast<int64_t>(next), symbols.end());
  return merged;
}

void remove_end(std::vector<std::string>& symbols) {
  std::string& last = symbols.back();
  if (last == kEnd) {
    symbols.pop_back();
  } else if (last.ends_with(kEnd)) {
    last.resize(last.size() - std::string_view(kEnd).size());
  }
}

}  // namespace

std::vector<std::string_view> split_blanks(std::string_view line) {
  return filled_parts(strip_ends(line), " ");
}

BpeCodes::BpeCodes(const std::string& text, const std::string& name)
    : cache_(std::make_unique<WordCache>(kCachedWords)) {
  std::string_view rest = without_byte_order_mark(text);
  rest = rest.substr(0, rest.find_last_not_of('\n') + 1);
  auto lines = split_text(rest, "\n");
  const std::string_view header = strip_ends(lines.front());
  separate_end_ = has_separate_end(header, name);
  const size_t first = header.starts_with("#version:") ? 1 : 0;
  std::vector<Pair> pairs;
  bool counts = first < lines.size();  // true for files of fastBPE
  for (size_t i = first; i < lines.size(); ++i) {
    const auto merge = parse_merge(lines[i], first == 0);
    if (!merge)
      throw bad_line(name, i + 1, lines[i]);
    counts = counts && merge->has_count;
    pairs.emplace_back(merge->left, merge->right);
  }
  if (counts)
    separate_end_ = false;
  for (size_t rank = 0; rank < pairs.size(); ++rank)
    merges_.emplace(pairs[rank], static_cast<int64_t>(rank));
  std::set<Pair> seen;
  for (auto pair = pairs.rbegin(); pair != pairs.rend(); ++pair) {
    if (seen.insert(*pair).second)
      halves_[pair->first + pair->second] = *pair;
  }
}

BpeCodes::~BpeCodes() = default;

void BpeCodes::restrict_to(const std::string& text, int64_t threshold, const std::string& name) {
  size_t number = 0;
  for (const std::string_view line : split_text(without_byte_order_mark(text), "\n")) {
    ++number;
    if (strip_ends(line).empty())
      continue;
    const auto parts = split_text(strip_ends(line), " ");
    if (parts.size() != 2 || !is_count(parts[1])) {
      throw FormatError(fmt::format("{}:{}: '{}' is not a symbol and a count", name, number, line),
                        "Give a file that `subword-nmt get-vocab` wrote.");
    }
    if (number_in<int64_t>(parts[1]).value_or(0) >= threshold)
      vocabulary_.emplace(parts[0]);
  }
  if (vocabulary_.empty())
    throw FormatError(fmt::format("{}: no symbol has a count of at least {}", name, threshold));
  is_restricted_ = true;
}

/// The positions of the pair with the lowest rank, in ascending order. `keeps` is called for each
/// pair, and excludes it by returning false.
template <class Keeps>
std::vector<size_t> BpeCodes::next_merge(const std::vector<std::string>& symbols,
                                         Keeps keeps) const {
  auto best = merges_.end();
  std::vector<size_t> places;
  for (size_t i = 0; i + 1 < symbols.size(); ++i) {
    if (!keeps())
      continue;
    const auto found = merges_.find(PairView(symbols[i], symbols[i + 1]));
    if (found == merges_.end())
      continue;
    if (best == merges_.end() || found->second < best->second) {
      best = found;
      places.clear();
    }
    if (found == best)
      places.push_back(i);
  }
  return places;
}

void BpeCodes::append_end(std::vector<std::string>& symbols) const {
  if (separate_end_) {
    symbols.emplace_back(kEnd);
  } else {
    symbols.back() += kEnd;
  }
}

/// Merges all occurrences of the pair with the lowest rank, then of the next one, until no pair
/// that `keeps` admits has a rank.
template <class Keeps>
std::vector<std::string> BpeCodes::merge(std::string_view word, Keeps keeps) const {
  std::vector<std::string> symbols = utf8_characters(word);
  if (symbols.size() <= 1)
    return symbols;
  append_end(symbols);
  while (symbols.size() > 1) {
    const std::vector<size_t> places = next_merge(symbols, keeps);
    if (places.empty())
      break;
    symbols = merged_at(places, symbols);
  }
  remove_end(symbols);
  return symbols;
}

bool BpeCodes::in_vocabulary(const std::string& symbol, bool final) const {
  return vocabulary_.count(final ? symbol : symbol + kSeparator) > 0;
}

/// Undoes the merges of a symbol until its parts are in the vocabulary or cannot be split.
void BpeCodes::split_unknown(const std::string& symbol,
                             bool final,
                             std::vector<std::string>& to) const {
  const auto halves = halves_.find(final ? symbol + kEnd : symbol);
  // If a merge within the end mark were undone, nothing would be split off, and the recursion would
  // not end.
  if (halves == halves_.end() || (final && !halves->second.second.ends_with(kEnd))) {
    to.push_back(symbol);
    return;
  }
  auto [left, right] = halves->second;
  if (final)
    right.resize(right.size() - std::string_view(kEnd).size());
  if (in_vocabulary(left, /*final=*/false)) {
    to.push_back(left);
  } else {
    split_unknown(left, /*final=*/false, to);
  }
  if (in_vocabulary(right, final)) {
    to.push_back(right);
  } else {
    split_unknown(right, final, to);
  }
}

/// Splits unknown symbols and adds the separators. A word of one character stays, as in
/// subword-nmt, even if codes of version 0.1 have merged it with the end of a word.
std::vector<std::string> BpeCodes::finished(std::vector<std::string> symbols) const {
  const bool is_character = symbols.size() == 1 && utf8_characters(symbols.front()).size() == 1;
  if (is_restricted_ && !is_character) {
    std::vector<std::string> known;
    for (size_t i = 0; i < symbols.size(); ++i) {
      const bool final = i + 1 == symbols.size();
      if (in_vocabulary(symbols[i], final)) {
        known.push_back(symbols[i]);
      } else {
        split_unknown(symbols[i], final, known);
      }
    }
    symbols = std::move(known);
  }
  for (size_t i = 0; i + 1 < symbols.size(); ++i) symbols[i] += kSeparator;
  return symbols;
}

std::vector<std::string> BpeCodes::encode(std::string_view word) const {
  std::vector<std::string> symbols;
  cache_->append(word, symbols, [this](std::string_view unknown, std::vector<std::string>& made) {
    made = finished(merge(unknown, [] { return true; }));
  });
  return symbols;
}

std::vector<std::string> BpeCodes::sample(std::string_view word,
                                          double dropout,
                                          uint64_t seed) const {
  Random random(seed);
  return finished(merge(word, [&] { return random.uniform() >= dropout; }));
}

}  // namespace phraseq
