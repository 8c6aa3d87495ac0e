#include "tasks/translation_with_phrase_memory/phrase_memory_task.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/data/collate.h"
#include "core/data/phrase_case.h"
#include "core/data/phrases/example_phrases.h"
#include "core/data/phrases/phrase_extras.h"
#include "tasks/translation_with_phrase_memory/memory_choice.h"

namespace phraseq {

void PhraseMemoryTaskOptions::describe(OptionTable& table) {
  TranslationOptions::describe(table);
  memory.describe_table(table);
  memory.describe_selection(table);
  table.field("pn-lowercase",
              pn_lowercase,
              "Ignore case when phrases are compared with the text; the output has the case of the "
              "table. Not needed with a tokenizer that lowercases both.");
}

TranslationWithPhraseMemory::TranslationWithPhraseMemory(const PhraseMemoryTaskOptions& options,
                                                         const TaskSetup& setup)
    : TranslationWithPhraseMemory(options, setup, choose_memory(options, setup)) {}

TranslationWithPhraseMemory::TranslationWithPhraseMemory(const PhraseMemoryTaskOptions& options,
                                                         const TaskSetup& setup,
                                                         StoredMemory memory)
    : TranslationTask(options,
                      setup,
                      PhraseSource{[this](const auto& source, const auto& target) {
                                     return find_phrases(source, target);
                                   },
                                   memory.fingerprint()}),
      stored_(std::move(memory)),
      memory_(stored_.open()) {
  if (setup.state == nullptr || !setup.phrase_table.empty())
    warn_of_other_case(memory_.table(), target_dictionary());
  if (vocabularies().tokenizer != "word") {
    throw UsageError(
        fmt::format("task translation_with_phrase_memory: phrases consist of words, but the "
                    "tokenizer '{}' produces other units",
                    vocabularies().tokenizer),
        "Preprocess without subwords; the phrase memory handles words outside the vocabulary.");
  }
}

ArchitectureSetup TranslationWithPhraseMemory::architecture_setup() const {
  ArchitectureSetup setup = TranslationTask::architecture_setup();
  setup.extras[kPhraseSlots] = stored_.settings.pn_slots;
  return setup;
}

Batch TranslationWithPhraseMemory::collate(const std::vector<Example>& examples,
                                           const SequenceConventions& conventions) const {
  const auto slots = static_cast<size_t>(stored_.settings.pn_slots);
  for (const Example& example : examples) {
    if (example.phrases.size() > slots) {
      throw DataError(
          fmt::format("sentence {} has {} phrases, the memory of the model has {} slots",
                      example.id + 1,
                      example.phrases.size(),
                      slots),
          fmt::format("Preprocess the data with --pn-slots {}.", slots));
    }
  }
  SequenceConventions plain = conventions;
  plain.extend = {};
  Batch batch = collate_pairs(examples, plain);
  add_phrases(examples, batch);
  if (conventions.extend)
    conventions.extend(examples, batch);
  return batch;
}

Example TranslationWithPhraseMemory::encode(const std::string& source,
                                            const std::optional<std::string>& target) const {
  Example example = TranslationTask::encode(source, target);
  example.phrases = find_phrases(source, target);
  return example;
}

nlohmann::json TranslationWithPhraseMemory::options_from_data() const {
  nlohmann::json options = TranslationTask::options_from_data();
  options.update(stored_.record());
  options.erase("lowercase");
  options["pn_lowercase"] = stored_.lowercase;
  return options;
}

std::vector<ExamplePhrase> TranslationWithPhraseMemory::find_phrases(
    const std::string& source, const std::optional<std::string>& target) const {
  const SentencePhrases found = memory_.read(memory_.words(source));
  const auto spans = target ? found.spans_in(memory_.words(*target)) : std::vector<TargetSpan>();
  return example_phrases(found, spans, [this](const std::vector<std::string>& words) {
    std::vector<int64_t> ids;
    for (const std::string& word : words)
      ids.push_back(std::max(target_dictionary().id(word), kUnk));
    return ids;
  });
}

TaskState TranslationWithPhraseMemory::save() const {
  TaskState state = TranslationTask::save();
  add_memory(state, stored_);
  return state;
}

}  // namespace phraseq
