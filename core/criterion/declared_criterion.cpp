#include "core/criterion/declared_criterion.h"

#include <fmt/format.h>

#include "core/base/log.h"

namespace phraseq {

DeclaresCriterion::~DeclaresCriterion() = default;

std::string declared_criterion(const Selection& architecture) {
  const auto* const options = dynamic_cast<const DeclaresCriterion*>(architecture.options.get());
  return options == nullptr ? std::string() : options->declared_criterion();
}

void warn_of_other_criterion(const Selection& architecture, const Selection& criterion) {
  const std::string declared = declared_criterion(architecture);
  const std::string& chosen = criterion.component->name;
  const bool only_smooths = declared == "cross_entropy" && chosen == "label_smoothed_cross_entropy";
  if (declared.empty() || declared == chosen || only_smooths)
    return;
  log_warning(fmt::format(
      "--criterion {}: the architecture {} is designed for {}; another criterion may not train all "
      "of its parameters, and its loss is not that of the model",
      chosen,
      architecture.component->name,
      declared));
}

}  // namespace phraseq
