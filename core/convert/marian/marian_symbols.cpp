#include "core/convert/marian/marian_symbols.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/io/yaml/yaml_reader.h"
#include "core/text/sentencepiece/sentencepiece_tokenizer.h"

namespace phraseq {
namespace {

/// The symbol that a piece represents, -1 if there is none.
int64_t id_of_piece(const Dictionary& dictionary,
                    const SentencePieceVocabulary& vocabulary,
                    int64_t row) {
  if (row == vocabulary.eos)
    return kEos;
  if (row == vocabulary.unk)
    return kUnk;
  const std::string& piece = vocabulary.pieces[static_cast<size_t>(row)];
  const bool known =
      piece == "<pad>" || (dictionary.contains(piece) && dictionary.id(piece) > kUnk);
  return known ? dictionary.id(piece) : -1;
}

}  // namespace

std::vector<int64_t> marian_symbol_order(const Dictionary& dictionary, bool with_pad) {
  std::vector<int64_t> order = {kEos, kUnk};
  for (int64_t id = kUnk + 1; id < dictionary.size(); ++id) order.push_back(id);
  if (with_pad)
    order.push_back(kPad);
  return order;
}

std::optional<std::vector<int64_t>> piece_order(const Dictionary& dictionary,
                                                const std::string& sentencepiece,
                                                bool with_pad) {
  if (sentencepiece.empty())
    return std::nullopt;
  const auto vocabulary = SentencePieceTokenizer(sentencepiece, "the subword model").vocabulary();
  std::vector<int64_t> order;
  for (size_t row = 0; row < vocabulary.pieces.size(); ++row)
    order.push_back(id_of_piece(dictionary, vocabulary, static_cast<int64_t>(row)));
  auto found = order, wanted = marian_symbol_order(dictionary, with_pad);
  std::ranges::sort(found);
  std::ranges::sort(wanted);
  return found == wanted ? std::optional(order) : std::nullopt;
}

std::string marian_vocabulary_yml(const Dictionary& dictionary, const std::vector<int64_t>& order) {
  std::string text;
  for (size_t row = 0; row < order.size(); ++row)
    text += fmt::format("{}: {}\n", quoted_yaml(dictionary.symbol(order[row])), row);
  return text;
}

}  // namespace phraseq
