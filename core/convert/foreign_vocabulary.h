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

/// A vocabulary of another toolkit as one of ours.
struct PHRASEQ_API ForeignVocabulary {
  Dictionary dictionary;
  std::vector<int64_t> rows;  ///< by our id: the row in the model; -1 = it has no such symbol
  int64_t known = 0;          ///< rows of the model

  bool lacks_symbols() const;
  /// Symbols such as >>fra<< select a target language; they begin a source (OPUS-MT).
  bool has_language_tokens() const;
};

/// What scores a symbol that the model does not have: the softmax gives it a probability of zero.
inline constexpr double kNeverProduced = -1e9;

/// The symbols of a model by row, put into our order: `specials` are the rows of <s>, <pad>, </s>
/// and <unk>, -1 for one that is absent; the others follow in the order of their rows. Throws
/// FormatError, beginning with `path`, for symbols that cannot be in a dictionary.
PHRASEQ_API ForeignVocabulary order_symbols(const std::vector<std::string>& symbols,
                                            const std::array<int64_t, 4>& specials,
                                            const std::string& path);

/// An array with one row for each symbol in our order, its bytes kept by `owner`; a symbol that
/// the model lacks has zeros. Throws FormatError, beginning with `path`, for another number of
/// rows.
PHRASEQ_API TensorView reorder_rows(ImportedModel& owner,
                                    const TensorView& tensor,
                                    const ForeignVocabulary& vocabulary,
                                    const std::string& path);

/// What is added to the scores of the symbols, in our order: `given`, in the model's, or zeros, and
/// kNeverProduced for those that it lacks. Throws FormatError for another number of values.
PHRASEQ_API std::vector<double> reorder_bias(const std::vector<double>& given,
                                             const ForeignVocabulary& vocabulary,
                                             const std::string& path);

/// Where a symbol is in the list, -1 = nowhere.
PHRASEQ_API int64_t row_of_symbol(const std::vector<std::string>& symbols, std::string_view symbol);

}  // namespace phraseq
