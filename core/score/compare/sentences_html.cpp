#include "core/score/compare/sentences_html.h"

#include <string_view>

#include <fmt/format.h>

namespace phraseq::score {
namespace {

std::string text_row(std::string_view name, std::string_view text) {
  return fmt::format("<dt>{}</dt><dd dir=\"auto\">{}</dd>\n",
                     plot::escape_xml(name),
                     text.empty() ? "<small>(empty)</small>" : plot::escape_xml(text));
}

/// "12.3 → 45.6 ▲ +33.3" with a color and an arrow for better or worse: for TER, ▲ means a lower
/// score.
std::string scores_html(const ComparedSentence& sentence, int width) {
  const bool better = sentence.gain > 0;
  return fmt::format("{:.{}f} → {:.{}f} <span class=\"{}\">{} {:+.{}f}</span>",
                     sentence.baseline,
                     width,
                     sentence.score,
                     width,
                     better ? "better" : "worse",
                     better ? "▲" : "▼",
                     sentence.score - sentence.baseline,
                     width);
}

std::string sentence_html(const ComparedSentence& sentence,
                          const std::string& baseline,
                          const std::string& system,
                          int width) {
  std::string html = fmt::format("<div class=\"sentence\"><b>Line {}</b> &#160; {}\n<dl>\n",
                                 sentence.line,
                                 scores_html(sentence, width));
  if (!sentence.source.empty())
    html += text_row("Source", sentence.source);
  for (size_t i = 0; i < sentence.references.size(); ++i) {
    const bool single = sentence.references.size() == 1;
    html +=
        text_row(single ? "Reference" : fmt::format("Reference {}", i + 1), sentence.references[i]);
  }
  html += text_row(baseline, sentence.baseline_text);
  html += text_row(system, sentence.text);
  return html + "</dl></div>\n";
}

std::string list_html(std::string_view title,
                      const std::vector<ComparedSentence>& sentences,
                      const std::string& baseline,
                      const std::string& system,
                      int width) {
  if (sentences.empty())
    return {};
  std::string html = fmt::format("<h3>{}</h3>\n", title);
  for (const auto& sentence : sentences) html += sentence_html(sentence, baseline, system, width);
  return html;
}

}  // namespace

std::string sentences_html(const Comparison& comparison, int width) {
  std::string html;
  const std::string& baseline = comparison.systems.front();
  for (const auto& part : comparison.sentences) {
    html += fmt::format("<h2>Sentences: {} compared with {}</h2>\n",
                        plot::escape_xml(part.system),
                        plot::escape_xml(baseline));
    html += fmt::format(
        "<p>By {} of single sentences, {} are better, {} are worse and {} are equal. Sorted by the "
        "difference.</p>\n",
        plot::escape_xml(comparison.lengths.metric),
        part.better,
        part.worse,
        part.equal);
    html += list_html("Better", part.most_better, baseline, part.system, width);
    html += list_html("Worse", part.most_worse, baseline, part.system, width);
  }
  return html;
}

}  // namespace phraseq::score
