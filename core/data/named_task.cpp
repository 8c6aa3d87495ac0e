#include "core/data/named_task.h"

#include <utility>

#include <fmt/format.h>

#include "core/plugin/component_call.h"

namespace phraseq {
namespace {

class NamedCorpus final : public Corpus {
 public:
  NamedCorpus(const Component& component, std::unique_ptr<Corpus> corpus)
      : component_(component),
        corpus_(require_result(component, "open", std::move(corpus), "corpus")) {}

  int64_t size() const override {
    return call_component(component_, "size", [&] { return corpus_->size(); });
  }
  int64_t source_length(int64_t index) const override {
    return call_component(
        component_, "source_length", [&] { return corpus_->source_length(index); });
  }
  int64_t mean_epoch_size() const override { return corpus_->mean_epoch_size(); }
  int64_t target_length(int64_t index) const override {
    return call_component(
        component_, "target_length", [&] { return corpus_->target_length(index); });
  }
  Example get(int64_t index) const override {
    return call_component(component_, "get", [&] { return corpus_->get(index); });
  }
  EmptyLengths empty_lengths() const override { return corpus_->empty_lengths(); }
  std::vector<CorpusPart> parts() const override { return corpus_->parts(); }
  void start_epoch(int64_t epoch) override {
    call_component(component_, "start_epoch", [&] { corpus_->start_epoch(epoch); });
  }
  std::string fingerprint() const override {
    return call_component(component_, "fingerprint", [&] { return corpus_->fingerprint(); });
  }

 private:
  const Component& component_;
  std::unique_ptr<Corpus> corpus_;
};

std::string fault_of_ids(const char* name, const at::Tensor& ids, int64_t words) {
  if (!ids.defined() || ids.numel() == 0)
    return {};
  const auto smallest = ids.min().item<int64_t>(), largest = ids.max().item<int64_t>();
  if (smallest >= 0 && largest < words)
    return {};
  return fmt::format(
      "{} has ids from {} to {}, but the dictionary has {} words", name, smallest, largest, words);
}

std::string fault_of_tokens(const char* name, const PackedTokens& tokens, int64_t words) {
  const int64_t ids = tokens.ids.defined() ? tokens.ids.numel() : 0;
  if (ids != tokens.tokens())
    return fmt::format("{} has {} ids, but its offsets end at {}", name, ids, tokens.tokens());
  return fault_of_ids(name, tokens.ids, words);
}

}  // namespace

std::string fault_of_batch(const Batch& batch, size_t examples, const Task& task) {
  const auto count = static_cast<int64_t>(examples);
  if (batch.sentences() != count || batch.sentence_ids.size() != examples)
    return fmt::format("a batch of {} examples has {} sources and {} sentence_ids",
                       examples,
                       batch.sentences(),
                       batch.sentence_ids.size());
  const int64_t targets = task.target_dictionary().size();
  std::string fault = fault_of_tokens("source", batch.source, task.source_dictionary().size());
  if (!fault.empty() || !batch.has_target())
    return fault;
  if (batch.target_in.sentences() != count || batch.target_out.numel() != batch.target_in.tokens())
    return "target_out does not have one id for each id of target_in";
  fault = fault_of_tokens("target_in", batch.target_in, targets);
  return fault.empty() ? fault_of_ids("target_out", batch.target_out, targets) : fault;
}

NamedTask::NamedTask(const Selection& selection, const TaskSetup& setup)
    : component_(*selection.component), task_(create<Task>(selection, setup)) {}

const Dictionary& NamedTask::source_dictionary() const { return task_->source_dictionary(); }
const Dictionary& NamedTask::target_dictionary() const { return task_->target_dictionary(); }
const std::string& NamedTask::source_language() const { return task_->source_language(); }
const std::string& NamedTask::target_language() const { return task_->target_language(); }

ArchitectureSetup NamedTask::architecture_setup() const {
  return call_component(
      component_, "architecture_setup", [&] { return task_->architecture_setup(); });
}

bool NamedTask::has_split(const std::string& split) const {
  return call_component(component_, "has_split", [&] { return task_->has_split(split); });
}

std::unique_ptr<Corpus> NamedTask::open(const std::string& split,
                                        bool training,
                                        const SequenceConventions& conventions) const {
  return std::make_unique<NamedCorpus>(component_, call_component(component_, "open", [&] {
                                         return task_->open(split, training, conventions);
                                       }));
}

Batch NamedTask::collate(const std::vector<Example>& examples,
                         const SequenceConventions& conventions) const {
  Batch batch =
      call_component(component_, "collate", [&] { return task_->collate(examples, conventions); });
  if (const std::string fault = fault_of_batch(batch, examples.size(), *this); !fault.empty())
    throw component_failure(component_, "collate", fault);
  return batch;
}

Example NamedTask::encode(const std::string& source,
                          const std::optional<std::string>& target) const {
  return call_component(component_, "encode", [&] { return task_->encode(source, target); });
}

std::vector<int64_t> NamedTask::encode_tree(const std::string& source,
                                            const std::string& tree,
                                            const TextPlace& place) const {
  return call_component(
      component_, "encode_tree", [&] { return task_->encode_tree(source, tree, place); });
}

std::string NamedTask::symbols(std::span<const int64_t> ids, PairSide side) const {
  return call_component(component_, "symbols", [&] { return task_->symbols(ids, side); });
}

std::string NamedTask::text(std::span<const int64_t> ids, PairSide side) const {
  return call_component(component_, "text", [&] { return task_->text(ids, side); });
}

TaskState NamedTask::save() const {
  return call_component(component_, "save", [&] { return task_->save(); });
}

const Task& plugin_task_of(const Task& task) {
  const auto* const named = dynamic_cast<const NamedTask*>(&task);
  return named == nullptr ? task : *named->task_;
}

}  // namespace phraseq
