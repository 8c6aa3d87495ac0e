#include "core/score/report/signature.h"

#include "phraseq/abi_stamp.h"

namespace phraseq::score {

std::string scorer_version() { return "phraseq-" PHRASEQ_VERSION "~sacrebleu-2.6.0"; }

std::vector<SignatureField> signature_fields(const Metric& metric,
                                             const SignatureContext& context) {
  std::vector<SignatureField> fields = {{"nrefs", "#", std::to_string(context.references)}};
  if (context.bootstrap)
    fields.push_back({"bs", "bs", std::to_string(*context.bootstrap)});
  if (context.randomization)
    fields.push_back({"ar", "ar", std::to_string(*context.randomization)});
  if (!context.seed.empty())
    fields.push_back({"seed", "rs", context.seed});
  for (auto& field : metric.signature()) fields.push_back(std::move(field));
  fields.push_back({"version", "v", context.version});
  return fields;
}

std::string format_signature(const std::vector<SignatureField>& fields, bool short_form) {
  std::string text;
  for (const auto& field : fields) {
    if (!text.empty())
      text += '|';
    text += (short_form ? field.short_name : field.name) + ':' + field.value;
  }
  return text;
}

}  // namespace phraseq::score
