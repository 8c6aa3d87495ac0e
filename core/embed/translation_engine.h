#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/data/example.h"
#include "core/embed/phraseq/translate.h"

namespace phraseq {

/// A sentence on its way through an engine.
struct EngineSentence {
  std::string source;
  Example example;  ///< with a target: the forced prefix, without </s>
  int64_t nbest = 1;
};

/// The engine of `phraseq generate`, for sentences in memory. Only one thread may call it.
class PHRASEQ_API TranslationEngine {
 public:
  virtual ~TranslationEngine() = default;

  virtual const std::string& path() const = 0;
  virtual const std::string& source_language() const = 0;
  virtual const std::string& target_language() const = 0;
  /// False for a language model, which continues its texts.
  virtual bool translates() const { return true; }
  virtual int64_t max_source_tokens() const = 0;  ///< tokens, including </s>
  virtual int64_t max_nbest() const = 0;
  /// Source tokens that keep all workers busy for one call.
  virtual int64_t round_tokens() const = 0;

  /// Sets up the thread that will call the following.
  virtual void prepare_thread() const = 0;
  /// `id` is the number of the sentence in its request; it seeds sampling. Throws DataError for a
  /// prefix with words that the model does not know.
  virtual Example encode(const std::string& sentence,
                         const std::string& prefix,
                         int64_t id) const = 0;
  /// Translates in the order of the sentences, of which either all or none have a prefix.
  virtual std::vector<api::Sentence> translate(std::vector<EngineSentence> sentences,
                                               bool alignment) = 0;
};

}  // namespace phraseq
