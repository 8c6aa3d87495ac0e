#include "core/options/fairseq/fairseq_values.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/text_fields.h"
#include "core/options/value_text.h"

namespace phraseq::fairseq {
namespace {

/// The text without the quotation marks of Python or JSON.
std::string_view unquoted(std::string_view text) {
  text = trimmed(text);
  const bool quoted = text.size() >= 2 && (text.front() == '\'' || text.front() == '"') &&
                      text.back() == text.front();
  return quoted ? text.substr(1, text.size() - 2) : text;
}

/// Splits at the commas that are in no bracket and no quotation.
std::vector<std::string_view> dictionary_items(std::string_view text) {
  std::vector<std::string_view> items;
  size_t begin = 0;
  int depth = 0;
  char quote = '\0';
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      quote = c == quote ? '\0' : quote;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth == 0) {
      items.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  items.push_back(text.substr(begin));
  std::erase_if(items, [](std::string_view item) { return trimmed(item).empty(); });
  return items;
}

std::string value_text(std::string_view text) {
  const std::string_view plain = unquoted(text);
  return plain == "True" ? "yes" : plain == "False" ? "no" : std::string(plain);
}

std::optional<std::string> overrides(std::string_view value,
                                     OptionTable& table,
                                     std::vector<std::string>& notes) {
  const std::string_view text = trimmed(value);
  if (text.size() < 2 || text.front() != '{' || text.back() != '}')
    return std::nullopt;
  std::vector<std::string> items;
  for (const std::string_view item : dictionary_items(text.substr(1, text.size() - 2))) {
    const size_t colon = item.find(':');
    if (colon == std::string_view::npos) {
      items.emplace_back(trimmed(item));  // reported like any item without a value
      continue;
    }
    const std::string name(unquoted(item.substr(0, colon)));
    if (table.find(name) != nullptr) {
      notes.push_back(fmt::format(
          "'{}' in --model-overrides has no effect: it is an option of this command", name));
    } else {
      items.push_back(fmt::format("{}={}", name, value_text(item.substr(colon + 1))));
    }
  }
  return text_of(items);
}

/// A whole number in the notation of a real one, "1e5" or "1000.0", as an integer.
std::optional<std::string> as_integer(std::string_view value) {
  constexpr double kMost = 1e15;
  const auto number = value_from_text<double>(value);
  if (value_from_text<int64_t>(value) || !number || std::trunc(*number) != *number ||
      std::abs(*number) > kMost)
    return std::nullopt;
  return fmt::format("{:.0f}", *number);
}

/// --remove-bpe, --post-process and --eval-bleu-remove-bpe.
bool joins_subwords(std::string_view option) {
  return option.ends_with("remove-bpe") || option == "post-process";
}

/// Whether an option with a fixed set of values rejects this one.
bool is_other_choice(const OptionField* field, std::string_view value) {
  return field != nullptr && !field->choices.empty() &&
         std::ranges::count(field->choices, value) == 0;
}

std::string_view rejection_of_bpe(std::string_view value) {
  constexpr std::string_view kOthers[] = {
      "byte_bpe", "bytes", "characters", "gpt2", "bert", "hf_byte_bpe"};
  if (value == "sentencepiece")
    return "it cannot be combined with another --tokenizer, and preprocess takes the model as "
           "--subword-model FILE";
  if (std::ranges::count(kOthers, value) > 0)
    return "phraseq does not segment text in this way: pass text that is already segmented";
  return {};
}

std::string_view rejection_of_backend(std::string_view value) {
  if (value == "fully_sharded")
    return "each process holds all parameters; --zero-sharding os divides the optimizer's state";
  if (value == "slowmo")
    return "the processes add up their gradients at each update";
  return {};
}

}  // namespace

std::optional<std::string> translated_value(std::string_view option,
                                            std::string_view value,
                                            OptionTable& table,
                                            std::vector<std::string>& notes) {
  if (option == "model-overrides")
    return overrides(value, table, notes);
  if (option == "total-num-update" || option == "lr-period-updates")
    return as_integer(value);  // real numbers in fairseq
  if (option == "restore-file" && (value == "checkpoint_last.pt" || value == "checkpoint_best.pt"))
    return std::string(value.substr(0, value.find('.')));
  if (option == "best-checkpoint-metric" && value == "ppl")
    return "nll_loss";  // equivalent: the lowest perplexity has the lowest loss
  if (option == "relu-dropout" && value_from_text<double>(value) == 0.0)
    return "";  // fairseq uses it only if it is not 0
  if (joins_subwords(option) && (value == "@@ " || value == "@@"))
    return "subword_nmt";
  return std::nullopt;
}

std::string_view rejection_of_value(std::string_view option,
                                    std::string_view value,
                                    const OptionTable& table) {
  if (option == "bpe" && is_other_choice(table.find(option), value))
    return rejection_of_bpe(value);
  if (option == "ddp-backend")
    return rejection_of_backend(value);
  if (option == "ddp-comm-hook" && value == "fp16")
    return "gradients are exchanged in bfloat16, by --ddp-comm-hook bf16";
  if (option == "s" && is_other_choice(table.find("smooth-method"), value))
    return "-s is --smooth-method here, as in sacrebleu; give the file with --sys, or add "
           "--fairseq for the score of fairseq";
  return {};
}

}  // namespace phraseq::fairseq
