#include "core/plot/svg.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/io/utf8.h"

namespace phraseq::plot {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// The replacements for the colors of text, axes and series on a dark background.
constexpr std::string_view kDarkStyle = R"(<style>
@media (prefers-color-scheme: dark) {
svg .ground { fill: #161616; }
svg text[fill="#222222"], svg text[fill="#333333"] { fill: #e6e6e6; }
svg text[fill="#777777"] { fill: #a8a8a8; }
svg [stroke="#ffffff"] { stroke: #161616; }
svg [stroke="#e4e4e4"] { stroke: #333333; }
svg [stroke="#444444"] { stroke: #cccccc; }
svg [fill="#0072b2"] { fill: #3d9be0; }
svg [stroke="#0072b2"] { stroke: #3d9be0; }
svg [fill="#7a5c00"] { fill: #c4a000; }
svg [stroke="#7a5c00"] { stroke: #c4a000; }
svg [fill="#555555"] { fill: #aaaaaa; }
svg [stroke="#555555"] { stroke: #aaaaaa; }
}
</style>
)";

/// A number with at most two decimals: "12.5", "3", never "-0".
std::string number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.')
    text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string attributes_of(const Paint& paint) {
  std::string text = fmt::format("fill=\"{}\"", paint.fill);
  if (paint.stroke != "none") {
    text +=
        fmt::format(" stroke=\"{}\" stroke-width=\"{}\"", paint.stroke, number(paint.stroke_width));
  }
  if (!paint.dash.empty())
    text += fmt::format(" stroke-dasharray=\"{}\"", paint.dash);
  if (paint.opacity != 1)
    text += fmt::format(" opacity=\"{}\"", number(paint.opacity));
  return text;
}

std::string_view name_of(Anchor anchor) {
  if (anchor == Anchor::kStart)
    return "start";
  return anchor == Anchor::kMiddle ? "middle" : "end";
}

bool is_xml_character(char32_t character) {
  return character >= 0x20 || character == '\t' || character == '\n';
}

/// Whether a character fills a square, as East Asian ones do.
bool is_wide(char32_t character) {
  return (character >= 0x1100 && character <= 0x115F) ||
         (character >= 0x2E80 && character <= 0xD7A3) ||
         (character >= 0xF900 && character <= 0xFAFF) ||
         (character >= 0xFE30 && character <= 0xFE6F) ||
         (character >= 0xFF00 && character <= 0xFF60) || character >= 0x20000;
}

}  // namespace

std::string escape_xml(std::string_view text) {
  const std::string good = repair_text(text, ControlBytes::kAllow);
  std::string result;
  for (size_t position = 0; position < good.size();) {
    const size_t begin = position;
    const char32_t character = next_character(good, position);
    if (character == '&')
      result += "&amp;";
    else if (character == '<')
      result += "&lt;";
    else if (character == '>')
      result += "&gt;";
    else if (character == '"')
      result += "&quot;";
    else if (is_xml_character(character) && character != 0xFFFE && character != 0xFFFF)
      result.append(good, begin, position - begin);
    else
      result += kReplacement;
  }
  return result;
}

double text_width(std::string_view text, double size) {
  const std::string good = repair_text(text, ControlBytes::kAllow);
  double width = 0;
  for (size_t position = 0; position < good.size();) {
    const char32_t character = next_character(good, position);
    if (is_wide(character))
      width += 1;
    else if (character == 0x2581)  // SentencePiece's mark of a word's beginning
      width += 0.8;
    else if (std::string_view("iljtfI.,:;|'! ").find(static_cast<char>(character)) !=
                 std::string_view::npos &&
             character < 0x80)
      width += 0.32;
    else if ((character >= 'A' && character <= 'Z') || character == 'm' || character == 'w')
      width += 0.72;
    else
      width += 0.6;
  }
  return width * size;
}

std::string shorten(std::string_view text, double size, double width) {
  std::string whole = repair_text(text, ControlBytes::kAllow);
  if (text_width(whole, size) <= width)
    return whole;
  std::vector<std::string_view> characters;
  for (size_t position = 0; position < whole.size();) {
    const size_t begin = position;
    next_character(whole, position);
    characters.push_back(std::string_view(whole).substr(begin, position - begin));
  }
  std::string front, back;
  double used = text_width("…", size);
  for (size_t taken = 0; taken < characters.size(); ++taken) {
    const bool at_front = taken % 2 == 0;
    const auto next =
        at_front ? characters[taken / 2] : characters[characters.size() - 1 - taken / 2];
    used += text_width(next, size);
    if (used > width)
      break;
    at_front ? front.append(next) : back.insert(0, next);
  }
  return front + "…" + back;
}

std::vector<std::string> wrap_text(std::string_view text, double size, double width) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty())
      continue;
    if (!lines.empty() &&
        text_width(lines.back(), size) + text_width(" ", size) + text_width(word, size) <= width) {
      lines.back().append(" ").append(word);
    } else {
      lines.push_back(shorten(word, size, width));
    }
  }
  return lines;
}

Svg::Svg(double width, double height, std::string_view title)
    : width_(width), height_(height), title_(title) {}

void Svg::add(std::string_view shape, std::string_view tip) {
  if (tip.empty()) {
    shapes_ += fmt::format("<{}/>\n", shape);
  } else {
    const std::string_view name = shape.substr(0, shape.find(' '));
    shapes_ += fmt::format("<{}><title>{}</title></{}>\n", shape, escape_xml(tip), name);
  }
}

void Svg::rectangle(
    const Point& corner, double width, double height, const Paint& paint, std::string_view tip) {
  add(fmt::format("rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}",
                  number(corner.x),
                  number(corner.y),
                  number(width),
                  number(height),
                  attributes_of(paint)),
      tip);
}

void Svg::circle(const Point& center, double radius, const Paint& paint, std::string_view tip) {
  add(fmt::format("circle cx=\"{}\" cy=\"{}\" r=\"{}\" {}",
                  number(center.x),
                  number(center.y),
                  number(radius),
                  attributes_of(paint)),
      tip);
}

void Svg::line(const Point& from, const Point& to, const Paint& paint) {
  add(fmt::format("line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {}",
                  number(from.x),
                  number(from.y),
                  number(to.x),
                  number(to.y),
                  attributes_of(paint)),
      {});
}

void Svg::polyline(const std::vector<Point>& points, const Paint& paint) {
  std::string places;
  for (const Point& point : points) {
    places += fmt::format("{}{},{}", places.empty() ? "" : " ", number(point.x), number(point.y));
  }
  add(fmt::format(
          "polyline points=\"{}\" stroke-linejoin=\"round\" {}", places, attributes_of(paint)),
      {});
}

void Svg::text(const Point& point, std::string_view content, const TextStyle& style) {
  shapes_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\" text-anchor=\"{}\"",
                         number(point.x),
                         number(point.y),
                         number(style.size),
                         style.color,
                         name_of(style.anchor));
  if (style.bold)
    shapes_ += " font-weight=\"bold\"";
  if (style.turn != 0) {
    shapes_ += fmt::format(
        " transform=\"rotate({} {} {})\"", number(style.turn), number(point.x), number(point.y));
  }
  shapes_ += fmt::format(">{}</text>\n", escape_xml(content));
}

std::string Svg::wrap(std::string_view attributes) const {
  return fmt::format(
      "<svg {0}viewBox=\"0 0 {1} {2}\" width=\"{1}\" height=\"{2}\" role=\"img\" "
      "font-family=\"'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n"
      "<title>{3}</title>\n"
      "{5}<rect class=\"ground\" width=\"{1}\" height=\"{2}\" fill=\"#ffffff\"/>\n"
      "{4}</svg>\n",
      attributes,
      number(width_),
      number(height_),
      escape_xml(title_),
      shapes_,
      kDarkStyle);
}

std::string Svg::document() const {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" +
         wrap("xmlns=\"http://www.w3.org/2000/svg\" ");
}

std::string Svg::element() const { return wrap({}); }

}  // namespace phraseq::plot
