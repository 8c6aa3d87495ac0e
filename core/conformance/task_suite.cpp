#include "core/conformance/task_suite.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/conformance/fixtures/threads_agree.h"
#include "core/data/named_task.h"
#include "core/data/task.h"
#include "core/data/text/id_sequence.h"

namespace phraseq::conformance {
namespace {

constexpr int64_t kMaxSentences = 5;  // of one batch

/// A task over the data, with the first sentences of its split.
struct OpenedTask {
  OpenedTask(const Registry& registry, const Selection& selection, const TrialData& data) {
    TaskSetup setup;
    setup.registry = &registry;
    setup.data = data.folder;
    try {
      task = create<Task>(selection, setup);
    } catch (const Error& failure) {
      throw NotApplicable(
          fmt::format("it cannot be created from {} ({}): give data that it can read with --data "
                      "FOLDER, or options with --set NAME=VALUE",
                      data.folder,
                      failure.message()));
    }
    if (!task->has_split(data.split))
      throw NotApplicable(fmt::format("it finds no split '{}' in {}", data.split, data.folder));
    open_corpus(data);
    for (int64_t i = 0; i < std::min(kMaxSentences, corpus->size()); ++i)
      examples.push_back(corpus->get(i));
    for (const Example& example : examples)
      texts.push_back(task->text(example.source, PairSide::kSource));
  }

  /// A task may need more than the generated data, which are those with a known size.
  void open_corpus(const TrialData& data) {
    try {
      corpus = task->open(data.split, /*training=*/false);
    } catch (const Error& failure) {
      if (data.pairs == 0)
        throw;
      throw Error(failure.exit_code(),
                  failure.message(),
                  "If it needs more than the generated text, give data with --data FOLDER.");
    }
  }

  std::unique_ptr<Task> task;
  std::unique_ptr<Corpus> corpus;
  std::vector<Example> examples;
  std::vector<std::string> texts;  ///< their sources
};

Findings sentences(const OpenedTask& opened) {
  Findings findings;
  const Task& task = *opened.task;
  if (opened.examples.empty())
    return {"the split is empty"};
  const bool ended = opened.corpus->empty_lengths().source > 0;
  for (const Example& example : opened.examples) {
    const auto note = [&](const char* side, const std::string& fault) {
      if (!fault.empty())
        findings.push_back(fmt::format("sentence {}, {}: {}", example.id + 1, side, fault));
    };
    note("source", fault_of_ids(example.source, task.source_dictionary().size(), ended));
    note("target", fault_of_ids(example.target, task.target_dictionary().size(), ended));
  }
  const ArchitectureSetup setup = task.architecture_setup();
  if (setup.source_vocabulary != task.source_dictionary().size() ||
      setup.target_vocabulary != task.target_dictionary().size()) {
    findings.push_back(
        fmt::format("architecture_setup() gives {} and {} words, the dictionaries have {} and {}",
                    setup.source_vocabulary,
                    setup.target_vocabulary,
                    task.source_dictionary().size(),
                    task.target_dictionary().size()));
  }
  return findings;
}

Findings batches(const OpenedTask& opened) {
  Findings findings;
  const Batch batch = opened.task->collate(opened.examples);
  const auto count = static_cast<int64_t>(opened.examples.size());
  const std::string fault = fault_of_batch(batch, opened.examples.size(), *opened.task);
  if (!fault.empty())
    return {fault};
  if (!batch.has_target())
    return {"a batch of the split has no targets"};
  for (int64_t i = 0; i < count; ++i) {
    const Example& example = opened.examples[static_cast<size_t>(i)];
    if (batch.sentence_ids[static_cast<size_t>(i)] != example.id)
      findings.push_back(fmt::format("sentence_ids[{}] is {}, but the id of the example is {}",
                                     i,
                                     batch.sentence_ids[static_cast<size_t>(i)],
                                     example.id));
    if (batch.source.length(i) < static_cast<int64_t>(example.source.size()))
      findings.push_back(fmt::format(
          "source {} lost words: {} of {}", i, batch.source.length(i), example.source.size()));
  }
  return findings;
}

Findings text_comes_back(const OpenedTask& opened) {
  Findings findings;
  for (const std::string& text : opened.texts) {
    const Example again = opened.task->encode(text, text);
    if (const std::string read = opened.task->text(again.source, PairSide::kSource); read != text)
      findings.push_back(fmt::format("'{}' is decoded to '{}' after encoding", text, read));
  }
  const Example empty = opened.task->encode("");
  if (empty.source.empty() || empty.source.back() != kEos)
    findings.emplace_back("the encoding of an empty line does not end in </s>");
  return findings;
}

Findings state_makes_it_again(const OpenedTask& opened,
                              const Registry& registry,
                              const Selection& selection) {
  const TaskState state = opened.task->save();
  TaskSetup setup;
  setup.registry = &registry;
  setup.state = &state;
  const auto again = create<Task>(selection, setup);
  const auto words = [](const Task& task) {
    return std::make_pair(task.source_dictionary().size(), task.target_dictionary().size());
  };
  if (words(*again) != words(*opened.task))
    return {
        "a task restored from save() has different dictionaries: a checkpoint stores nothing else"};
  if (again->source_language() != opened.task->source_language() ||
      again->target_language() != opened.task->target_language())
    return {"a task restored from save() has different languages"};
  for (const std::string& text : opened.texts) {
    if (again->encode(text).source != opened.task->encode(text).source)
      return {fmt::format("a task restored from save() encodes '{}' differently", text)};
  }
  return {};
}

Findings collated_from_threads(const OpenedTask& opened) {
  constexpr int kRounds = 100;
  const auto source_ids = [&](size_t first) {
    std::vector<Example> examples = opened.examples;
    std::rotate(examples.begin(), examples.begin() + static_cast<int64_t>(first), examples.end());
    const at::Tensor ids = opened.task->collate(examples).source.ids.contiguous();
    return std::vector<int64_t>(ids.data_ptr<int64_t>(), ids.data_ptr<int64_t>() + ids.numel());
  };
  if (threads_agree(opened.examples.size(), kRounds, source_ids))
    return {};
  return {
      "threads that collate different batches concurrently get different results than a single "
      "thread: collate() may not write to members"};
}

}  // namespace

std::vector<Check> task_suite(const Registry& registry,
                              const Selection& selection,
                              const TrialData& data) {
  const auto check = [&](const char* title, auto&& run) {
    return Check{title, [&, run] { return run(OpenedTask(registry, selection, data)); }};
  };
  return {check("sentences have valid ids and end with </s>", sentences),
          check("a batch contains every sentence", batches),
          check("encoding and decoding preserves text, also an empty line", text_comes_back),
          check("the task can be restored from the state in a checkpoint",
                [&](const OpenedTask& opened) {
                  return state_makes_it_again(opened, registry, selection);
                }),
          check("threads can collate concurrently", collated_from_threads)};
}

}  // namespace phraseq::conformance
