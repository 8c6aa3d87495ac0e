#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"

/// Figures as SVG, as a file or inside a page. The same input produces the same bytes.
namespace phraseq::plot {

/// A point in pixels from the left and from the top.
struct Point {
  double x = 0;
  double y = 0;
};

/// The fill and the outline of a shape. Colors are those of CSS; lengths are pixels.
struct Paint {
  std::string fill = "none";
  std::string stroke = "none";
  double stroke_width = 1;
  double opacity = 1;
  std::string dash = {};  ///< lengths of dashes and gaps: "6 3"; empty = an unbroken line
};

enum class Anchor { kStart, kMiddle, kEnd };

struct TextStyle {
  double size = 12;
  Anchor anchor = Anchor::kStart;
  std::string color = "#333333";
  bool bold = false;
  double turn = 0;  ///< degrees clockwise, around the point
};

/// An SVG figure that is being drawn; later elements cover earlier ones. Text may contain anything:
/// it is escaped, and characters that XML does not allow are replaced by U+FFFD. Readers who prefer
/// dark pages see light text on a dark background; colors that represent data keep their hue.
class PHRASEQ_API Svg {
 public:
  /// `title` describes the figure to readers who cannot see it.
  Svg(double width, double height, std::string_view title);

  /// `tip` is shown on hovering over the shape.
  void rectangle(const Point& corner,
                 double width,
                 double height,
                 const Paint& paint,
                 std::string_view tip = {});
  void circle(const Point& center, double radius, const Paint& paint, std::string_view tip = {});
  void line(const Point& from, const Point& to, const Paint& paint);
  void polyline(const std::vector<Point>& points, const Paint& paint);
  /// `point` is on the base line of the text.
  void text(const Point& point, std::string_view content, const TextStyle& style = {});

  /// The content of an SVG file.
  std::string document() const;
  /// An element of an HTML page.
  std::string element() const;

 private:
  void add(std::string_view shape, std::string_view tip);
  std::string wrap(std::string_view attributes) const;

  double width_, height_;
  std::string title_;
  std::string shapes_;
};

/// Escapes & < > " for text between tags or in an attribute, and replaces characters that XML does
/// not allow.
PHRASEQ_API std::string escape_xml(std::string_view text);

/// The approximate width of the text in a sans-serif font of this size; exact widths depend on the
/// reader's fonts.
PHRASEQ_API double text_width(std::string_view text, double size);

/// The text, or, if it is wider than `width`, its beginning and end with "…" between them.
PHRASEQ_API std::string shorten(std::string_view text, double size, double width);

/// Lines no wider than `width`, broken at spaces; a word that is too wide by itself is shortened.
PHRASEQ_API std::vector<std::string> wrap_text(std::string_view text, double size, double width);

}  // namespace phraseq::plot
