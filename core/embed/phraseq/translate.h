#pragma once

/// The C++ interface for programs that translate: load a model, translate texts.
///
///     find_package(phraseq REQUIRED)
///     target_link_libraries(program PRIVATE phraseq::translate)
///
/// Includes only the standard library. docs/guide/embedding.md describes lifetimes, threads and
/// errors.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#define PHRASEQ_EXPORT __attribute__((visibility("default")))

namespace phraseq::api {

/// When the lines of a text are split into sentences. A line that is not split is one sentence.
enum class Split {
  kLong,    ///< lines that are longer than the model accepts
  kAlways,  ///< all lines
  kNever,   ///< none: a line that is longer than the model accepts is an error
};

/// How texts are translated, and what is returned.
struct TranslateOptions {
  int64_t nbest = 1;       ///< hypotheses of each sentence, at most Model::max_nbest()
  bool alignment = false;  ///< fill Hypothesis::alignment
  Split split = Split::kLong;
  /// One for each text, or none: the beginning of the translation of the text's first sentence.
  std::vector<std::string> prefixes = {};
};

/// A translation of a sentence.
struct Hypothesis {
  std::string text;
  double score = 0;            ///< ranks; natural logarithm, after the length penalty
  double log_probability = 0;  ///< natural logarithm
  std::vector<std::string> tokens = {};
  /// For each token, the pair of the index in Sentence::source_tokens with the largest attention
  /// weight and its own index in `tokens`.
  std::vector<std::pair<int64_t, int64_t>> alignment = {};
};

/// A sentence of a text, and its translations.
struct Sentence {
  std::string source;
  std::vector<std::string> source_tokens = {};
  std::vector<Hypothesis> hypotheses = {};  ///< at least one, best first
};

/// A translated text: its sentences, and what is before, between and after them (line breaks, empty
/// lines): sentences.size() + 1 gaps.
struct PHRASEQ_EXPORT Translation {
  std::vector<Sentence> sentences;
  std::vector<std::string> gaps;

  /// The text composed of the sentences' hypotheses of this rank (0 = the best). A sentence with
  /// fewer hypotheses uses its last.
  std::string text(size_t rank = 0) const;
};

/// The exit codes of the commands.
enum class ErrorCode {
  kInternal = 1,
  kUsage = 2,       ///< an option of Model::Model
  kData = 3,        ///< a text, or one of TranslateOptions
  kFormat = 4,      ///< a checkpoint is damaged or of the wrong kind
  kPlugin = 5,      ///< a plugin is missing or failed
  kIo = 6,          ///< the operating system reported an error
  kDivergence = 7,  ///< a number is not finite
};

/// Everything that this interface throws, except std::bad_alloc.
class PHRASEQ_EXPORT Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

/// A loaded model, or an ensemble. All const functions may be called by several threads at a time:
/// texts that wait at the same time are translated in one batch.
class PHRASEQ_EXPORT Model {
 public:
  /// Loads a checkpoint; several, separated by colons, form an ensemble. `options` are those of
  /// `phraseq generate` for model, machine, search and batches, such as {"--beam", "4"}.
  explicit Model(const std::string& path, const std::vector<std::string>& options = {});
  /// No call of `translate` may be running.
  ~Model();
  /// The model that was moved from can then only be destroyed or assigned to.
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;

  /// Returns the translations in the order of the texts; they belong to the caller. Throws Error
  /// with kData for a text that is not valid UTF-8, contains control characters or is too long, and
  /// for options out of range.
  std::vector<Translation> translate(const std::vector<std::string>& texts,
                                     const TranslateOptions& options = {}) const;
  /// The best translation.
  std::string translate(const std::string& text) const;

  const std::string& source_language() const;
  const std::string& target_language() const;
  int64_t max_source_tokens() const;  ///< of a sentence
  int64_t max_nbest() const;          ///< the largest number that a request may ask for

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// The version of the library, "0.2.0".
PHRASEQ_EXPORT std::string version();

}  // namespace phraseq::api
