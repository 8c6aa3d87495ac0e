#include "core/score/report/score_report.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "core/score/report/python_text.h"
#include "core/score/report/signature.h"

namespace phraseq::score {
namespace {

std::string fixed(double value, int width) { return fmt::format("{:.{}f}", value, width); }

/// The rounded number as a JSON number.
std::string rounded(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return python_number(value);
}

/// Whether the interval is shown: as in sacrebleu, only if its mean is positive.
bool shows_interval(const Score& score) { return score.interval && score.interval->mean > 0; }

std::string format_interval(const Interval& interval, int width) {
  return fmt::format("μ = {} ± {}", fixed(interval.mean, width), fixed(interval.half_width, width));
}

std::string format_number(const Score& score, const ReportStyle& style) {
  const std::string number = fixed(score.value, style.width);
  if (!shows_interval(score))
    return number;
  return fmt::format("{} ({})", number, format_interval(*score.interval, style.width));
}

/// sacrebleu's JSON object.
std::string format_json(const Score& score, const ReportStyle& style) {
  if (style.score_only)
    return format_number(score, style);
  std::vector<std::pair<std::string, std::string>> members = {
      {"name", json_string(score.name, /*ascii=*/false)},
      {"score", rounded(fixed(score.value, style.width))},
      {"signature",
       json_string(format_signature(score.signature, /*short_form=*/false), /*ascii=*/false)}};
  if (shows_interval(score)) {
    const auto& interval = *score.interval;
    members.emplace_back("confidence_mean", rounded(fixed(interval.mean, style.width)));
    members.emplace_back("confidence_var", rounded(fixed(interval.half_width, style.width)));
    members.emplace_back("confidence",
                         json_string(format_interval(interval, style.width), /*ascii=*/false));
  }
  if (!score.detail.empty())
    members.emplace_back("verbose_score", json_string(score.detail, /*ascii=*/false));
  for (const auto& field : score.signature) {
    members.emplace_back(field.name, json_string(field.value, /*ascii=*/false));
  }
  std::string text;
  for (const auto& [key, value] : members) {
    text += fmt::format(
        "{}\n {}: {}", text.empty() ? "{" : ",", json_string(key, /*ascii=*/false), value);
  }
  return text + "\n}";
}

}  // namespace

std::string format_text(const Score& score, const ReportStyle& style) {
  const std::string number = format_number(score, style);
  if (style.score_only)
    return number;
  return fmt::format("{}|{} = {}{}{}",
                     score.name,
                     format_signature(score.signature, style.short_signature),
                     number,
                     score.detail.empty() ? "" : " ",
                     score.detail);
}

std::string report_text(const std::vector<Score>& scores, const ReportStyle& style) {
  std::vector<std::string> lines;
  size_t widest = 0;
  for (const auto& score : scores) {
    lines.push_back(format_text(score, style));
    widest = std::max(widest, lines.back().find(" = "));
  }
  std::string text;
  for (const auto& line : lines) {
    if (!style.score_only)
      text.append(widest - line.find(" = "), ' ');
    text += line + '\n';
  }
  return text;
}

std::string report_json(const std::vector<Score>& scores, const ReportStyle& style) {
  if (scores.size() == 1)
    return format_json(scores.front(), style) + '\n';
  std::string text;
  for (const auto& score : scores) {
    text += (text.empty() ? "[\n" : ",\n") + format_json(score, style);
  }
  return text + "\n]\n";
}

}  // namespace phraseq::score
