#include "core/score/metrics/chrf.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/utf8_characters.h"
#include "core/score/metrics/ngram_matcher.h"
#include "core/text/unicode.h"

namespace phraseq::score {
namespace {

bool is_punctuation(char byte) {
  return (byte >= '!' && byte <= '/') || (byte >= ':' && byte <= '@') ||
         (byte >= '[' && byte <= '`') || (byte >= '{' && byte <= '~');
}

bool is_single_character(std::string_view word) {
  return std::all_of(word.begin() + 1, word.end(), continues_character);
}

std::vector<uint32_t> characters_of(std::string_view line, bool whitespace) {
  std::vector<uint32_t> characters;
  characters.reserve(line.size());
  for (const char32_t character : to_code_points(line)) {
    if (whitespace || !is_space(character))
      characters.push_back(character);
  }
  return characters;
}

/// Writes the counts of these orders to the beginning of `row`.
void write_counts(const std::vector<NgramCounts>& orders, std::span<double> row) {
  size_t at = 0;
  for (const NgramCounts& counts : orders) {
    row[at] = counts.reference > 0 ? static_cast<double>(counts.hypothesis) : 0.0;
    row[at + 1] = static_cast<double>(counts.reference);
    row[at + 2] = static_cast<double>(counts.matches);
    at += 3;
  }
}

std::vector<NgramCounts> match_words(std::string_view hypothesis,
                                     std::string_view reference,
                                     int order) {
  WordNumbers numbers;
  const std::vector<uint32_t> target[] = {numbers.number(chrf_words(reference))};
  return match_ngrams(numbers.number(chrf_words(hypothesis)), target, order);
}

/// Precision, recall and F of one order; undefined values are 1e-16.
template <class Real>
struct OrderScore {
  Real precision;
  Real recall;
  Real f;
  bool is_effective;  ///< both texts have n-grams of this order
};

template <class Real>
OrderScore<Real> score_order(Real hypothesis, Real reference, Real matches, Real factor) {
  const Real epsilon = static_cast<Real>(1e-16);
  const Real precision = hypothesis > 0 ? matches / hypothesis : epsilon;
  const Real recall = reference > 0 ? matches / reference : epsilon;
  const Real denominator = factor * precision + recall;
  const Real f = denominator > 0 ? (1 + factor) * precision * recall / denominator : epsilon;
  return {precision, recall, f, hypothesis > 0 && reference > 0};
}

template <class Real>
double mean_of_f(const std::vector<OrderScore<Real>>& orders) {
  Real sum = 0;
  for (const auto& order : orders) sum += order.f;
  return Real{100} * sum / static_cast<Real>(orders.size());
}

template <class Real>
double f_of_means(const std::vector<OrderScore<Real>>& orders, Real factor) {
  Real precision = 0;
  Real recall = 0;
  int effective = 0;
  for (const auto& order : orders) {
    if (order.is_effective) {
      precision += order.precision;
      recall += order.recall;
      ++effective;
    }
  }
  if (effective == 0)
    return 0.0;
  precision /= static_cast<Real>(effective);
  recall /= static_cast<Real>(effective);
  if (precision + recall == 0)
    return 0.0;
  Real score = (1 + factor) * precision * recall;
  score /= factor * precision + recall;
  return Real{100} * score;
}

template <class Real>
double compute_chrf(const ChrfSettings& settings, std::span<const Real> sums) {
  const auto factor = static_cast<Real>(settings.beta * settings.beta);
  std::vector<OrderScore<Real>> orders;
  orders.reserve(sums.size() / 3);
  for (size_t i = 0; i < sums.size(); i += 3)
    orders.push_back(score_order(sums[i], sums[i + 1], sums[i + 2], factor));
  return settings.eps_smoothing ? mean_of_f(orders) : f_of_means(orders, factor);
}

}  // namespace

std::vector<std::string_view> chrf_words(std::string_view line) {
  std::vector<std::string_view> words;
  for (const auto& word : split_whitespace(line)) {
    if (is_single_character(word)) {
      words.push_back(word);
    } else if (is_punctuation(word.back())) {
      words.push_back(word.substr(0, word.size() - 1));
      words.push_back(word.substr(word.size() - 1));
    } else if (is_punctuation(word.front())) {
      words.push_back(word.substr(0, 1));
      words.push_back(word.substr(1));
    } else {
      words.push_back(word);
    }
  }
  return words;
}

std::string Chrf::name() const {
  return fmt::format(
      "chrF{}{}", settings_.beta, std::string(static_cast<size_t>(settings_.word_order), '+'));
}

void Chrf::measure(std::string_view hypothesis,
                   std::span<const std::string_view> references,
                   std::span<double> row) const {
  const auto prepare = [&](std::string_view line) {
    return settings_.lowercase ? to_lowercase(line) : std::string(line);
  };
  const std::string text = prepare(hypothesis);
  const auto characters = characters_of(text, settings_.whitespace);
  double best = -1;
  std::vector<double> candidate(row.size());
  for (const auto& line : references) {
    const std::string reference = prepare(line);
    const std::vector<uint32_t> target[] = {characters_of(reference, settings_.whitespace)};
    write_counts(match_ngrams(characters, target, settings_.char_order), candidate);
    if (settings_.word_order > 0) {
      write_counts(match_words(text, reference, settings_.word_order),
                   std::span(candidate).subspan(3 * static_cast<size_t>(settings_.char_order)));
    }
    const double f = score(candidate);
    if (f > best) {
      best = f;
      std::copy(candidate.begin(), candidate.end(), row.begin());
    }
  }
}

double Chrf::score(std::span<const double> sums) const { return compute_chrf(settings_, sums); }
double Chrf::score_single(std::span<const float> sums) const {
  return compute_chrf(settings_, sums);
}

std::vector<SignatureField> Chrf::signature() const {
  return {{"case", "c", settings_.lowercase ? "lc" : "mixed"},
          {"eff", "e", settings_.eps_smoothing ? "no" : "yes"},
          {"nc", "nc", std::to_string(settings_.char_order)},
          {"nw", "nw", std::to_string(settings_.word_order)},
          {"space", "s", settings_.whitespace ? "yes" : "no"}};
}

}  // namespace phraseq::score
