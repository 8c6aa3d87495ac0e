#include "core/score/compare/comparison_html.h"

#include <string_view>

#include <fmt/format.h>

#include "core/plot/html_page.h"
#include "core/score/compare/comparison_plot.h"
#include "core/score/compare/comparison_rows.h"
#include "core/score/compare/sentences_html.h"

namespace phraseq::score {
namespace {

constexpr std::string_view kStyle = R"css(table { margin: 1rem 0 2rem; }
th, td { padding: .4rem 1rem; }
td:not(:first-child) { white-space: nowrap; }
td small { white-space: normal; }
th:first-child, td:first-child { min-width: 8rem; }
.sentence { margin: 1rem 0; padding-top: .6rem; border-top: 1px solid var(--rule); }
.sentence dl { display: grid; grid-template-columns: minmax(5rem, max-content) 1fr; gap: .1rem 1rem; margin: .3rem 0; }
.sentence dt { color: var(--faint); max-width: 14rem; overflow-wrap: anywhere; }
.sentence dd { margin: 0; overflow-wrap: anywhere; }
p { margin: 0; }
small { color: var(--faint); }
.better { color: var(--better); font-weight: bold; }
.worse { color: var(--worse); font-weight: bold; }
code { overflow-wrap: anywhere; }
svg { max-width: 100%; height: auto; border-radius: .4rem; }
)css";

/// The second line of a cell. Arrows repeat what the colors mean, for readers who cannot
/// distinguish colors.
std::string below_html(const ComparisonCell& cell) {
  const std::string text = plot::escape_xml(cell.below);
  switch (cell.verdict) {
    case Verdict::kBetter:
      return fmt::format("<br><small class=\"better\" title=\"significantly better\">▲ {}</small>",
                         text);
    case Verdict::kWorse:
      return fmt::format("<br><small class=\"worse\" title=\"significantly worse\">▼ {}</small>",
                         text);
    case Verdict::kNone:
      break;
  }
  return text.empty() ? "" : fmt::format("<br><small>{}</small>", text);
}

std::string cell_html(const ComparisonCell& cell, std::string_view tag) {
  const std::string below = below_html(cell);
  return fmt::format("<{0}>{1}{2}</{0}>", tag, plot::escape_xml(cell.text), below);
}

std::string table_html(const ComparisonRows& rows) {
  std::string html = "<div class=\"wide\"><table>\n";
  for (const auto& row : rows) {
    html += "<tr>";
    for (const auto& cell : row) html += cell_html(cell, &row == &rows.front() ? "th" : "td");
    html += "</tr>\n";
  }
  return html + "</table></div>\n";
}

/// The explanations that the terminal also shows, and an explanation of the arrows.
std::string explanation_html(const Comparison& comparison) {
  std::string html;
  for (const auto& line : explain_cells(comparison))
    html += fmt::format("<p>{}</p>\n", plot::escape_xml(line));
  return html + fmt::format(
                    "<p><span class=\"better\">▲</span> better than {0} and "
                    "<span class=\"worse\">▼</span> worse than {0} by the metric, with *.</p>\n",
                    plot::escape_xml(comparison.systems.front()));
}

std::string signature_html(std::string_view name, std::string_view signature) {
  return fmt::format(
      "<li>{} <code>{}</code></li>\n", plot::escape_xml(name), plot::escape_xml(signature));
}

}  // namespace

std::string comparison_html(const Comparison& comparison, int width) {
  std::string html = plot::html_head("phraseq compare", 80, kStyle);
  html += "<h1>Comparison</h1>\n" + table_html(metric_rows(comparison, width));
  for (const BucketTable* table : bucket_tables(comparison)) {
    html += fmt::format("<h2>{}</h2>\n", plot::escape_xml(title_of(*table)));
    html += comparison_plot(comparison, *table, width, /*lines=*/false).element();
    html += table_html(bucket_rows(comparison, *table, width));
  }
  html += explanation_html(comparison) + "<ul>\n";
  for (const auto& [name, signature] : all_signatures(comparison))
    html += signature_html(name, signature);
  return html + "</ul>\n" + sentences_html(comparison, width) + "</body>\n</html>\n";
}

}  // namespace phraseq::score
