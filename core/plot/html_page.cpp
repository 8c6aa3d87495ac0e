#include "core/plot/html_page.h"

#include <fmt/format.h>

#include "core/plot/svg.h"

namespace phraseq::plot {
namespace {

constexpr std::string_view kHtmlBeforeTitle = R"html(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
)html";

constexpr std::string_view kCommonStyle = R"css(:root {
  color-scheme: light dark;
  --text: #222; --page: #fff; --faint: #666; --rule: #ddd; --heading-rule: #888; --better: #0a6b1e; --worse: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e6e6e6; --page: #161616; --faint: #a8a8a8; --rule: #3a3a3a; --heading-rule: #777; --better: #7ddc8b;
    --worse: #ff9c91;
  }
}
body {
  font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; padding: 0 1rem;
  color: var(--text); background: var(--page);
}
table { border-collapse: collapse; margin: 1.5rem 0; }
th, td { border-bottom: 1px solid var(--rule); padding: .4rem .8rem; text-align: right; vertical-align: top; }
th { border-bottom: 2px solid var(--heading-rule); }
td { font-variant-numeric: tabular-nums; }
th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
)css";

}  // namespace

std::string html_head(std::string_view title, int width, std::string_view style) {
  return fmt::format(
      "{}<title>{}</title>\n<style>\n{}body {{ max-width: {}rem; }}\n{}</style>\n</head>\n<body>\n",
      kHtmlBeforeTitle,
      escape_xml(title),
      kCommonStyle,
      width,
      style);
}

}  // namespace phraseq::plot
