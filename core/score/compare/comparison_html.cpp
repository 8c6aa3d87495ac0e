#include <string_view>

#include <fmt/format.h>

#include "core/score/compare/comparison_rows.h"

namespace phraseq::score {
namespace {

constexpr std::string_view kHead = R"html(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>phraseq compare</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; margin: 1rem 0 2rem; }
th, td { border-bottom: 1px solid #ddd; padding: .4rem 1rem; text-align: right; vertical-align: top; }
th { border-bottom: 2px solid #888; }
th:first-child, td:first-child { text-align: left; }
p { margin: 0; }
small { color: #777; }
small.significant { color: #060; font-weight: bold; }
code { overflow-wrap: anywhere; }
svg { max-width: 100%; height: auto; }
</style>
</head>
<body>
)html";

std::string cell_html(const ComparisonCell& cell, std::string_view tag) {
  std::string below;
  if (!cell.below.empty()) {
    below = fmt::format("<br><small{}>{}</small>",
                        cell.significant ? " class=\"significant\"" : "",
                        plot::escape_xml(cell.below));
  }
  return fmt::format("<{0}>{1}{2}</{0}>", tag, plot::escape_xml(cell.text), below);
}

std::string table_html(const ComparisonRows& rows) {
  std::string html = "<table>\n";
  for (const auto& row : rows) {
    html += "<tr>";
    for (const auto& cell : row) html += cell_html(cell, &row == &rows.front() ? "th" : "td");
    html += "</tr>\n";
  }
  return html + "</table>\n";
}

std::string signature_html(std::string_view name, std::string_view signature) {
  return fmt::format(
      "<li>{} <code>{}</code></li>\n", plot::escape_xml(name), plot::escape_xml(signature));
}

}  // namespace

std::string comparison_html(const Comparison& comparison, int width) {
  std::string html(kHead);
  html += "<h1>Comparison</h1>\n" + table_html(metric_rows(comparison, width));
  html += fmt::format(
      "<h2>{} by {}</h2>\n", comparison.bucket_metric, plot::escape_xml(comparison.length_title));
  html += comparison_plot(comparison, width, /*lines=*/false).element();
  html += table_html(bucket_rows(comparison, width));
  for (const auto& line : explain_cells(comparison))
    html += fmt::format("<p>{}</p>\n", plot::escape_xml(line));
  html += "<ul>\n";
  for (size_t metric = 0; metric < comparison.metrics.size(); ++metric) {
    html += signature_html(comparison.metrics[metric], comparison.signatures[metric]);
  }
  return html + signature_html("by length", comparison.bucket_signature) +
         "</ul>\n</body>\n</html>\n";
}

}  // namespace phraseq::score
