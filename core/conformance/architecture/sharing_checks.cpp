#include "core/conformance/architecture/sharing_checks.h"

#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/tensor.h>
#include <fmt/format.h>

#include "core/conformance/fixtures/changed_options.h"
#include "core/conformance/fixtures/interruptions.h"
#include "core/conformance/fixtures/long_examples.h"
#include "core/conformance/fixtures/small_model.h"
#include "core/conformance/fixtures/trial_device.h"
#include "core/text/dictionary.h"

namespace phraseq::conformance {
namespace {

constexpr int kRounds = 5;
constexpr int64_t kThreads = 3;
constexpr int64_t kSteps = 5;

using Results = std::vector<at::Tensor>;

/// The logits of a pass.
Results results_of_pass(const SmallModel& model, const std::vector<Example>& examples) {
  const at::NoGradGuard no_gradients;
  return {model.logits(examples)};
}

/// The scores of some steps of a session whose rows change places.
Results results_of_session(const SmallModel& model,
                           const std::vector<Example>& examples,
                           int64_t steps) {
  const at::NoGradGuard no_gradients;
  Results results;
  std::vector<Example> sources = examples;
  for (Example& example : sources) example.target.clear();
  nn::Context context = model.context();
  const auto session = model.model().start_decoding(model.batch(sources), {6, 1, true}, context);
  std::vector<int64_t> rows, tokens;
  for (size_t i = 0; i < examples.size(); ++i) {
    rows.insert(rows.begin(), static_cast<int64_t>(i));
    tokens.push_back(model.model().conventions().start_token());
  }
  for (int64_t step = 0; step < steps; ++step) {
    if (step > 0)
      session->chosen(tokens);
    const StepOutput output = session->step(at::tensor(tokens, at::kLong).to(trial_device()));
    results.push_back(output.scores.clone());
    session->select(rows);
    for (size_t i = 0; i < tokens.size(); ++i) tokens[i] = 4 + (step + static_cast<int64_t>(i)) % 8;
  }
  return results;
}

/// What a model computes: a pass and a session.
Results results_of(const SmallModel& model, const std::vector<Example>& examples) {
  Results results = results_of_pass(model, examples);
  for (at::Tensor& scores : results_of_session(model, examples, kSteps))
    results.push_back(std::move(scores));
  return results;
}

bool same_bits(const Results& a, const Results& b) {
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

/// What thread number `thread` gives the model: sentences of other lengths than the other threads.
std::vector<Example> input_of_thread(const SmallModel& model, int64_t thread) {
  std::vector<Example> examples = long_examples(model.model(), thread);
  examples.erase(examples.begin() + thread);
  return examples;
}

/// The results of several threads that use the model at the same time, or what one of them threw.
std::vector<Results> from_threads(const SmallModel& model,
                                  const std::vector<std::vector<Example>>& inputs) {
  std::vector<std::future<Results>> running;
  for (const auto& input : inputs) {
    running.push_back(std::async(std::launch::async, [&] {
      at::set_num_threads(1);
      return results_of(model, input);
    }));
  }
  std::vector<Results> results;
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

Findings failed_in_threads(const std::string& thrown) {
  return {
      fmt::format("threads that use one model at the same time fail ({}): {}", thrown, kOwnMemory)};
}

Findings differs_in_threads() {
  return {fmt::format(
      "threads that use one model at the same time get other results than one alone: {}",
      kOwnMemory)};
}

/// One round: a new model that several threads use at once, then one alone.
Findings disturbed_by_threads(const Registry& registry, const Selection& selection) {
  const auto model = disturbed_model(registry, selection, 5);
  std::vector<std::vector<Example>> inputs;
  for (int64_t thread = 0; thread < kThreads; ++thread)
    inputs.push_back(input_of_thread(*model, thread));
  std::vector<Results> found;
  try {
    found = from_threads(*model, inputs);
  } catch (...) {
    const std::string thrown = text_of(std::current_exception());
    from_threads(*model, {inputs.front()});  // what is wrong with one thread, too, passes
    return failed_in_threads(thrown);
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!same_bits(found[i], from_threads(*model, {inputs[i]}).front()))
      return differs_in_threads();
  }
  return {};
}

/// What the two threads of an interruption compute.
using Compute = std::function<Results(const std::vector<Example>&)>;

/// Interrupts the computation before each of its operators by that of another input.
Findings disturbed_by_interruptions_of(const Compute& compute) {
  const std::vector<Example> toy = toy_examples();
  const std::vector<Example> own = {toy[0], toy[1]}, others = {toy[2]};
  const Results expected = compute(own), expected_of_others = compute(others);
  bool others_agree = true;
  try {
    Interruptions interruptions(
        [&] { others_agree = same_bits(compute(others), expected_of_others) && others_agree; });
    const Results found = compute(own);
    interruptions.finish();
    if (same_bits(found, expected) && others_agree)
      return {};
  } catch (...) {
    return failed_in_threads(text_of(std::current_exception()));
  }
  return differs_in_threads();
}

/// On a thread of its own, as OpenMP's settings are those of a thread.
Findings disturbed_by_interruptions(const Registry& registry, const Selection& selection) {
  const auto run = [&] {
    at::set_num_threads(1);
    const auto model = disturbed_model(registry, selection, 5);
    Findings findings = disturbed_by_interruptions_of(
        [&](const auto& examples) { return results_of_pass(*model, examples); });
    if (!findings.empty())
      return findings;
    return disturbed_by_interruptions_of(
        [&](const auto& examples) { return results_of_session(*model, examples, 1); });
  };
  return std::async(std::launch::async, run).get();
}

Findings undisturbed_by_threads(const Registry& registry, const Selection& selection) {
  Findings findings = disturbed_by_interruptions(registry, selection);
  for (int round = 0; round < kRounds && findings.empty(); ++round)
    findings = disturbed_by_threads(registry, selection);
  return findings;
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
  OptionTable table = described(model->translation_model().architecture_selection);
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
  const auto check = check_maker(registry, selection);
  return {check("threads can use one model at the same time", undisturbed_by_threads),
          check("two models do not disturb each other", undisturbed_by_a_second_model),
          check("a model does not refer to its options", independent_of_options)};
}

}  // namespace phraseq::conformance
