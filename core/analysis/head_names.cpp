#include "core/analysis/head_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/text_fields.h"

namespace phraseq::analysis {

std::string HeadName::text() const { return fmt::format("{}.{}.{}", attention, layer, head); }

HeadName parse_head_name(std::string_view text) {
  const auto parts = split_text(text, ".");
  const auto number = [&](size_t part) {
    return part < parts.size() ? number_in<int64_t>(parts[part]).value_or(0) : 0;
  };
  if (parts.size() != 3 || number(1) < 1 || number(2) < 1) {
    throw UsageError(fmt::format("'{}' is not the name of an attention head", text),
                     "Write ATTENTION.LAYER.HEAD, for example cross.2.3, with numbers from 1; "
                     "phraseq analyze heads lists the heads of a model.");
  }
  return {std::string(parts[0]), number(1), number(2)};
}

const HeadsOfModule& module_of(const std::vector<HeadsOfModule>& modules,
                               const HeadName& name,
                               const std::string& model) {
  for (const HeadsOfModule& module : modules) {
    if (module.attention == name.attention && module.layer == name.layer &&
        name.head <= module.heads())
      return module;
  }
  std::vector<std::string> known;
  for (const HeadsOfModule& module : modules)
    known.push_back(fmt::format("{}.{}.1 to {}", module.attention, module.layer, module.heads()));
  throw UsageError(fmt::format("{} has no attention head {}", model, name.text()),
                   fmt::format("It has {}.", fmt::join(known, ", ")));
}

}  // namespace phraseq::analysis
