#include "core/translate/self_test/self_test.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/checkpoint/checkpoint_format.h"
#include "core/criterion/token_loss.h"
#include "core/io/json_reader.h"

namespace phraseq {
namespace {

constexpr int64_t kTokens = 6;  // in addition to </s>
constexpr int64_t kFirstWord = kUnk + 1;
constexpr double kAbsoluteTolerance = 0.01;
constexpr double kRelativeTolerance = 0.002;
constexpr const char* kHint =
    "This installation computes different results from the one that wrote the checkpoint: compare "
    "both with phraseq doctor. With an architecture of a plugin, another cause can be that "
    "training changes tensors that are not parameters, such as buffers, which no checkpoint "
    "contains. --skip-self-test opens the checkpoint anyway.";

/// The ids of evenly spaced symbols of the dictionary, and </s>.
std::vector<int64_t> spread_ids(const Dictionary& dictionary) {
  std::vector<int64_t> ids;
  const int64_t words = dictionary.size() - kFirstWord;
  for (int64_t i = 0; i < std::min(kTokens, words); ++i)
    ids.push_back(kFirstWord + (2 * i + 1) * words / (2 * std::min(kTokens, words)));
  ids.push_back(kEos);
  return ids;
}

/// An example without a parse tree, in the form that models with trees accept.
Example example_of(std::vector<int64_t> source, std::vector<int64_t> target) {
  Example example;
  example.source = std::move(source);
  example.target = std::move(target);
  example.extras[kTreeExtra] = {};
  return example;
}

/// ln p of every target token.
std::vector<double> log_probabilities(const TranslationModel& model, const Example& example) {
  const at::NoGradGuard no_gradients;
  const at::Tensor parameters = model.parameters->values();
  const nn::Precision precision =
      parameters.scalar_type() == at::kDouble ? nn::Precision::kFp64 : nn::Precision::kFp32;
  nn::Context context(/*training=*/false, precision);
  const Batch batch = model.collate({example}).to(parameters.device());
  const at::Tensor found = token_log_probabilities(model.forward(batch, context), batch, context)
                               .to(at::kCPU, at::kDouble)
                               .contiguous();  // [target tokens]
  return {found.data_ptr<double>(), found.data_ptr<double>() + found.numel()};
}

std::vector<int64_t> ids_of(const JsonEntry& entry, const Dictionary& dictionary) {
  std::vector<int64_t> ids;
  for (const JsonEntry& item : entry.items())
    ids.push_back(item.whole_number(0, dictionary.size() - 1));
  return ids;
}

std::vector<double> numbers_of(const JsonEntry& entry) {
  std::vector<double> numbers;
  for (const JsonEntry& item : entry.items()) numbers.push_back(item.number());
  return numbers;
}

void compare(const CheckpointFile& file,
             const std::vector<double>& found,
             const std::vector<double>& recorded) {
  if (found.size() != recorded.size())
    throw FormatError(fmt::format("{}: the self-test has {} values for {} tokens",
                                  file.path(),
                                  recorded.size(),
                                  found.size()));
  for (size_t i = 0; i < found.size(); ++i) {
    const double tolerance = kAbsoluteTolerance + kRelativeTolerance * std::abs(recorded[i]);
    if (std::abs(found[i] - recorded[i]) <= tolerance)
      continue;
    throw FormatError(
        fmt::format("{}: the self-test failed: the log-probability of token {} is {:.6f}, the "
                    "checkpoint has {:.6f}",
                    file.path(),
                    i + 1,
                    found[i],
                    recorded[i]),
        kHint);
  }
}

}  // namespace

nlohmann::json self_test_record(const TranslationModel& model) {
  const Example example = example_of(spread_ids(model.task->source_dictionary()),
                                     spread_ids(model.task->target_dictionary()));
  try {
    const std::vector<double> values = log_probabilities(model, example);
    const auto is_finite = [](double value) { return std::isfinite(value); };
    if (!std::all_of(values.begin(), values.end(), is_finite))
      return nullptr;
    return {{"source", example.source}, {"target", example.target}, {"log_probabilities", values}};
  } catch (const Error&) {
    return nullptr;  // the task's examples need more than ids
  }
}

void verify_self_test(const TranslationModel& model, const CheckpointFile& file) {
  if (file.is_foreign() || !file.metadata().contains(kSelfTestEntry))
    return;
  const nlohmann::json document = file.metadata_json(kSelfTestEntry);
  const JsonEntry entry(document, file.metadata_place(kSelfTestEntry));
  const Example example = example_of(ids_of(entry.at("source"), model.task->source_dictionary()),
                                     ids_of(entry.at("target"), model.task->target_dictionary()));
  if (example.source.empty() || example.target.empty())
    entry.refuse("a source and a target with at least one token");
  compare(file, log_probabilities(model, example), numbers_of(entry.at("log_probabilities")));
}

}  // namespace phraseq
