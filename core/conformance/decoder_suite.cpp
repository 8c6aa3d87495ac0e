#include "core/conformance/decoder_suite.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/conformance/fixtures/scripted_decoding.h"
#include "core/conformance/fixtures/scripted_model.h"
#include "core/conformance/search/constraint_checks.h"
#include "core/text/dictionary.h"

namespace phraseq::conformance {
namespace {

/// Calls `look(sentence number from 1, hypothesis)` for every hypothesis and gathers what it says.
template <class Look>
Findings for_each_hypothesis(const Selection& selection, Look&& look) {
  Findings findings;
  const Translations translations = decode_scripted(selection, scripted_sentences());
  if (translations.size() != scripted_sentences().size()) {
    return {fmt::format("{} lists of hypotheses for {} sentences",
                        translations.size(),
                        scripted_sentences().size())};
  }
  for (size_t i = 0; i < translations.size(); ++i) {
    if (translations[i].empty())
      findings.push_back(fmt::format("sentence {} has no translation", i + 1));
    for (const Hypothesis& hypothesis : translations[i]) {
      const std::string finding = look(scripted_sentences()[i], hypothesis);
      if (!finding.empty()) {
        findings.push_back(fmt::format(
            "sentence {}, tokens {}: {}", i + 1, fmt::join(hypothesis.tokens, " "), finding));
      }
    }
  }
  return findings;
}

Findings endings(const Selection& selection) {
  return for_each_hypothesis(
      selection, [](const Example& /*sentence*/, const Hypothesis& hypothesis) -> std::string {
        const auto& tokens = hypothesis.tokens;
        if (tokens.empty() || tokens.back() != kEos)
          return "does not end in </s>";
        if (std::count(tokens.begin(), tokens.end(), kEos) != 1)
          return "continues after </s>";
        if (std::count_if(tokens.begin(), tokens.end(), [](int64_t token) {
              return token == kPad || token < 0 || token >= kScriptedVocabulary;
            }) > 0)
          return "contains padding or an id outside the vocabulary";
        if (tokens.size() > 40)
          return "is longer than max_target_positions(), 40";
        return {};
      });
}

Findings sums(const Selection& selection) {
  return for_each_hypothesis(
      selection, [](const Example& /*sentence*/, const Hypothesis& hypothesis) -> std::string {
        if (hypothesis.token_scores.size() != hypothesis.tokens.size())
          return fmt::format("has {} token scores", hypothesis.token_scores.size());
        const double sum =
            std::accumulate(hypothesis.token_scores.begin(), hypothesis.token_scores.end(), 0.0);
        if (!(std::abs(sum - hypothesis.log_probability) <= 1e-4))
          return fmt::format("log_probability is {:.6g}, its token scores add up to {:.6g}",
                             hypothesis.log_probability,
                             sum);
        return {};
      });
}

double log_probability(const Example& sentence, const std::vector<int64_t>& prefix, int64_t token) {
  const auto scores = scripted_scores(sentence.source, prefix);
  double total = 0;
  for (const double score : scores) total += std::exp(score);
  return scores[static_cast<size_t>(token)] - std::log(total);
}

Findings scores_of_the_model(const Selection& selection) {
  return for_each_hypothesis(
      selection, [](const Example& sentence, const Hypothesis& hypothesis) -> std::string {
        std::vector<int64_t> prefix;
        for (size_t i = 0; i < hypothesis.tokens.size(); ++i) {
          const double expected = log_probability(sentence, prefix, hypothesis.tokens[i]);
          if (!(std::abs(hypothesis.token_scores.at(i) - expected) <= 1e-4)) {
            return fmt::format(
                "token {} has score {:.6g}, but the model computed ln p = {:.6g}; does `select` "
                "mix up the states of rows?",
                i + 1,
                hypothesis.token_scores[i],
                expected);
          }
          prefix.push_back(hypothesis.tokens[i]);
        }
        return {};
      });
}

Findings order(const Selection& selection) {
  Findings findings;
  const Translations translations = decode_scripted(selection, scripted_sentences());
  for (size_t i = 0; i < translations.size(); ++i) {
    const bool sorted = std::is_sorted(
        translations[i].begin(), translations[i].end(), [](const auto& a, const auto& b) {
          return a.score > b.score;
        });
    if (!sorted)
      findings.push_back(
          fmt::format("the hypotheses of sentence {} are not sorted by score", i + 1));
  }
  return findings;
}

bool equal(const std::vector<Hypothesis>& a, const std::vector<Hypothesis>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
    return one.tokens == other.tokens && std::abs(one.score - other.score) <= 1e-5;
  });
}

Findings decoded_alone_as_in_a_batch(const Selection& selection) {
  const Translations together = decode_scripted(selection, scripted_sentences());
  const Translations again = decode_scripted(selection, scripted_sentences());
  for (size_t i = 0; i < together.size(); ++i) {
    if (!equal(together[i], again[i]))
      return {fmt::format("sentence {} has a different translation the second time", i + 1)};
    if (!equal(together[i], decode_scripted(selection, {scripted_sentences()[i]}).at(0)))
      return {
          fmt::format("sentence {} has a different translation alone than in a batch; random "
                      "numbers may depend only on (seed, sentence id, step)",
                      i + 1)};
  }
  return {};
}

Findings announced_limits(const Selection& selection) {
  ScriptedModel model;
  decode_scripted(selection, scripted_sentences(), &model);
  if (model.excess().empty())
    return {};
  return {model.excess() +
          ": a model lays out its caches for what is announced; pass the true numbers to "
          "SearchInput or start_decoding"};
}

}  // namespace

std::vector<Check> decoder_suite(const Selection& selection) {
  std::vector<Check> checks = {
      {"every translation ends with exactly one </s>", [&] { return endings(selection); }},
      {"the scores of the tokens add up to the score of the hypothesis",
       [&] { return sums(selection); }},
      {"scores are those of the model", [&] { return scores_of_the_model(selection); }},
      {"hypotheses are sorted by score", [&] { return order(selection); }},
      {"a sentence has the same translation alone, in a batch and when repeated",
       [&] { return decoded_alone_as_in_a_batch(selection); }},
      {"the search uses no more rows and steps than it announces",
       [&] { return announced_limits(selection); }}};
  for (Check& check : constraint_checks(selection)) checks.push_back(std::move(check));
  return checks;
}

}  // namespace phraseq::conformance
