#include "core/score/metrics/bleu.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/base/text_fields.h"
#include "core/score/metrics/ngram_matcher.h"
#include "core/text/unicode.h"

namespace phraseq::score {
namespace {

/// sacrebleu's logarithm of zero.
constexpr double kLogOfZero = -9999999999.0;

double smooth_value_of(const BleuSettings& settings) {
  return settings.smooth_value.value_or(settings.smoothing == Smoothing::kFloor ? 0.1 : 1.0);
}

/// The reference length closest to `length`; of two equally close ones, the shorter.
size_t closest_length(size_t length, const std::vector<std::vector<uint32_t>>& references) {
  const auto distance = [&](size_t other) {
    return other > length ? other - length : length - other;
  };
  size_t closest = references.front().size();
  for (const auto& reference : references) {
    const size_t candidate = reference.size();
    if (std::pair(distance(candidate), candidate) < std::pair(distance(closest), closest)) {
      closest = candidate;
    }
  }
  return closest;
}

size_t shortest_length(const std::vector<std::vector<uint32_t>>& references) {
  size_t shortest = references.front().size();
  for (const auto& reference : references) shortest = std::min(shortest, reference.size());
  return shortest;
}

double brevity_penalty(double hypothesis_length, double reference_length) {
  if (hypothesis_length >= reference_length)
    return 1.0;
  return hypothesis_length > 0 ? std::exp(1 - reference_length / hypothesis_length) : 0.0;
}

/// The precisions in percent, and the number of effective orders. `Real` is the floating-point type
/// in which sacrebleu divides.
template <class Real>
std::pair<std::vector<Real>, int> precisions(const BleuSettings& settings,
                                             std::span<const Real> sums) {
  const auto orders = static_cast<size_t>(settings.max_order);
  const auto smooth = static_cast<Real>(smooth_value_of(settings));
  std::vector<Real> result(orders, Real{0});
  int effective = settings.max_order;
  Real exponential = 1;
  for (size_t n = 0; n < orders; ++n) {
    const Real added = settings.smoothing == Smoothing::kAddK && n > 0 ? smooth : Real{0};
    const Real matches = sums[2 + n] + added;
    const Real total = sums[2 + orders + n] + added;
    if (total == 0)
      break;
    if (settings.effective_order)
      effective = static_cast<int>(n) + 1;
    if (matches != 0) {
      result[n] = Real{100} * matches / total;
    } else if (settings.smoothing == Smoothing::kExp) {
      exponential *= 2;
      result[n] = Real{100} / (exponential * total);
    } else if (settings.smoothing == Smoothing::kFloor) {
      result[n] = static_cast<Real>(100.0 * smooth_value_of(settings)) / total;
    }
  }
  return {std::move(result), effective};
}

template <class Real>
BleuParts compute_bleu(const BleuSettings& settings, std::span<const Real> sums) {
  const auto orders = static_cast<size_t>(settings.max_order);
  BleuParts parts;
  parts.brevity_penalty = brevity_penalty(sums[0], sums[1]);
  parts.precisions.assign(orders, 0.0);
  const auto matches = sums.subspan(2, orders);
  if (std::all_of(matches.begin(), matches.end(), [](Real count) { return count == 0; }))
    return parts;

  const auto [values, effective] = precisions(settings, sums);
  parts.precisions.assign(values.begin(), values.end());
  double logarithms = 0;
  for (int n = 0; n < effective; ++n) {
    const double precision = parts.precisions[static_cast<size_t>(n)];
    logarithms += precision == 0 ? kLogOfZero : std::log(precision);
  }
  parts.score = parts.brevity_penalty * std::exp(logarithms / effective);
  return parts;
}

}  // namespace

BleuSettings multi_bleu_settings(bool lowercase) {
  BleuSettings settings;
  settings.name = "multi-bleu";
  settings.tokenizer = "none";
  settings.smoothing = Smoothing::kNone;
  settings.lowercase = lowercase;
  settings.bytes = true;
  return settings;
}

BleuSettings mteval_v11b_settings(bool preserve_case) {
  BleuSettings settings;
  settings.name = "mteval-v11b";
  settings.smoothing = Smoothing::kNone;
  settings.lowercase = !preserve_case;
  settings.shortest_reference = true;
  settings.bytes = true;
  return settings;
}

Bleu::Bleu(BleuSettings settings)
    : settings_(std::move(settings)),
      tokenizer_(make_bleu_tokenizer(settings_.tokenizer, settings_.tokenizer_model)) {}

std::string Bleu::prepare(std::string_view line) const {
  if (!settings_.lowercase)
    return tokenizer_.tokenize(strip_right(line));
  const std::string lowered = settings_.bytes ? to_ascii_lowercase(line) : to_lowercase(line);
  return tokenizer_.tokenize(strip_right(lowered));
}

std::vector<std::string_view> Bleu::words_of(std::string_view text) const {
  return settings_.bytes ? split_ascii_whitespace(text) : split_whitespace(text);
}

void Bleu::measure(std::string_view hypothesis,
                   std::span<const std::string_view> references,
                   std::span<double> row) const {
  std::vector<std::string> texts;  // the words below point into these
  texts.reserve(references.size());
  for (const auto& reference : references) texts.push_back(prepare(reference));
  const std::string text = prepare(hypothesis);

  WordNumbers numbers;
  std::vector<std::vector<uint32_t>> reference_words;
  for (const auto& reference : texts)
    reference_words.push_back(numbers.number(words_of(reference)));
  const auto words = numbers.number(words_of(text));

  const auto orders = static_cast<size_t>(settings_.max_order);
  const auto counts = match_ngrams(words, reference_words, settings_.max_order);
  row[0] = static_cast<double>(words.size());
  row[1] = static_cast<double>(settings_.shortest_reference
                                   ? shortest_length(reference_words)
                                   : closest_length(words.size(), reference_words));
  for (size_t n = 0; n < orders; ++n) {
    row[2 + n] = static_cast<double>(counts[n].matches);
    row[2 + orders + n] = static_cast<double>(counts[n].hypothesis);
  }
}

BleuParts Bleu::parts(std::span<const double> sums) const { return compute_bleu(settings_, sums); }
double Bleu::score(std::span<const double> sums) const {
  return compute_bleu(settings_, sums).score;
}
double Bleu::score_single(std::span<const float> sums) const {
  return compute_bleu(settings_, sums).score;
}

std::string Bleu::detail(std::span<const double> sums) const {
  const auto result = parts(sums);
  std::string percentages;
  for (const double precision : result.precisions) {
    percentages += fmt::format("{}{:.1f}", percentages.empty() ? "" : "/", precision);
  }
  const double ratio = sums[1] > 0 ? sums[0] / sums[1] : 0.0;
  return fmt::format("{} (BP = {:.3f} ratio = {:.3f} hyp_len = {:.0f} ref_len = {:.0f})",
                     percentages,
                     result.brevity_penalty,
                     ratio,
                     sums[0],
                     sums[1]);
}

std::vector<SignatureField> Bleu::signature() const {
  std::string smoothing;
  switch (settings_.smoothing) {
    case Smoothing::kNone:
      smoothing = "none";
      break;
    case Smoothing::kExp:
      smoothing = "exp";
      break;
    case Smoothing::kFloor:
      smoothing = fmt::format("floor[{:.2f}]", smooth_value_of(settings_));
      break;
    case Smoothing::kAddK:
      smoothing = fmt::format("add-k[{:.2f}]", smooth_value_of(settings_));
      break;
  }
  std::vector<SignatureField> fields = {{"case", "c", settings_.lowercase ? "lc" : "mixed"},
                                        {"eff", "e", settings_.effective_order ? "yes" : "no"},
                                        {"tok", "tok", tokenizer_.signature},
                                        {"smooth", "s", smoothing}};
  if (settings_.max_order != BleuSettings().max_order)
    fields.push_back({"order", "o", std::to_string(settings_.max_order)});
  if (settings_.shortest_reference)
    fields.push_back({"reflen", "rl", "shortest"});
  return fields;
}

}  // namespace phraseq::score
