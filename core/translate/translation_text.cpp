#include "core/translate/translation_text.h"

#include <algorithm>
#include <numbers>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/base/text_fields.h"
#include "core/base/wording/message_text.h"
#include "core/translate/extras/constrained_line.h"
#include "core/translate/extras/unknown_spelling.h"
#include "core/translate/hard_alignment.h"
#include "core/translate/hypothesis_text.h"
#include "core/translate/post_process.h"

namespace phraseq {
namespace {

double to_base_2(double natural) { return natural / std::numbers::ln2; }

/// Marks unknown words of a reference with a second pair of brackets, as fairseq does.
std::string mark_unknowns(const std::string& symbols) {
  auto marked = split_text(symbols, " ");
  std::replace(marked.begin(), marked.end(), kUnknownSymbol, std::string_view("<<unk>>"));
  return fmt::format("{}", fmt::join(marked, " "));
}

std::string hard_text(const Hypothesis& hypothesis, const std::vector<int64_t>& source) {
  std::string text;
  for (const auto& [from, to] : hard_alignment(hypothesis, source)) {
    text += fmt::format("{}{}-{}", text.empty() ? "" : " ", from, to);
  }
  return text;
}

std::string soft_text(const Hypothesis& hypothesis) {
  std::string text;
  for (const auto& weights : hypothesis.attention) {
    if (!text.empty())
      text += ' ';
    for (size_t i = 0; i < weights.size(); ++i)
      text += fmt::format("{}{:.6f}", i > 0 ? "," : "", weights[i]);
  }
  return text;
}

std::string fairseq_hypothesis(const Translation& translation,
                               const Hypothesis& hypothesis,
                               const Task& task,
                               const TranslationFormat& format) {
  const int64_t id = translation.example.id;
  const double score = to_base_2(hypothesis.score);
  std::string text = fmt::format(
      "H-{}\t{}\t{}\n",
      id,
      score,
      post_process(hypothesis_symbols(task, translation.example, hypothesis), format.post_process));
  text += fmt::format("D-{}\t{}\t{}\nP-{}\t",
                      id,
                      score,
                      hypothesis_text(task, translation.example, hypothesis, format.post_process),
                      id);
  for (size_t i = 0; i < hypothesis.token_scores.size(); ++i) {
    text += fmt::format("{}{:.4f}", i > 0 ? " " : "", to_base_2(hypothesis.token_scores[i]));
  }
  text += '\n';
  if (format.print_alignment == PrintAlignment::kHard) {
    text += fmt::format("A-{}\t{}\n", id, hard_text(hypothesis, translation.example.source));
  } else if (format.print_alignment == PrintAlignment::kSoft) {
    text += fmt::format("A-{}\t{}\n", id, soft_text(hypothesis));
  }
  return text;
}

std::string fairseq_text(const Translation& translation,
                         const Task& task,
                         const TranslationFormat& format) {
  const Example& example = translation.example;
  std::string text =
      fmt::format("S-{}\t{}\n",
                  example.id,
                  post_process(on_one_line(task.symbols(example.source, PairSide::kSource)),
                               format.post_process));
  if (!example.target.empty()) {
    const std::string reference =
        mark_unknowns(on_one_line(task.symbols(example.target, PairSide::kTarget)));
    text += fmt::format("T-{}\t{}\n", example.id, post_process(reference, format.post_process));
  }
  for (const auto& constraint : constraints_of(example)) {
    const std::string symbols = on_one_line(task.symbols(constraint, PairSide::kTarget));
    text += fmt::format("C-{}\t{}\n", example.id, post_process(symbols, format.post_process));
  }
  for (const Hypothesis& hypothesis : translation.hypotheses) {
    text += fairseq_hypothesis(translation, hypothesis, task, format);
  }
  return text;
}

nlohmann::ordered_json json_hypothesis(const Translation& translation,
                                       const Hypothesis& hypothesis,
                                       const Task& task,
                                       const TranslationFormat& format) {
  const Example& example = translation.example;
  nlohmann::ordered_json object = {
      {"text", hypothesis_text(task, example, hypothesis, format.post_process)},
      {"symbols", hypothesis_symbols(task, example, hypothesis)},
      {"score", hypothesis.score},
      {"log_probability", hypothesis.log_probability},
      {"token_ids", hypothesis.tokens},
      {"token_log_probabilities", hypothesis.token_scores}};
  if (hypothesis.expected_utility)
    object["expected_utility"] = *hypothesis.expected_utility;
  if (!example.phrases.empty() && !hypothesis.slots.empty())
    object["phrases"] = hypothesis_phrases(example, hypothesis);
  if (format.print_alignment == PrintAlignment::kHard) {
    object["alignment"] = hard_alignment(hypothesis, example.source);
  } else if (format.print_alignment == PrintAlignment::kSoft) {
    object["attention"] = hypothesis.attention;
  }
  return object;
}

std::string json_text(const Translation& translation,
                      const Task& task,
                      const TranslationFormat& format) {
  const Example& example = translation.example;
  nlohmann::ordered_json object = {{"id", example.id},
                                   {"source", task.symbols(example.source, PairSide::kSource)}};
  if (!example.target.empty())
    object["reference"] = reference_text(task, example, format.post_process);
  for (const auto& constraint : constraints_of(example))
    object["constraints"].push_back(task.text(constraint, PairSide::kTarget));
  object["hypotheses"] = nlohmann::ordered_json::array();
  for (const Hypothesis& hypothesis : translation.hypotheses) {
    object["hypotheses"].push_back(json_hypothesis(translation, hypothesis, task, format));
  }
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace

std::string translation_text(const Translation& translation,
                             const Task& task,
                             const TranslationFormat& format) {
  switch (format.format) {
    case OutputFormat::kFairseq:
      return fairseq_text(translation, task, format);
    case OutputFormat::kJsonl:
      return json_text(translation, task, format);
    case OutputFormat::kPlain:
    case OutputFormat::kAuto:
      break;
  }
  return hypothesis_text(
             task, translation.example, translation.hypotheses.front(), format.post_process) +
         '\n';
}

}  // namespace phraseq
