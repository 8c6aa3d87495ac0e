#include "core/convert/parameter_names.h"

namespace phraseq {

std::string renamed_parameter(std::string name, std::span<const NamePart> parts) {
  for (const auto& [theirs, ours] : parts) {
    if (const size_t at = name.find(theirs); at != std::string::npos)
      name.replace(at, theirs.size(), ours);
  }
  constexpr std::string_view kNorm = ".layer_norm.";
  if (const size_t at = name.find(kNorm);
      name.starts_with("encoder.layers.") && at != std::string::npos)
    name.replace(at, kNorm.size(), ".self_attn_layer_norm.");
  return name;
}

}  // namespace phraseq
