#include "core/score/report/text_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/text/unicode.h"

namespace phraseq::score {
namespace {

/// A column is at least this much wider than its heading.
constexpr size_t kHeadingMargin = 2;

size_t width_of(std::string_view text) { return to_code_points(text).size(); }

std::vector<size_t> column_widths(const std::vector<TableRow>& rows) {
  std::vector<size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows) {
    const size_t margin = &row == &rows.front() ? kHeadingMargin : 0;
    for (size_t column = 0; column < row.size(); ++column) {
      for (const auto& line : row[column]) {
        widths[column] = std::max(widths[column], width_of(line.text) + margin);
      }
    }
  }
  return widths;
}

/// Pads `shown`, which is `length` wide, with blanks: on the left in the first column, otherwise on
/// both sides.
std::string pad(const std::string& shown, size_t length, size_t width, bool first_column) {
  const size_t blanks = width - length;
  const size_t left = first_column ? blanks : blanks / 2;
  return std::string(left, ' ') + shown + std::string(blanks - left, ' ');
}

std::string rule(const std::vector<size_t>& widths,
                 std::string_view left,
                 std::string_view line,
                 std::string_view cross,
                 std::string_view right) {
  std::string text(left);
  for (size_t column = 0; column < widths.size(); ++column) {
    if (column > 0)
      text += cross;
    for (size_t at = 0; at < widths[column] + 2; ++at) text += line;
  }
  return text.append(right) + '\n';
}

std::string grid_row(const TableRow& row, const std::vector<size_t>& widths) {
  size_t height = 0;
  for (const auto& cell : row) height = std::max(height, cell.size());
  std::string text;
  for (size_t line = 0; line < height; ++line) {
    for (size_t column = 0; column < row.size(); ++column) {
      const auto& cell = row[column];
      const ColoredText part = line < cell.size() ? cell[line] : ColoredText{};
      text += "│ " +
              pad(paint(part.text, part.color), width_of(part.text), widths[column], column == 0) +
              ' ';
    }
    text += "│\n";
  }
  return text;
}

std::string escape_latex(std::string_view text) {
  constexpr std::string_view kWithBackslash = "&%$#_{}";
  std::string result;
  for (const char byte : text) {
    switch (byte) {
      case '^':
        result += "\\^{}";
        break;
      case '~':
        result += "\\textasciitilde{}";
        break;
      case '\\':
        result += "\\textbackslash{}";
        break;
      case '<':
        result += "\\ensuremath{<}";
        break;
      case '>':
        result += "\\ensuremath{>}";
        break;
      default:
        if (kWithBackslash.find(byte) != std::string_view::npos)
          result += '\\';
        result += byte;
    }
  }
  return result;
}

/// Joins the lines of each cell into one, without colors.
std::vector<TableRow> on_one_line(const std::vector<TableRow>& rows) {
  std::vector<TableRow> result = rows;
  for (auto& row : result) {
    for (auto& cell : row) {
      std::string text;
      for (const auto& line : cell) text += (text.empty() ? "" : " ") + line.text;
      cell = {{text}};
    }
  }
  return result;
}

}  // namespace

std::string paint(std::string_view text, Color color) {
  constexpr std::string_view kCodes[] = {"", "31", "32", "33", "36"};
  if (color == Color::kNone)
    return std::string(text);
  return fmt::format("\033[{}m{}\033[0m", kCodes[static_cast<size_t>(color)], text);
}

std::string draw_grid(const std::vector<TableRow>& rows) {
  const auto widths = column_widths(rows);
  std::string text = rule(widths, "╒", "═", "╤", "╕");
  for (size_t row = 0; row < rows.size(); ++row) {
    if (row == 1)
      text += rule(widths, "╞", "═", "╪", "╡");
    if (row > 1)
      text += rule(widths, "├", "─", "┼", "┤");
    text += grid_row(rows[row], widths);
  }
  return text + rule(widths, "╘", "═", "╧", "╛");
}

std::string draw_booktabs(const std::vector<TableRow>& rows) {
  const auto lines = on_one_line(rows);
  const auto widths = column_widths(lines);
  std::string text = "\\begin{tabular}{r" + std::string(widths.size() - 1, 'c') + "}\n\\toprule\n";
  for (const auto& row : lines) {
    for (size_t column = 0; column < row.size(); ++column) {
      const std::string& cell = row[column].front().text;
      text += column == 0 ? " " : "& ";
      text += pad(escape_latex(cell), width_of(cell), widths[column], column == 0) + ' ';
    }
    text += "\\\\\n";
    if (&row == &lines.front())
      text += "\\midrule\n";
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace phraseq::score
