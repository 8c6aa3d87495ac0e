#include "core/convert/marian/marian_vocabulary.h"

#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text_fields.h"
#include "core/io/json_reader.h"
#include "core/io/mapping/mapped_file.h"
#include "core/io/yaml/yaml_reader.h"
#include "core/text/sentencepiece/sentencepiece_tokenizer.h"

namespace phraseq {
namespace {

/// The symbols by id, and which of them end a sentence and stand for unknown words.
struct MarianSymbols {
  std::vector<std::string> symbols;
  int64_t eos = -1;
  int64_t unk = -1;
};

MarianSymbols from_sentencepiece(const std::string& path) {
  auto vocabulary = SentencePieceTokenizer(read_file(path), path).vocabulary();
  return {std::move(vocabulary.pieces), vocabulary.eos, vocabulary.unk};
}

/// Nematus' vocabularies call the first two "eos" and "UNK", or leave them out.
int64_t row_of_special(const std::vector<std::string>& symbols,
                       std::string_view symbol,
                       std::string_view old_symbol,
                       size_t old_row) {
  if (old_row < symbols.size() && (symbols[old_row].empty() || symbols[old_row] == old_symbol))
    return static_cast<int64_t>(old_row);
  return row_of_symbol(symbols, symbol);
}

MarianSymbols from_mapping(const std::string& path) {
  const auto mapping = parse_yaml(read_file(path), path);
  const auto members = JsonEntry(mapping, path).members();
  const auto largest = static_cast<int64_t>(members.size()) + 1;  // 0 and 1 may be absent
  MarianSymbols made;
  for (const auto& [symbol, entry] : members) {
    const auto id = static_cast<size_t>(entry.whole_number(0, largest));
    if (id >= made.symbols.size())
      made.symbols.resize(id + 1);
    if (!made.symbols[id].empty())
      throw FormatError(fmt::format("{}: two symbols have the id {}", path, id));
    made.symbols[id] = symbol;
  }
  made.eos = row_of_special(made.symbols, "</s>", "eos", 0);
  made.unk = row_of_special(made.symbols, "<unk>", "UNK", 1);
  return made;
}

MarianSymbols from_lines(const std::string& path) {
  const std::string text = read_file(path);
  MarianSymbols made;
  for (const std::string_view line : split_text(text, "\n")) made.symbols.emplace_back(line);
  if (!made.symbols.empty() && made.symbols.back().empty())
    made.symbols.pop_back();
  made.eos = row_of_symbol(made.symbols, "</s>");
  made.unk = row_of_symbol(made.symbols, "<unk>");
  return made;
}

MarianSymbols read_symbols(const std::string& path) {
  const auto ends = [&](std::string_view ending) { return path.ends_with(ending); };
  if (is_marian_sentencepiece(path))
    return from_sentencepiece(path);
  if (ends(".fsv"))
    throw UsageError(fmt::format("{}: factored vocabularies are not supported", path));
  return ends(".yml") || ends(".yaml") || ends(".json") ? from_mapping(path) : from_lines(path);
}

/// Marian leaves out the symbols beyond a model's rows.
void cut_symbols(MarianSymbols& found, int64_t rows, const std::string& path) {
  if (static_cast<int64_t>(found.symbols.size()) < rows) {
    throw FormatError(
        fmt::format("{}: {} symbols, but the model has {}", path, found.symbols.size(), rows));
  }
  found.symbols.resize(static_cast<size_t>(rows));
  const auto is_row = [&](int64_t row) { return row >= 0 && row < rows; };
  if (!is_row(found.eos) || !is_row(found.unk) || found.eos == found.unk)
    throw FormatError(fmt::format("{}: there is no symbol </s> or no symbol <unk>", path));
}

/// A gap in the ids; the special symbols may lack a name.
void check_gaps(const MarianSymbols& found, const std::string& path) {
  for (size_t row = 0; row < found.symbols.size(); ++row) {
    const auto id = static_cast<int64_t>(row);
    if (found.symbols[row].empty() && id != found.eos && id != found.unk)
      throw FormatError(fmt::format("{}: no symbol has the id {}", path, row));
  }
}

}  // namespace

bool is_marian_sentencepiece(const std::string& path) { return path.ends_with(".spm"); }

ForeignVocabulary read_marian_vocabulary(const std::string& path, int64_t rows) {
  MarianSymbols found = read_symbols(path);
  cut_symbols(found, rows, path);
  check_gaps(found, path);
  if (row_of_symbol(found.symbols, "<s>") >= 0) {
    throw FormatError(
        fmt::format("{}: the vocabulary has a symbol <s>, which phraseq needs for the zero vector "
                    "that Marian starts with",
                    path));
  }
  return order_symbols(
      found.symbols, {-1, row_of_symbol(found.symbols, "<pad>"), found.eos, found.unk}, path);
}

}  // namespace phraseq
