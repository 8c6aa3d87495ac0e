#include "core/conformance/toy_task.h"

#include <fmt/format.h>

#include "core/data/collate.h"
#include "core/data/phrase_extras.h"

namespace phraseq::conformance {
namespace {

Dictionary dictionary_of(int64_t words) {
  Dictionary dictionary;
  for (int64_t word = 0; word < words; ++word) dictionary.add(fmt::format("w{}", word));
  return dictionary;
}

}  // namespace

void ToyTaskOptions::describe(OptionTable& table) {
  table.field("source-words", source_words, "Words of the source's vocabulary.").at_least(1);
  table.field("target-words", target_words, "Words of the target's vocabulary.").at_least(1);
}

ToyTask::ToyTask(const ToyTaskOptions& options, const TaskSetup& setup)
    : source_(dictionary_of(options.source_words)),
      target_(dictionary_of(options.target_words)),
      conventions_(setup.conventions) {}

ArchitectureSetup ToyTask::architecture_setup() const {
  return {source_.size(), target_.size(), source_ == target_, {{"phrase_slots", 2}}};
}

void ToyTask::set_conventions(const SequenceConventions& conventions) {
  conventions_ = conventions;
}

bool ToyTask::has_split(const std::string& /*split*/) const { return false; }

std::unique_ptr<Corpus> ToyTask::open(const std::string& split, bool /*training*/) const {
  throw UsageError(fmt::format("the toy task has no split '{}'", split));
}

Batch ToyTask::collate(const std::vector<Example>& examples) const {
  Batch batch = collate_pairs(examples, conventions_);
  add_phrases(examples, batch);  // none, for architectures that ask for them
  return batch;
}

Example ToyTask::encode(const std::string& source, const std::optional<std::string>& target) const {
  Example example{0, source_.encode(source), {}, {}};
  if (target)
    example.target = target_.encode(*target);
  return example;
}

std::string ToyTask::symbols(std::span<const int64_t> ids, bool target_side) const {
  return (target_side ? target_ : source_).decode(ids);
}

std::string ToyTask::text(std::span<const int64_t> ids, bool target_side) const {
  return symbols(ids, target_side);
}

void add_toy_task(Registry& registry) {
  registry.add<Task, ToyTask, ToyTaskOptions>(kToyTask, "Made-up words, for checks");
}

}  // namespace phraseq::conformance
