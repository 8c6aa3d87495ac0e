#include "core/conformance/search/constraint_checks.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/conformance/fixtures/changed_options.h"
#include "core/conformance/fixtures/scripted_decoding.h"
#include "core/search/search_options.h"
#include "core/text/dictionary.h"

namespace phraseq::conformance {
namespace {

using ChangeSearch = std::function<void(SearchOptions&)>;
using Tokens = std::vector<int64_t>;
/// What a translation of a sentence does against a constraint; empty = nothing.
using Breach = std::function<std::string(const Example&, const Tokens&)>;

constexpr double kLargeBonus = 40;

/// The selection with other search options. Limits of length stay possible together.
Selection with_options(const Selection& selection, const ChangeSearch& change) {
  Selection changed = duplicate(selection);
  auto* options = dynamic_cast<SearchOptions*>(changed.options.get());
  if (options == nullptr)
    throw NotApplicable("its options do not derive from SearchOptions");
  change(*options);
  return changed;
}

int64_t words_before_end(const Tokens& tokens) {
  return std::find(tokens.begin(), tokens.end(), kEos) - tokens.begin();
}

Tokens lengths_of(const Translations& translations) {
  Tokens lengths;
  for (const auto& of_sentence : translations) {
    for (const Hypothesis& hypothesis : of_sentence)
      lengths.push_back(words_before_end(hypothesis.tokens));
  }
  if (lengths.empty())
    throw NotApplicable("it gives no translation");
  return lengths;
}

/// The first translation that breaks the constraint.
std::string first_breach(const Translations& translations,
                         const std::vector<Example>& sentences,
                         const Breach& breach) {
  for (size_t i = 0; i < std::min(translations.size(), sentences.size()); ++i) {
    for (const Hypothesis& hypothesis : translations[i]) {
      const std::string found = breach(sentences[i], hypothesis.tokens);
      if (!found.empty())
        return fmt::format(
            "sentence {}, tokens {}: {}", i + 1, fmt::join(hypothesis.tokens, " "), found);
    }
  }
  return {};
}

/// Whether an option is obeyed that the translations of `usual` break.
Findings obeyed(const std::string& option,
                const Selection& usual,
                const Selection& constrained,
                const Breach& breach,
                const std::vector<Example>& sentences = scripted_sentences()) {
  if (first_breach(decode_scripted(usual, sentences), sentences, breach).empty())
    throw NotApplicable(fmt::format("its translations agree with {} also without it", option));
  const std::string found =
      first_breach(decode_scripted(constrained, sentences), sentences, breach);
  if (found.empty())
    return {};
  return {fmt::format(
      "{} has no effect: {}; constrain every step with constrain_rows (core/search/search_state.h) "
      "or step_constraint (core/search/constraints.h)",
      option,
      found)};
}

Findings minimum_length(const Selection& selection) {
  const Tokens lengths = lengths_of(decode_scripted(selection, scripted_sentences()));
  const int64_t least = *std::max_element(lengths.begin(), lengths.end()) + 2;
  const Selection constrained = with_options(selection, [&](SearchOptions& options) {
    options.constraints.min_length = least;
    options.length_cap.b = std::max(options.length_cap.b, static_cast<double>(least) + 9);
  });
  return obeyed(fmt::format("--min-len {}", least),
                selection,
                constrained,
                [&](const Example&, const Tokens& tokens) {
                  const int64_t length = words_before_end(tokens);
                  return length >= least ? "" : fmt::format("{} tokens before </s>", length);
                });
}

Findings maximum_length(const Selection& selection) {
  const Tokens lengths = lengths_of(decode_scripted(selection, scripted_sentences()));
  const int64_t most = std::max<int64_t>(1, *std::max_element(lengths.begin(), lengths.end()) - 1);
  const Selection constrained = with_options(selection, [&](SearchOptions& options) {
    options.constraints.min_length = std::min(options.constraints.min_length, most);
    options.length_cap.form = LengthCapForm::kLinear;
    options.length_cap.a = 0;
    options.length_cap.b = static_cast<double>(most);
  });
  return obeyed(fmt::format("--max-len-b {}", most),
                selection,
                constrained,
                [&](const Example&, const Tokens& tokens) {
                  const int64_t length = words_before_end(tokens);
                  return length <= most ? "" : fmt::format("{} tokens before </s>", length);
                });
}

Findings exact_length(const Selection& selection) {
  const Selection constrained = with_options(
      selection, [](SearchOptions& options) { options.constraints.match_source_len = true; });
  return obeyed("--match-source-len",
                selection,
                constrained,
                [](const Example& sentence, const Tokens& tokens) {
                  const int64_t wanted = words_before_end(sentence.source);
                  const int64_t length = words_before_end(tokens);
                  return length == wanted
                             ? ""
                             : fmt::format(
                                   "{} tokens before </s> for a source of {}", length, wanted);
                });
}

/// Targets that begin differently from the translations without a prefix.
std::vector<Example> with_references(const Selection& selection) {
  std::vector<Example> sentences = scripted_sentences();
  const Translations usual = decode_scripted(selection, sentences);
  for (size_t i = 0; i < sentences.size(); ++i) {
    const int64_t first = usual.at(i).at(0).tokens.at(0);
    sentences[i].target = {first == 7 ? 8 : 7, 9, 5, kEos};
  }
  return sentences;
}

Findings forced_prefixes(const Selection& selection) {
  constexpr int64_t kForced = 2;
  const Selection constrained = with_options(selection, [](SearchOptions& options) {
    options.prefix_size = kForced;
    options.length_cap.b = std::max(options.length_cap.b, 9.0);
  });
  return obeyed(
      "--prefix-size 2",
      selection,
      constrained,
      [](const Example& sentence, const Tokens& tokens) -> std::string {
        const auto count = std::min<size_t>(kForced, tokens.size());
        if (std::equal(tokens.begin(),
                       tokens.begin() + static_cast<int64_t>(count),
                       sentence.target.begin()) &&
            count == kForced)
          return {};
        return fmt::format(
            "the reference begins with {} {}", sentence.target[0], sentence.target[1]);
      },
      with_references(selection));
}

Findings no_repetition(const Selection& selection) {
  const auto six_to_eight = [](SearchOptions& options) {
    options.constraints.min_length = 6;
    options.length_cap.a = 0;
    options.length_cap.b = 8;
  };
  const Selection usual = with_options(selection, six_to_eight);
  const Selection constrained = with_options(selection, [&](SearchOptions& options) {
    six_to_eight(options);
    options.constraints.no_repeat_ngram_size = 1;
  });
  return obeyed("--no-repeat-ngram-size 1",
                usual,
                constrained,
                [](const Example&, const Tokens& tokens) -> std::string {
                  const std::set<int64_t> different(tokens.begin(), tokens.end());
                  return different.size() == tokens.size() ? "" : "a token is repeated";
                });
}

Findings unknown_words(const Selection& selection) {
  const Selection constrained = with_options(selection, [](SearchOptions& options) {
    options.constraints.min_length = 1;
    options.constraints.unknown_penalty = -kLargeBonus;
  });
  return obeyed(fmt::format("--unkpen {}", -kLargeBonus),
                selection,
                constrained,
                [](const Example&, const Tokens& tokens) -> std::string {
                  const bool has_unknown = std::count(tokens.begin(), tokens.end(), kUnk) > 0;
                  return has_unknown ? "" : "no <unk>, which has the best score in every step";
                });
}

Findings length_penalties(const Selection& selection) {
  const auto scores = [&](double alpha) {
    const Selection changed = with_options(selection, [&](SearchOptions& options) {
      options.unnormalized = false;
      options.length_penalty.form = LengthPenaltyForm::kPower;
      options.length_penalty.alpha = alpha;
      options.constraints.min_length = std::max<int64_t>(options.constraints.min_length, 3);
    });
    std::vector<double> all;
    for (const auto& of_sentence : decode_scripted(changed, scripted_sentences())) {
      for (const Hypothesis& hypothesis : of_sentence) all.push_back(hypothesis.score);
    }
    return all;
  };
  if (scores(0.0) != scores(2.0))
    return {};
  return {
      "--lenpen has no effect: every score is the same with 0 and with 2; rank finished hypotheses "
      "by SearchOptions::score"};
}

}  // namespace

std::vector<Check> constraint_checks(const Selection& selection) {
  const auto check = check_maker(selection);
  return {check("--min-len is obeyed", minimum_length),
          check("--max-len-b is obeyed", maximum_length),
          check("--match-source-len is obeyed", exact_length),
          check("--prefix-size is obeyed", forced_prefixes),
          check("--no-repeat-ngram-size is obeyed", no_repetition),
          check("--unkpen is obeyed", unknown_words),
          check("--lenpen changes scores", length_penalties)};
}

}  // namespace phraseq::conformance
