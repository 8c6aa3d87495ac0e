#include "core/text/dictionary.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <unordered_set>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/io/atomic_file.h"
#include "core/io/crc32c.h"
#include "core/io/mapping/mapped_file.h"
#include "core/io/utf8.h"
#include "core/text/finalized_dictionary.h"
#include "core/text/unicode.h"

namespace phraseq {
namespace {

constexpr std::array<std::string_view, 4> kSpecials = {"<s>", "<pad>", "</s>", "<unk>"};
constexpr auto kSpecialCount = static_cast<int64_t>(kSpecials.size());
constexpr std::string_view kOverwrite = "#fairseq:overwrite";
constexpr const char* kFormatHint =
    "Each line must be: symbol, one space, count (docs/formats/dictionary.md).";

struct Entry {
  std::string_view symbol;
  int64_t count = 0;
  bool overwrite = false;
};

/// Removes the text after the last space, and the space; returns that text, or nothing if there is
/// no space.
std::optional<std::string_view> cut_last_field(std::string_view& line) {
  const size_t space = line.rfind(' ');
  if (space == std::string_view::npos)
    return std::nullopt;
  const std::string_view field = line.substr(space + 1);
  line = line.substr(0, space);
  return field;
}

int64_t parse_count(std::string_view text, const TextPlace& place) {
  int64_t count = 0;
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (problem == std::errc::result_out_of_range) {
    throw DataError(place, fmt::format("the count {} does not fit in 64 bits", text), kFormatHint);
  }
  if (problem != std::errc() || stop != text.data() + text.size() || count < 0) {
    throw DataError(place, fmt::format("'{}' is not a count", text), kFormatHint);
  }
  return count;
}

Entry parse_entry(std::string_view line, const TextPlace& place) {
  if (const auto fault = find_text_fault(line, ControlBytes::kAllow)) {
    throw DataError({place.file, place.line, static_cast<int64_t>(fault->offset) + 1},
                    fault_text(line, *fault));
  }
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) {
    line.remove_suffix(1);
  }
  Entry entry;
  auto field = cut_last_field(line);
  if (field == kOverwrite) {
    entry.overwrite = true;
    field = cut_last_field(line);
  }
  if (!field && line.find('\t') != std::string_view::npos)
    throw DataError(place, "a TAB instead of a space before the count", kFormatHint);
  if (!field)
    throw DataError(place, fmt::format("no count after the symbol '{}'", line), kFormatHint);
  if (line.empty())
    throw DataError(place, "no symbol before the count", kFormatHint);
  entry.symbol = line;
  entry.count = parse_count(*field, place);
  return entry;
}

/// Whether the symbol of the first line is a special symbol as Marian's YAML writes it: `"</s>":
/// 0`.
bool is_of_marian(std::string_view symbol) {
  if (!symbol.ends_with(':'))
    return false;
  symbol.remove_suffix(1);
  if (symbol.size() >= 2 && symbol.front() == '"' && symbol.back() == '"')
    symbol = symbol.substr(1, symbol.size() - 2);
  return std::find(kSpecials.begin(), kSpecials.end(), symbol) != kSpecials.end();
}

[[noreturn]] void reject_marian(const TextPlace& place) {
  throw DataError(place,
                  "this is a vocabulary of Marian (YAML), not a dictionary",
                  "Make a dictionary from the training text with phraseq preprocess. phraseq "
                  "import reads Marian's models with their vocabularies.");
}

/// Rejects a line with a symbol that already has an id.
[[noreturn]] void reject_second(std::string_view symbol, int64_t id, const TextPlace& place) {
  throw DataError(
      place,
      fmt::format("the symbol '{}' already has the id {}", symbol, id),
      fmt::format("Remove the line, or append ' {}' to it to give the symbol this new id.",
                  kOverwrite));
}

}  // namespace

Dictionary::Dictionary() {
  for (const std::string_view special : kSpecials) add(special, 0);
}

Dictionary Dictionary::load(const std::string& path) { return parse(read_file(path), path); }

Dictionary Dictionary::parse(std::string_view text, const std::string& name) {
  Dictionary dictionary;
  TextPlace place{name};
  text = without_byte_order_mark(text);
  while (!text.empty()) {
    ++place.line;
    const size_t end = std::min(text.find('\n'), text.size());
    const Entry entry = parse_entry(text.substr(0, end), place);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (place.line == 1 && is_of_marian(entry.symbol))
      reject_marian(place);
    if (dictionary.contains(entry.symbol) && !entry.overwrite)
      reject_second(entry.symbol, dictionary.id(entry.symbol), place);
    dictionary.ids_.insert_or_assign(std::string(entry.symbol), dictionary.size());
    dictionary.symbols_.emplace_back(entry.symbol);
    dictionary.counts_.push_back(entry.count);
  }
  return dictionary;
}

std::string Dictionary::to_text() const {
  std::string text;
  if (size() > kSpecialCount && symbol(kSpecialCount).starts_with(kByteOrderMark))
    text = kByteOrderMark;  // parse() removes one
  std::unordered_set<std::string_view> seen(kSpecials.begin(), kSpecials.end());
  for (int64_t id = kSpecialCount; id < size(); ++id) {
    const bool again = !seen.insert(symbol(id)).second;
    text += fmt::format(
        "{} {}{}{}\n", symbol(id), count(id), again ? " " : "", again ? kOverwrite : "");
  }
  return text;
}

void Dictionary::save(const std::string& path) const { write_file(path, to_text()); }

const std::string& Dictionary::symbol(int64_t id) const {
  if (id < 0 || id >= size()) {
    throw DataError(fmt::format("id {} is outside the dictionary of {} symbols", id, size()));
  }
  return symbols_[static_cast<size_t>(id)];
}

int64_t Dictionary::count(int64_t id) const {
  symbol(id);
  return counts_[static_cast<size_t>(id)];
}

int64_t Dictionary::id(std::string_view symbol) const {
  const auto found = ids_.find(symbol);
  return found == ids_.end() ? kUnk : found->second;
}

bool Dictionary::contains(std::string_view symbol) const { return ids_.find(symbol) != ids_.end(); }

void Dictionary::add(std::string_view symbol, int64_t occurrences) {
  const auto found = ids_.find(symbol);
  if (found != ids_.end()) {
    counts_[static_cast<size_t>(found->second)] += occurrences;
    return;
  }
  ids_.emplace(symbol, size());
  symbols_.emplace_back(symbol);
  counts_.push_back(occurrences);
}

void Dictionary::finalize(int64_t threshold, int64_t max_symbols, int64_t padding_factor) {
  *this = finalized(*this, threshold, max_symbols, padding_factor);
}

std::vector<int64_t> Dictionary::encode(std::string_view tokens, bool append_eos) const {
  std::vector<int64_t> ids;
  for (const std::string_view token : split_whitespace(tokens)) ids.push_back(id(token));
  if (append_eos)
    ids.push_back(kEos);
  return ids;
}

std::string Dictionary::decode(std::span<const int64_t> ids) const {
  std::string text;
  for (const int64_t id : ids) {
    if (id == kBos || id == kPad || id == kEos)
      continue;
    if (!text.empty())
      text += ' ';
    text += symbol(id);
  }
  return text;
}

uint32_t Dictionary::fingerprint() const {
  const std::string text = to_text();
  return crc32c(std::as_bytes(std::span(text)));
}

}  // namespace phraseq
