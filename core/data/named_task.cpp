#include "core/data/named_task.h"

#include <utility>

#include "core/plugin/component_call.h"

namespace phraseq {
namespace {

class NamedCorpus final : public Corpus {
 public:
  NamedCorpus(const Component& component, std::unique_ptr<Corpus> corpus)
      : component_(component), corpus_(std::move(corpus)) {}

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

}  // namespace

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
  return call_component(
      component_, "collate", [&] { return task_->collate(examples, conventions); });
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

std::string NamedTask::symbols(std::span<const int64_t> ids, bool target_side) const {
  return call_component(component_, "symbols", [&] { return task_->symbols(ids, target_side); });
}

std::string NamedTask::text(std::span<const int64_t> ids, bool target_side) const {
  return call_component(component_, "text", [&] { return task_->text(ids, target_side); });
}

TaskState NamedTask::save() const {
  return call_component(component_, "save", [&] { return task_->save(); });
}

const Task& plugin_task_of(const Task& task) {
  const auto* const named = dynamic_cast<const NamedTask*>(&task);
  return named == nullptr ? task : *named->task_;
}

}  // namespace phraseq
