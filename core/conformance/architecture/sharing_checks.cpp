#include "core/conformance/architecture/sharing_checks.h"

#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/tensor.h>
#include <fmt/format.h>

#include "core/conformance/fixtures/changed_options.h"
#include "core/conformance/fixtures/lock_step.h"
#include "core/conformance/fixtures/long_examples.h"
#include "core/conformance/fixtures/small_model.h"
#include "core/text/dictionary.h"

namespace phraseq::conformance {
namespace {

constexpr int kRoundsInStep = 3;
constexpr int kFreeRounds = 5;
constexpr int64_t kThreads = 3;

/// What a model computes: the logits of a pass, and the scores of some steps of a session whose
/// rows change places.
std::vector<at::Tensor> results_of(const SmallModel& model, const std::vector<Example>& examples) {
  const at::NoGradGuard no_gradients;
  std::vector<at::Tensor> results = {model.logits(examples)};
  std::vector<Example> sources = examples;
  for (Example& example : sources) example.target.clear();
  nn::Context context = model.context();
  const auto session = model.model().start_decoding(model.batch(sources), {6, 1, true}, context);
  std::vector<int64_t> rows, tokens;
  for (size_t i = 0; i < examples.size(); ++i) {
    rows.insert(rows.begin(), static_cast<int64_t>(i));
    tokens.push_back(model.model().conventions().start_with_bos ? kBos : kEos);
  }
  for (int64_t step = 0; step < 5; ++step) {
    if (step > 0)
      session->chosen(tokens);
    const StepOutput output = session->step(at::tensor(tokens, at::kLong));
    results.push_back(output.scores.clone());
    session->select(rows);
    for (size_t i = 0; i < tokens.size(); ++i) tokens[i] = 4 + (step + static_cast<int64_t>(i)) % 8;
  }
  return results;
}

bool same_bits(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  if (a.size() != b.size())
    return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!at::equal(a[i], b[i]))
      return false;
  }
  return true;
}

std::unique_ptr<SmallModel> disturbed_model(const Registry& registry,
                                            const Selection& selection,
                                            uint64_t seed) {
  auto model = std::make_unique<SmallModel>(registry, selection, nn::Precision::kFp32, seed);
  model->disturb();
  return model;
}

/// What thread number `thread` gives the model: in step, as many words as the others; otherwise
/// sentences of other lengths.
std::vector<Example> input_of_thread(const SmallModel& model, int64_t thread, bool in_step) {
  if (in_step)
    return long_examples(model.model(), thread);
  std::vector<Example> examples = long_examples(model.model(), thread);
  examples.erase(examples.begin() + thread);
  return examples;
}

/// The results of several threads that use the model at the same time, or what one of them threw.
std::vector<std::vector<at::Tensor>> from_threads(const SmallModel& model,
                                                  const std::vector<std::vector<Example>>& inputs,
                                                  bool in_step) {
  LockStep step(static_cast<int>(inputs.size()));
  std::vector<std::future<std::vector<at::Tensor>>> running;
  for (const auto& input : inputs) {
    running.push_back(std::async(std::launch::async, [&] {
      at::set_num_threads(1);
      std::optional<InLockStep> together;
      if (in_step)
        together.emplace(step);
      return results_of(model, input);
    }));
  }
  std::vector<std::vector<at::Tensor>> results;
  std::exception_ptr failure;
  for (auto& thread : running) {
    try {
      results.push_back(thread.get());
    } catch (...) {
      failure = std::current_exception();
    }
  }
  if (failure)
    std::rethrow_exception(failure);
  return results;
}

std::string text_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& known) {
    return known.what();
  } catch (...) {
    return "an exception that does not derive from std::exception";
  }
}

constexpr const char* kOwnMemory =
    "a pass may not write to members of the model (scratch memory, caches): use local variables in "
    "`forward` and the session in `step`";

/// One round: a new model that several threads use at once, then one alone.
Findings disturbance(const Registry& registry, const Selection& selection, bool in_step) {
  const auto model = disturbed_model(registry, selection, 5);
  std::vector<std::vector<Example>> inputs;
  for (int64_t thread = 0; thread < kThreads; ++thread)
    inputs.push_back(input_of_thread(*model, thread, in_step));
  std::vector<std::vector<at::Tensor>> found;
  try {
    found = from_threads(*model, inputs, in_step);
  } catch (...) {
    const std::string thrown = text_of(std::current_exception());
    from_threads(*model, {inputs.front()}, false);  // what is wrong with one thread, too, passes
    return {fmt::format(
        "threads that use one model at the same time fail ({}): {}", thrown, kOwnMemory)};
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!same_bits(found[i], from_threads(*model, {inputs[i]}, false).front()))
      return {fmt::format(
          "threads that use one model at the same time get other results than one alone: {}",
          kOwnMemory)};
  }
  return {};
}

Findings undisturbed_by_threads(const Registry& registry, const Selection& selection) {
  for (int round = 0; round < kRoundsInStep + kFreeRounds; ++round) {
    Findings findings = disturbance(registry, selection, round < kRoundsInStep);
    if (!findings.empty())
      return findings;
  }
  return {};
}

Findings undisturbed_by_a_second_model(const Registry& registry, const Selection& selection) {
  const auto first = disturbed_model(registry, selection, 5);
  const auto before = results_of(*first, toy_examples());
  const auto second = disturbed_model(registry, selection, 6);
  results_of(*second, toy_examples());
  second->training_loss(toy_examples()).backward();
  if (same_bits(results_of(*first, toy_examples()), before))
    return {};
  return {
      "a model computes other results after a second model of the same architecture was made and "
      "used: do they share a static variable, or a module or tensor?"};
}

Findings independent_of_options(const Registry& registry, const Selection& selection) {
  const auto model = disturbed_model(registry, selection, 5);
  const auto before = results_of(*model, toy_examples());
  OptionTable table;
  model->translator().architecture_selection.options->describe(table);
  change_all(table);
  const char* const remedy =
      "the model refers to its options after construction: store a copy, because the object that "
      "the constructor gets may not exist any longer";
  try {
    if (same_bits(results_of(*model, toy_examples()), before))
      return {};
  } catch (const std::exception& failure) {
    return {fmt::format("{} ({})", remedy, failure.what())};
  }
  return {remedy};
}

}  // namespace

std::vector<Check> sharing_checks(const Registry& registry, const Selection& selection) {
  const auto check = [&](const char* title, auto&& run) {
    return Check{title, [&registry, &selection, run] { return run(registry, selection); }};
  };
  return {check("threads can use one model at the same time", undisturbed_by_threads),
          check("two models do not disturb each other", undisturbed_by_a_second_model),
          check("a model does not refer to its options", independent_of_options)};
}

}  // namespace phraseq::conformance
