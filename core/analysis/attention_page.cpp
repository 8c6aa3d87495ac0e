#include "core/analysis/attention_page.h"

#include <fmt/format.h>

#include "core/plot/colors.h"
#include "core/plot/html_page.h"

namespace phraseq::analysis {
namespace {

constexpr int kShades = 64;

constexpr std::string_view kStyle = R"css(section { margin: 2rem 0; }
label { margin-right: 1.5rem; }
select { font: inherit; }
)css";

/// Sets the shade and the number of each cell of a section's picture to those of the chosen layer
/// and head.
constexpr std::string_view kScript = R"html(<script>
document.querySelectorAll('section').forEach(section => {
  const data = JSON.parse(section.querySelector('script').textContent);
  const [layer, head] = section.querySelectorAll('select');
  const cells = [...section.querySelectorAll('svg rect')].filter(cell => cell.firstElementChild);
  const heading = section.querySelector('svg text');
  const show = () => {
    const values = data[layer.selectedIndex][head.selectedIndex];
    cells.forEach((cell, i) => {
      cell.setAttribute('fill', shades[Math.round(values[i] * (shades.length - 1))]);
      const tip = cell.firstElementChild;
      tip.textContent = tip.textContent.replace(/[0-9.]+$/, values[i].toFixed(4));
    });
    heading.textContent = section.dataset.title + ', layer ' + layer.value + ', ' + head.value;
  };
  layer.onchange = show;
  head.onchange = show;
});
</script>
</body>
</html>
)html";

std::string options(const std::vector<std::string>& names, size_t chosen) {
  std::string html;
  for (size_t i = 0; i < names.size(); ++i)
    html += fmt::format("<option{}>{}</option>", i == chosen ? " selected" : "", names[i]);
  return html;
}

/// The values [layer][mean and heads][cell] as JSON, with four digits.
std::string data_json(const AttentionMap& map, const std::vector<AttentionWeights>& layers) {
  std::string json = "[";
  for (const auto& weights : layers) {
    json += &weights == &layers.front() ? "[" : ",\n[";
    for (int64_t head = kMeanOfHeads; head <= weights.heads; ++head) {
      json += head == kMeanOfHeads ? "[" : ",\n[";
      bool first = true;
      for (const double value : map.values(weights, head)) {
        json += fmt::format("{}{:.4g}", first ? "" : ",", value >= 5e-5 ? value : 0.0);
        first = false;
      }
      json += ']';
    }
    json += ']';
  }
  return json + ']';
}

std::string section(const RecordedSentence& sentence,
                    const std::vector<AttentionWeights>& layers,
                    TargetLabels labels) {
  const AttentionMap map(sentence, layers, labels);
  std::vector<std::string> layer_names, head_names = {"mean over heads"};
  for (const auto& weights : layers) layer_names.push_back(std::to_string(weights.layer));
  for (int64_t head = 1; head <= layers.front().heads; ++head)
    head_names.push_back(fmt::format("head {}", head));
  return fmt::format(
      "<section data-title=\"{}\">\n"
      "<label>Layer <select>{}</select></label>\n"
      "<label>Head <select>{}</select></label>\n"
      "<div class=\"wide\">\n{}</div>\n"
      "<script type=\"application/json\">{}</script>\n"
      "</section>\n",
      title_of(layers.front().place),
      options(layer_names, layer_names.size() - 1),
      options(head_names, 0),
      heat_map(map.draw(layers.back(), kMeanOfHeads)).element(),
      data_json(map, layers));
}

}  // namespace

std::string attention_page(const RecordedSentence& sentence,
                           const std::vector<AttentionPlace>& places,
                           TargetLabels labels) {
  std::string html =
      plot::html_head("phraseq analyze attention", 90, kStyle) + "<h1>Attention</h1>\n";
  for (const AttentionPlace place : places) {
    const auto layers = attention_weights(sentence, place);
    if (!layers.empty())
      html += section(sentence, layers, labels);
  }
  html += "<script>\nconst shades = [";
  for (int i = 0; i <= kShades; ++i)
    html += fmt::format("{}'{}'", i == 0 ? "" : ",", plot::shade(static_cast<double>(i) / kShades));
  return html + "];\n</script>\n" + std::string(kScript);
}

}  // namespace phraseq::analysis
