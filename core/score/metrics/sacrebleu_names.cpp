#include "core/score/metrics/sacrebleu_names.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "core/base/wording/alternatives.h"

namespace phraseq::score {
namespace {

struct SacrebleuName {
  std::string_view option;
  std::string_view name;
  std::string_view short_flag = {};
  std::string_view alias = {};
};

constexpr SacrebleuName kSacrebleuNames[] = {{"bleu-smooth-method", "smooth-method", "s"},
                                             {"bleu-smooth-value", "smooth-value", "sv"},
                                             {"bleu-tokenize", "tokenize", "tok"},
                                             {"bleu-spm-model", "spm-model"},
                                             {"bleu-lowercase", "lowercase", "lc", "ignore-case"},
                                             {"bleu-order", "order", {}, "max-ngram-order"},
                                             {"bleu-effective-order", "effective-order"},
                                             {"chrf-char-order", "chrf-char-order", "cc"},
                                             {"chrf-word-order", "chrf-word-order", "cw"}};

/// An option that has an effect only with some values of another one.
struct Condition {
  std::string_view option;
  std::string_view other;
  std::array<std::string_view, 4> values;
};

constexpr Condition kConditions[] = {
    {"bleu-spm-model", "bleu-tokenize", {"spm", "flores101", "flores200", "spBLEU-1K"}},
    {"bleu-smooth-value", "bleu-smooth-method", {"floor", "add-k"}}};

constexpr std::array<std::string_view, 6> kSacrebleuOrder = {
    "bleu", "chrf", "chrf++", "ter", "multi_bleu", "mteval_v11b"};

auto place_of(const std::string& metric) {
  return std::find(kSacrebleuOrder.begin(), kSacrebleuOrder.end(), metric) -
         kSacrebleuOrder.begin();
}

void spell(OptionField& field, const SacrebleuName& spelling) {
  if (field.name != spelling.name) {
    field.aliases.push_back(field.name);
    field.name = spelling.name;
  }
  if (!spelling.short_flag.empty())
    field.short_flag(spelling.short_flag);
  if (!spelling.alias.empty())
    field.alias(spelling.alias);
}

}  // namespace

std::span<const std::string> sacrebleu_metrics() {
  static const std::string names[] = {"bleu", "chrf", "ter"};
  return names;
}

void spell_as_sacrebleu(OptionTable& table) {
  for (const SacrebleuName& spelling : kSacrebleuNames) {
    if (OptionField* field = table.find(spelling.option))
      spell(*field, spelling);
  }
}

std::string in_sacrebleu_spelling(std::string_view option) {
  for (const SacrebleuName& spelling : kSacrebleuNames) {
    if (spelling.option == option)
      return std::string(spelling.name);
  }
  return std::string(option);
}

bool uses_option(std::string_view metric, std::string_view option) {
  if (metric == "multi_bleu")
    return option == "bleu-lowercase";
  if (metric == "mteval_v11b")
    return option == "mteval-preserve-case";
  if (metric == "bleu" || metric == "sacrebleu")
    return option != "mteval-preserve-case";
  return metric != "chrf++" || option != "chrf-word-order";
}

std::string missing_condition(std::string_view option, const OptionTable& table) {
  for (const auto& [name, other, values] : kConditions) {
    const OptionField* const field = table.find(other);
    if (name != option || field == nullptr || std::ranges::count(values, field->to_text()) > 0)
      continue;
    std::vector<std::string> named(values.begin(), values.end());
    std::erase(named, "");
    return fmt::format("--{} has no effect without --{} {}",
                       in_sacrebleu_spelling(option),
                       in_sacrebleu_spelling(other),
                       alternatives(named));
  }
  return {};
}

std::vector<std::string> in_sacrebleu_order(std::span<const std::string> names) {
  std::vector<std::string> ordered;
  for (std::string name : names) {
    std::replace(name.begin(), name.end(), '-', '_');
    if (std::find(ordered.begin(), ordered.end(), name) == ordered.end())
      ordered.push_back(std::move(name));
  }
  std::stable_sort(ordered.begin(), ordered.end(), [](const auto& one, const auto& other) {
    return place_of(one) < place_of(other);
  });
  return ordered;
}

}  // namespace phraseq::score
