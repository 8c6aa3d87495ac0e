#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/data/translation_task.h"
#include "core/phrase_memory/phrase_memory.h"
#include "core/phrase_memory/phrase_memory_options.h"
#include "core/phrase_memory/stored_memory.h"

namespace phraseq {

/// The options of the task `translation`, and where the phrases come from.
struct PhraseMemoryTaskOptions final : TranslationOptions {
  PhraseMemoryOptions memory;
  bool pn_lowercase = false;

  void describe(OptionTable& table) override;
};

/// Translation of sentences with a phrase memory (Tang et al. 2016, sec. 3): examples contain the
/// slots of their source, and batches have them as extras (core/data/phrases/phrase_extras.h).
///
/// The memory comes from the checkpoint, otherwise from the data folder if preprocess wrote phrases
/// into it, otherwise from the options, in which case the data are raw text. Its text and settings
/// are part of the checkpoint. Phrases match words, so the tokenizer must be `word`.
class TranslationWithPhraseMemory final : public TranslationTask {
 public:
  /// Throws UsageError if there is no memory, or if options contradict the data folder's.
  TranslationWithPhraseMemory(const PhraseMemoryTaskOptions& options, const TaskSetup& setup);

  /// Adds kPhraseSlots.
  ArchitectureSetup architecture_setup() const override;
  /// Throws DataError for a sentence with more phrases than that.
  Batch collate(const std::vector<Example>& examples,
                const SequenceConventions& conventions = {}) const override;
  Example encode(const std::string& source,
                 const std::optional<std::string>& target) const override;
  TaskState save() const override;
  /// Includes the memory's settings.
  nlohmann::json options_from_data() const override;

 private:
  TranslationWithPhraseMemory(const PhraseMemoryTaskOptions& options,
                              const TaskSetup& setup,
                              StoredMemory memory);
  std::vector<ExamplePhrase> find_phrases(const std::string& source,
                                          const std::optional<std::string>& target) const;

  StoredMemory stored_;
  PhraseMemory memory_;
};

}  // namespace phraseq
