#include "core/plot/svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/xml.h"

namespace phraseq::plot {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing_support::XmlCheck;

TEST(XmlCheck, FindsWhatIsNotWellFormed) {
  EXPECT_EQ(XmlCheck("<a b=\"1\"><c/>x &amp; y</a>\n").fault(), "");
  for (const char* bad : {"<a>",
                          "<a></b>",
                          "<a/><b/>",
                          "x<a/>",
                          "<a b=1/>",
                          "<a b=\"1\" b=\"2\"/>",
                          "<a>&</a>",
                          "<a>&nbsp;</a>",
                          "<a b=\"<\"/>",
                          "<a>\x01</a>"}) {
    EXPECT_NE(XmlCheck(bad).fault(), "") << bad;
  }
}

TEST(Svg, WritesShapesInTheOrderTheyCame) {
  Svg svg(100, 50.5, "A");
  svg.rectangle({1, 2.25}, 30, 4, {.fill = "#ff0000"}, "the tip");
  svg.line({0, 0}, {10, -0.001}, {.stroke = "#000000", .stroke_width = 1.5});
  svg.polyline({{1, 1}, {2, 3.456}}, {.stroke = "#00ff00"});
  svg.circle({5, 5}, 2, {.fill = "#0000ff", .opacity = 0.5});
  svg.text({7, 8}, "word", {.size = 10, .anchor = Anchor::kEnd, .bold = true, .turn = -90});
  std::string document = svg.document();
  const size_t style = document.find("<style>"), end = document.find("</style>\n");
  ASSERT_LT(style, end);
  document.erase(style, end + 9 - style);
  EXPECT_EQ(
      document,
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 100 50.5\" width=\"100\" "
      "height=\"50.5\" role=\"img\" font-family=\"'Helvetica Neue', Helvetica, Arial, 'DejaVu "
      "Sans', sans-serif\">\n"
      "<title>A</title>\n"
      "<rect class=\"ground\" width=\"100\" height=\"50.5\" fill=\"#ffffff\"/>\n"
      "<rect x=\"1\" y=\"2.25\" width=\"30\" height=\"4\" fill=\"#ff0000\"><title>the "
      "tip</title></rect>\n"
      "<line x1=\"0\" y1=\"0\" x2=\"10\" y2=\"0\" fill=\"none\" stroke=\"#000000\" "
      "stroke-width=\"1.5\"/>\n"
      "<polyline points=\"1,1 2,3.46\" stroke-linejoin=\"round\" fill=\"none\" "
      "stroke=\"#00ff00\" stroke-width=\"1\"/>\n"
      "<circle cx=\"5\" cy=\"5\" r=\"2\" fill=\"#0000ff\" opacity=\"0.5\"/>\n"
      "<text x=\"7\" y=\"8\" font-size=\"10\" fill=\"#333333\" text-anchor=\"end\" "
      "font-weight=\"bold\" transform=\"rotate(-90 7 8)\">word</text>\n"
      "</svg>\n");
}

TEST(Svg, EscapesAndRepairsText) {
  EXPECT_EQ(escape_xml("a & b < c > \"d\" 'e' é\t"), "a &amp; b &lt; c &gt; &quot;d&quot; 'e' é\t");
  EXPECT_EQ(escape_xml(std::string_view("\0\x01\x1f\x7f", 4)), "\uFFFD\uFFFD\uFFFD\x7f");
  EXPECT_EQ(escape_xml("\xC3("), "\uFFFD(");
  EXPECT_EQ(escape_xml("\uFFFE"), "\uFFFD");
  Svg svg(10, 10, "<&>");
  svg.text({0, 0}, "</text>&\x02");
  svg.circle({0, 0}, 1, {}, "\"<\xFF");
  EXPECT_EQ(XmlCheck(svg.document()).fault(), "");
}

TEST(Svg, NeedsNoNamespaceInsideAPage) {
  Svg svg(10, 10, "A");
  EXPECT_THAT(svg.element(), ::testing::StartsWith("<svg viewBox="));
  EXPECT_THAT(svg.element(), Not(HasSubstr("http")));
  EXPECT_EQ(XmlCheck(svg.element()).fault(), "");
}

TEST(TextWidth, CountsCharactersNotBytes) {
  EXPECT_DOUBLE_EQ(text_width("ab", 10), 12);
  EXPECT_DOUBLE_EQ(text_width("éß", 10), 12);
  EXPECT_DOUBLE_EQ(text_width("\u2581a", 10), 14);
  EXPECT_DOUBLE_EQ(text_width("中文", 10), 20);
  EXPECT_LT(text_width("ill", 10), text_width("abc", 10));
  EXPECT_GT(text_width("MWA", 10), text_width("abc", 10));
}

TEST(Svg, TurnsDarkWithThePage) {
  const std::string svg = Svg(10, 20, "t").document();
  EXPECT_EQ(XmlCheck(svg).fault(), "");
  EXPECT_THAT(svg, ::testing::HasSubstr("@media (prefers-color-scheme: dark)"));
  EXPECT_THAT(svg, ::testing::HasSubstr("<rect class=\"ground\" width=\"10\" height=\"20\""));
}

TEST(Text, IsShortenedInItsMiddle) {
  EXPECT_EQ(shorten("short", 12, 200), "short");
  EXPECT_EQ(shorten("aaaaaaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbbbbb", 10, 37), "aaa…bb");
  EXPECT_EQ(shorten("äöüäöüäöüäöüäöü", 10, 25), "äö…ü");
}

TEST(Text, IsBrokenAtBlanks) {
  EXPECT_THAT(wrap_text("aa bb  cc", 10, 16), ::testing::ElementsAre("aa", "bb", "cc"));
  EXPECT_THAT(wrap_text("aa bb cc", 10, 30), ::testing::ElementsAre("aa bb", "cc"));
  EXPECT_THAT(wrap_text("", 10, 30), ::testing::IsEmpty());
}

}  // namespace
}  // namespace phraseq::plot
