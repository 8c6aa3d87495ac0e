#include "core/score/metrics/sacrebleu_names.h"

#include <algorithm>
#include <array>
#include <string_view>

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
