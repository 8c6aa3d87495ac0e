#include "core/score/mbr/nbest_list.h"

#include <map>
#include <numbers>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text_fields.h"
#include "core/io/line_reader.h"

namespace phraseq::score {

namespace {

struct Entry {
  int64_t id = 0;
  double score = 0;
  std::string text;
};

/// "D-17<tab>-0.3<tab>text"; nothing for a line of another kind.
std::optional<Entry> fairseq_entry(std::string_view line) {
  const auto fields = split_text(line, "\t");
  if (fields.size() < 3)
    return std::nullopt;
  const auto id = number_in<int64_t>(fields[0].substr(2));
  const auto score = finite_number_in(fields[1]);
  if (!id || !score)
    return std::nullopt;
  const size_t text = fields[0].size() + fields[1].size() + 2;
  return Entry{*id, *score * std::numbers::ln2, std::string(line.substr(text))};
}

std::optional<Entry> moses_entry(std::string_view line) {
  const auto fields = split_text(line, " ||| ");
  if (fields.size() < 2)
    return std::nullopt;
  const auto id = number_in<int64_t>(fields.front());
  if (!id)
    return std::nullopt;
  const auto score = fields.size() < 3 ? 0.0 : finite_number_in(fields.back());
  if (!score)
    return std::nullopt;
  return Entry{*id, *score, std::string(fields[1])};
}

using Lists = std::map<int64_t, NBestList>;

void add(Lists& lists, Entry entry) {
  NBestList& list = lists[entry.id];
  list.texts.push_back(std::move(entry.text));
  list.scores.push_back(entry.score);
}

std::vector<NBestList> in_order(Lists lists, const std::string& file) {
  std::vector<NBestList> ordered;
  for (auto& [id, list] : lists) {
    if (id != static_cast<int64_t>(ordered.size())) {
      throw DataError(
          {file, 0, 0},
          fmt::format("sentence {} has no hypotheses, but sentence {} has", ordered.size(), id),
          "ids must be 0, 1, 2 … without a gap");
    }
    ordered.push_back(std::move(list));
  }
  return ordered;
}

/// D- lines where there are any, else H- lines.
std::vector<NBestList> read_fairseq(LineReader& reader) {
  Lists texts, symbols;
  std::string line;
  while (reader.next(line)) {
    if (!line.starts_with("D-") && !line.starts_with("H-"))
      continue;
    auto entry = fairseq_entry(line);
    if (!entry) {
      throw DataError({reader.path(), reader.line_number(), 0},
                      fmt::format("expected {}ID<TAB>score<TAB>text, the score a finite number",
                                  line.substr(0, 2)),
                      "give the output of `phraseq generate --format fairseq --nbest N`");
    }
    add(line.front() == 'D' ? texts : symbols, std::move(*entry));
  }
  if (texts.empty() && symbols.empty() && reader.line_number() > 0) {
    throw DataError({reader.path(), 0, 0},
                    "there are no hypotheses: no line begins with D- or H-",
                    "give the output of `phraseq generate --format fairseq --nbest N`, or select "
                    "another --format");
  }
  return in_order(texts.empty() ? std::move(symbols) : std::move(texts), reader.path());
}

std::vector<NBestList> read_moses(LineReader& reader) {
  Lists lists;
  std::string line;
  while (reader.next(line)) {
    auto entry = moses_entry(line);
    if (!entry) {
      throw DataError(
          {reader.path(), reader.line_number(), 0},
          "expected ID ||| text, or ID ||| text ||| features ||| score, the score a finite "
          "number",
          "select another --format");
    }
    add(lists, std::move(*entry));
  }
  return in_order(std::move(lists), reader.path());
}

std::vector<NBestList> read_plain(LineReader& reader, int64_t size) {
  std::vector<NBestList> lists;
  std::string line;
  while (reader.next(line)) {
    if (lists.empty() || static_cast<int64_t>(lists.back().texts.size()) == size)
      lists.emplace_back();
    lists.back().texts.push_back(line);
  }
  if (!lists.empty() && static_cast<int64_t>(lists.back().texts.size()) != size) {
    throw DataError(
        {reader.path(), reader.line_number(), 0},
        fmt::format("the last sentence has {} hypotheses, not {}", lists.back().texts.size(), size),
        "--nbest must be the number of lines of each sentence");
  }
  return lists;
}

}  // namespace

std::vector<NBestList> read_nbest_lists(const std::string& path, NBestFormat format, int64_t size) {
  LineReader reader(path);
  switch (format) {
    case NBestFormat::kFairseq:
      return read_fairseq(reader);
    case NBestFormat::kMoses:
      return read_moses(reader);
    case NBestFormat::kPlain:
      break;
  }
  return read_plain(reader, size);
}

}  // namespace phraseq::score
