#pragma once

#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/checkpoint/safetensors/tensor_view.h"
#include "core/text/dictionary.h"
#include "core/text/languages/language_pairs.h"

namespace phraseq {

/// Another toolkit's model in phraseq's terms: the parts of a checkpoint of an architecture and a
/// task, which are `transformer` and `translation` unless they are set. Tensors are views into
/// `files`, `owned` or both.
struct PHRASEQ_API ImportedModel {
  std::string architecture = "transformer";
  nlohmann::json options;  ///< of the architecture
  std::string task = "translation";
  nlohmann::json task_options = nlohmann::json::object();
  std::map<std::string, std::string> texts;
  std::vector<TensorView> tensors;
  nlohmann::json origin;  ///< toolkit and files, for the checkpoint's record
  std::vector<std::shared_ptr<const void>> files;
  std::deque<std::string> owned;

  /// The languages and dictionaries, as the task stores them. Throws UsageError if a language of
  /// a translation model is empty: the model does not record it, and the user has not given it.
  void set_vocabularies(const std::string& source_language,
                        const Dictionary& source,
                        const std::string& target_language,
                        const Dictionary& target);
  /// Name of the tokenizer component, values of its options by name, and the files of its models,
  /// empty if it needs none; the target's model is left out if it is the same as the source's.
  /// Throws FormatError for a file that should be a SentencePiece model and is not one.
  void set_tokenizer(const std::string& name,
                     const nlohmann::json& tokenizer_options = nlohmann::json::object(),
                     const std::string& source_path = {},
                     const std::string& target_path = {});
  void set_sentencepiece(const std::string& source_path, const std::string& target_path);
  /// This subword model for both sides or, if the path is empty, words between spaces.
  void set_sentencepiece_or_words(const std::string& path);
  /// The parameters that the options expect, out of weights under fairseq's names (see
  /// weights_from_fairseq). `path` is used in messages.
  void add_parameters(std::span<const TensorView> weights,
                      const std::string& path,
                      const Dictionary& source,
                      const Dictionary& target);
  /// The parameter that is added to the scores of the target's symbols.
  void add_output_bias(const std::vector<double>& bias);
  /// A tensor whose bytes the model keeps.
  void add_tensor(const std::string& name,
                  DType dtype,
                  std::vector<int64_t> shape,
                  std::string bytes);

  /// What the task `translation_multi_simple_epoch` stores in addition. Call it after setting the
  /// vocabularies and the tokenizer. All languages have the tokenizer of the source.
  void set_languages(const std::vector<LanguagePair>& pairs,
                     const std::vector<std::string>& languages);

  bool joined() const { return texts.contains("joined_dictionary"); }
  /// Writes the checkpoint: all of it, or nothing.
  void write(const std::string& path) const;

 private:
  void add_blob(const std::string& name, std::string bytes);
};

/// Throws UsageError if one of the two is neither empty nor one of the model's languages.
PHRASEQ_API void check_languages(const std::vector<std::string>& languages,
                                 const std::string& source,
                                 const std::string& target);

}  // namespace phraseq
