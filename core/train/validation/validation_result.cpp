#include "core/train/validation/validation_result.h"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "core/score/report/signature.h"
#include "core/train/options/validation_options.h"

namespace phraseq {
namespace {

nlohmann::json part_json(const ValidationPart& part) {
  nlohmann::json json = part.losses.to_json();
  if (part.score)
    json["score"] = *part.score;
  return json;
}

}  // namespace

double ValidationLosses::ppl() const { return std::exp(nll_loss); }

nlohmann::json ValidationLosses::to_json() const {
  nlohmann::json json = {{"loss", loss},
                         {"nll_loss", nll_loss},
                         {"ppl", ppl()},
                         {"tokens", tokens},
                         {"sentences", sentences}};
  for (const auto& [name, value] : extras) json[name] = value;
  return json;
}

nlohmann::json ValidationResult::to_json() const {
  nlohmann::json json = losses.to_json();
  json["subset"] = subset;
  for (const auto& [name, part] : parts) json["parts"][name] = part_json(part);
  if (score) {
    json["score"] = score->value;
    json["score_name"] = score->name;
    json["score_text"] = score::format_text(*score, score::kLogStyle);
    json["signature"] = score::format_signature(score->signature, /*short_form=*/false);
  }
  return json;
}

std::string losses_text(const ValidationLosses& losses) {
  constexpr double kBits = 1.0 / std::numbers::ln2;
  const double loss = losses.loss * kBits;
  const double nll_loss = losses.nll_loss * kBits;
  const double ppl = losses.ppl();
  return (std::isfinite(loss) ? fmt::format(" | loss {:.3f}", loss) : "") +
         (std::isfinite(nll_loss) ? fmt::format(" | nll_loss {:.3f} (base 2)", nll_loss) : "") +
         (std::isfinite(ppl) ? fmt::format(" | ppl {:.2f}", ppl) : "");
}

std::string accuracy_text(const ValidationLosses& losses) {
  const auto correct = losses.extras.find(kCorrectPerToken);
  return correct == losses.extras.end() ? "" : fmt::format(" | accuracy {:.4f}", correct->second);
}

std::string part_lines(const ValidationResult& result) {
  std::string lines;
  for (const auto& [name, part] : result.parts) {
    lines += fmt::format("\n  {}{}", name, losses_text(part.losses));
    if (part.score)
      lines += fmt::format(
          " | {} {:.2f}", result.score ? result.score->name : std::string("score"), *part.score);
  }
  return lines;
}

}  // namespace phraseq
