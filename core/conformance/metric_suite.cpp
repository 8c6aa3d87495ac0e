#include "core/conformance/metric_suite.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/score/metrics/metric.h"

namespace phraseq::conformance {
namespace {

using Lines = std::vector<std::string>;

/// A metric for German, and texts to score with it.
struct MetricSetting {
  explicit MetricSetting(const Selection& selection)
      : metric(create<Metric>(selection, MetricSetup{"de"})) {}

  MetricScore score(const Lines& hypotheses) const {
    return metric->score(hypotheses, {references});
  }

  std::unique_ptr<Metric> metric;
  const Lines references = {"Zwei junge Männer sind im Freien .",
                            "Mehrere Männer mit Schutzhelmen bedienen ein Rad .",
                            "Ein kleines Mädchen klettert in ein Spielhaus aus Holz .",
                            "Ein Mann in einem blauen Hemd steht auf einer Leiter .",
                            "Zwei Männer stehen am Herd und bereiten Essen zu .",
                            "Ein Mann lächelt einen ausgestopften Löwen an .",
                            "Die Katze schläft unter dem großen Tisch ."};
};

/// The references with their words turned around in every line but the first.
Lines turned_around(const Lines& lines) {
  Lines turned = lines;
  for (size_t i = 1; i < turned.size(); ++i) {
    const size_t middle = turned[i].find(' ', turned[i].size() / 2);
    turned[i] = turned[i].substr(middle + 1) + " " + turned[i].substr(0, middle);
  }
  return turned;
}

Findings metric_report(const Selection& selection) {
  Findings findings;
  const MetricSetting setting(selection);
  const MetricScore score = setting.score(setting.references);
  if (score.name.empty())
    findings.emplace_back("name is empty: a log could not say what the number is");
  if (score.signature.empty())
    findings.emplace_back("signature is empty: nobody could compute the number again");
  if (score.text.empty())
    findings.emplace_back("text is empty: there is nothing for a person to read");
  if (setting.score(setting.references).value != score.value)
    findings.emplace_back("the same texts score otherwise the second time");
  return findings;
}

Findings better_is_better(const Selection& selection) {
  const MetricSetting setting(selection);
  const auto value_of = [&](const Lines& hypotheses) {
    const MetricScore score = setting.score(hypotheses);
    return score.higher_is_better ? score.value : -score.value;
  };
  const double right = value_of(setting.references);
  const double turned = value_of(turned_around(setting.references));
  const double nothing = value_of(Lines(setting.references.size(), "xyz"));
  if (right > turned && turned >= nothing)
    return {};
  return {fmt::format(
      "the references themselves, with words in another order, and other words score {}, {} "
      "and {}: the first should be the best and the last the worst; is higher_is_better right?",
      std::abs(right),
      std::abs(turned),
      std::abs(nothing))};
}

Findings order_of_lines(const Selection& selection) {
  MetricSetting setting(selection);
  const Lines hypotheses = turned_around(setting.references);
  const Lines back(hypotheses.rbegin(), hypotheses.rend());
  const Lines references_back(setting.references.rbegin(), setting.references.rend());
  const double forwards = setting.score(hypotheses).value;
  const double backwards = setting.metric->score(back, {references_back}).value;
  if (std::abs(forwards - backwards) <= 1e-9 * std::max(1.0, std::abs(forwards)))
    return {};
  return {fmt::format("{} for a text, {} for its lines in reverse", forwards, backwards)};
}

Findings empty_hypotheses(const Selection& selection) {
  Findings findings;
  const MetricSetting setting(selection);
  Lines one_empty = setting.references;
  one_empty[2].clear();
  for (const Lines& hypotheses : {one_empty, Lines(setting.references.size())}) {
    const double value = setting.score(hypotheses).value;
    if (!std::isfinite(value))
      findings.push_back(fmt::format("{} for a text with empty lines", value));
  }
  return findings;
}

Findings unequal_lengths(const Selection& selection) {
  const MetricSetting setting(selection);
  Lines shorter = setting.references;
  shorter.pop_back();
  try {
    setting.score(shorter);
  } catch (const DataError&) {
    return {};
  }
  return {fmt::format(
      "{} lines were scored against {} references: a DataError with both counts is expected",
      shorter.size(),
      setting.references.size())};
}

}  // namespace

std::vector<Check> metric_suite(const Selection& selection) {
  return {
      {"a score has its name, text and signature", [&] { return metric_report(selection); }},
      {"the references score best, other words worst", [&] { return better_is_better(selection); }},
      {"the order of lines does not matter", [&] { return order_of_lines(selection); }},
      {"empty lines have a score", [&] { return empty_hypotheses(selection); }},
      {"a line too few is an error", [&] { return unequal_lengths(selection); }}};
}

}  // namespace phraseq::conformance
