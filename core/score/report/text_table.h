#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"

namespace phraseq::score {

enum class Color { kNone, kRed, kGreen, kYellow, kCyan };

/// `text` enclosed in the terminal's codes for a color.
PHRASEQ_API std::string paint(std::string_view text, Color color);

struct ColoredText {
  std::string text;
  Color color = Color::kNone;
};

/// The lines of one cell.
using TableCell = std::vector<ColoredText>;
using TableRow = std::vector<TableCell>;

/// Rows, the heading first; the first column is right-aligned, the others are centered. Widths
/// count characters. The layouts are those of the Python package tabulate, which sacrebleu uses.

/// Draws a table with box-drawing characters ("fancy_grid").
PHRASEQ_API std::string draw_grid(const std::vector<TableRow>& rows);
/// A LaTeX tabular with booktabs' rules, with one line per cell and without colors.
PHRASEQ_API std::string draw_booktabs(const std::vector<TableRow>& rows);

}  // namespace phraseq::score
