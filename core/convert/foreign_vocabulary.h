#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/checkpoint/safetensors/tensor_view.h"
#include "core/convert/imported_model.h"
#include "core/text/dictionary.h"

namespace phraseq {

/// A vocabulary of another toolkit, converted to phraseq's form.
struct PHRASEQ_API ForeignVocabulary {
  Dictionary dictionary;
  std::vector<int64_t> rows;  ///< by phraseq's id: the row in the model; -1 = it has no such symbol
  int64_t known = 0;          ///< rows of the model

  bool lacks_symbols() const;
  /// Symbols such as >>fra<< select a target language; they begin a source (OPUS-MT). If there are
  /// any, the model's SentencePiece tokenizer keeps them.
  void keep_language_tokens(ImportedModel& model) const;
};

/// The score of a symbol that the model does not have: the softmax gives it a probability of zero.
inline constexpr double kNeverProduced = -1e9;

/// The symbols of a model by row, put into phraseq's order: `specials` are the rows of <s>, <pad>,
/// </s> and <unk>, -1 for one that is absent; the others follow in the order of their rows. Throws
/// a FormatError that begins with `path` for symbols that cannot be in a dictionary.
PHRASEQ_API ForeignVocabulary order_symbols(const std::vector<std::string>& symbols,
                                            const std::array<int64_t, 4>& specials,
                                            const std::string& path);

/// An array with one row for each symbol in phraseq's order, whose bytes `owner` keeps; a symbol
/// that the model lacks has zeros. Throws a FormatError that begins with `path` if the number of
/// rows is wrong.
PHRASEQ_API TensorView reorder_rows(ImportedModel& owner,
                                    const TensorView& tensor,
                                    const ForeignVocabulary& vocabulary,
                                    const std::string& path);

/// The same for the matrices of `weights` that belong to a vocabulary, under phraseq's names; any
/// of them may be missing.
PHRASEQ_API void reorder_matrices(ImportedModel& owner,
                                  std::vector<TensorView>& weights,
                                  const ForeignVocabulary& source,
                                  const ForeignVocabulary& target,
                                  const std::string& path);

/// What is added to the scores of the symbols, in phraseq's order: the values of `given`, which is
/// in the model's order, or zeros, and kNeverProduced for symbols that the model lacks. Throws
/// FormatError if the number of values is wrong.
PHRASEQ_API std::vector<double> reorder_bias(const std::vector<double>& given,
                                             const ForeignVocabulary& vocabulary,
                                             const std::string& path);

/// The index of a symbol in the list; -1 = it is not there.
PHRASEQ_API int64_t row_of_symbol(const std::vector<std::string>& symbols, std::string_view symbol);

}  // namespace phraseq
