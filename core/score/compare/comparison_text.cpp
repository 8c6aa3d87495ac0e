#include "core/score/compare/comparison_text.h"

#include <fmt/format.h>

#include "core/score/compare/comparison_rows.h"
#include "core/score/report/text_table.h"

namespace phraseq::score {
namespace {

std::string draw(const ComparisonRows& rows, bool colors) {
  std::vector<TableRow> table;
  for (const auto& row : rows) {
    TableRow& drawn = table.emplace_back();
    for (const auto& cell : row) {
      const bool heading = &row == &rows.front();
      drawn.push_back({{cell.text, heading && colors ? Color::kCyan : Color::kNone}});
      if (!cell.below.empty()) {
        drawn.back().push_back(
            {cell.below, cell.verdict == Verdict::kNone && colors ? Color::kRed : Color::kNone});
      }
    }
  }
  return draw_grid(table);
}

}  // namespace

std::string comparison_text(const Comparison& comparison, int width, bool colors) {
  std::string text = draw(metric_rows(comparison, width), colors);
  for (const BucketTable* table : bucket_tables(comparison))
    text += '\n' + title_of(*table) + '\n' + draw(bucket_rows(comparison, *table, width), colors);
  text += '\n';
  for (const auto& line : explain_cells(comparison)) text += line + '\n';
  text += '\n';
  for (const auto& [name, signature] : all_signatures(comparison))
    text += fmt::format(" - {:<10} {}\n", name, signature);
  return text;
}

}  // namespace phraseq::score
