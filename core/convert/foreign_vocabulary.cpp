#include "core/convert/foreign_vocabulary.h"

#include <algorithm>
#include <span>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/wording/message_text.h"
#include "core/convert/named_tensors.h"
#include "core/io/utf8.h"

namespace phraseq {
namespace {

void check_symbol(const std::string& symbol, const std::string& path) {
  if (symbol.empty() || symbol.find('\n') != std::string::npos) {
    throw FormatError(
        fmt::format("{}: '{}' cannot be a symbol of a dictionary", path, excerpt(symbol)));
  }
}

/// `known`: the symbols before.
void check_is_new(const std::string& symbol,
                  std::unordered_set<std::string>& known,
                  const std::string& path) {
  if (!known.insert(symbol).second)
    throw FormatError(fmt::format("{}: there are two symbols '{}'", path, excerpt(symbol)));
}

}  // namespace

bool ForeignVocabulary::lacks_symbols() const { return std::ranges::count(rows, -1) > 0; }

void ForeignVocabulary::keep_language_tokens(ImportedModel& model) const {
  if (model.texts.at("tokenizer") != "sentencepiece")
    return;
  for (int64_t id = kUnk + 1; id < dictionary.size(); ++id) {
    const std::string& symbol = dictionary.symbol(id);
    if (symbol.starts_with(">>") && symbol.ends_with("<<"))
      model.texts["tokenizer_options"] = R"({"language_token":true})";
  }
}

ForeignVocabulary order_symbols(const std::vector<std::string>& symbols,
                                const std::array<int64_t, 4>& specials,
                                const std::string& path) {
  ForeignVocabulary made;
  made.known = static_cast<int64_t>(symbols.size());
  made.rows.assign(specials.begin(), specials.end());
  std::unordered_set<std::string> known = {"<s>", "<pad>", "</s>", "<unk>"};
  std::string text(kByteOrderMark);  // else that of the first symbol would be removed
  for (int64_t row = 0; row < made.known; ++row) {
    if (std::ranges::find(specials, row) != specials.end())
      continue;
    const std::string& symbol = symbols[static_cast<size_t>(row)];
    check_symbol(symbol, path);
    check_is_new(symbol, known, path);
    text += symbol + " 1\n";
    made.rows.push_back(row);
  }
  made.dictionary = Dictionary::parse(text, path);
  return made;
}

TensorView reorder_rows(ImportedModel& owner,
                        const TensorView& tensor,
                        const ForeignVocabulary& vocabulary,
                        const std::string& path) {
  if (tensor.shape.empty() || tensor.shape[0] != vocabulary.known || vocabulary.known == 0) {
    throw FormatError(fmt::format("{}: {} does not have one row for each of the {} symbols",
                                  path,
                                  tensor.name,
                                  vocabulary.known));
  }
  const size_t row_bytes = tensor.bytes.size() / static_cast<size_t>(vocabulary.known);
  std::string bytes;
  bytes.reserve(row_bytes * vocabulary.rows.size());
  for (const int64_t row : vocabulary.rows) {
    if (row < 0) {
      bytes.append(row_bytes, '\0');
      continue;
    }
    const auto from = tensor.bytes.subspan(static_cast<size_t>(row) * row_bytes, row_bytes);
    bytes.append(reinterpret_cast<const char*>(from.data()), from.size());
  }
  TensorView made = tensor;
  made.shape[0] = static_cast<int64_t>(vocabulary.rows.size());
  made.bytes = std::as_bytes(std::span(owner.owned.emplace_back(std::move(bytes))));
  return made;
}

void reorder_matrices(ImportedModel& owner,
                      std::vector<TensorView>& weights,
                      const ForeignVocabulary& source,
                      const ForeignVocabulary& target,
                      const std::string& path) {
  for (const auto& [name, vocabulary] : {std::pair("encoder.embed_tokens.weight", &source),
                                         {"decoder.embed_tokens.weight", &target},
                                         {"decoder.output_projection.weight", &target}}) {
    if (TensorView* found = find_tensor(weights, name))
      *found = reorder_rows(owner, *found, *vocabulary, path);
  }
}

std::vector<double> reorder_bias(const std::vector<double>& given,
                                 const ForeignVocabulary& vocabulary,
                                 const std::string& path) {
  if (!given.empty() && static_cast<int64_t>(given.size()) != vocabulary.known) {
    throw FormatError(
        fmt::format("{}: the bias of the output has {} values, not one for each of {} symbols",
                    path,
                    given.size(),
                    vocabulary.known));
  }
  std::vector<double> bias;
  for (const int64_t row : vocabulary.rows) {
    const double value = given.empty() || row < 0 ? 0.0 : given[static_cast<size_t>(row)];
    bias.push_back(row < 0 ? kNeverProduced : value);
  }
  return bias;
}

int64_t row_of_symbol(const std::vector<std::string>& symbols, std::string_view symbol) {
  const auto found = std::ranges::find(symbols, symbol);
  return found == symbols.end() ? -1 : found - symbols.begin();
}

}  // namespace phraseq
