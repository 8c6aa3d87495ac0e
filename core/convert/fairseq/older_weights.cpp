#include "core/convert/fairseq/older_weights.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "core/convert/named_tensors.h"
#include "core/convert/parameter_names.h"

namespace phraseq {
namespace {

/// The norms of a layer by their numbers; only a decoder has three.
constexpr std::array<NamePart, 2> kEncoderNorms = {
    {{".layer_norms.0.", ".self_attn_layer_norm."}, {".layer_norms.1.", ".final_layer_norm."}}};
constexpr std::array<NamePart, 3> kDecoderNorms = {
    {{".layer_norms.0.", ".self_attn_layer_norm."},
     {".layer_norms.1.", ".encoder_attn_layer_norm."},
     {".layer_norms.2.", ".final_layer_norm."}}};

/// Parts of a joint projection of an attention, in the order of its rows. Later versions also have
/// a joint projection outside of the attention, a copy for inference.
constexpr std::array<std::string_view, 3> kJointParts = {"q_proj", "k_proj", "v_proj"};
constexpr std::string_view kAttention = "_attn.";
constexpr std::string_view kJoint = "_attn.in_proj_";

std::string present_name(const std::string& name) {
  if (name == "decoder.embed_out")
    return "decoder.output_projection.weight";
  if (name.starts_with("decoder."))
    return renamed_parameter(name, kDecoderNorms);
  return name.starts_with("encoder.") ? renamed_parameter(name, kEncoderNorms) : name;
}

/// "self_attn.in_proj_bias" as "self_attn.q_proj.bias"; empty for the name of another parameter.
std::string part_name(const std::string& joint, std::string_view part) {
  const size_t at = joint.rfind(kJoint);
  if (at == std::string::npos)
    return {};
  return joint.substr(0, at + kAttention.size()) + std::string(part) + "." +
         joint.substr(at + kJoint.size());
}

/// Later versions write the joint projection besides its parts; then the parts count.
bool is_only_joint(const TensorView& tensor, const std::vector<TensorView>& weights) {
  const std::string first = part_name(tensor.name, kJointParts[0]);
  return !first.empty() && find_tensor(weights, first) == nullptr && !tensor.shape.empty() &&
         tensor.shape[0] % static_cast<int64_t>(kJointParts.size()) == 0;
}

void add_parts(std::vector<TensorView>& parts, const TensorView& joint) {
  const size_t bytes = joint.bytes.size() / kJointParts.size();
  for (size_t i = 0; i < kJointParts.size(); ++i) {
    TensorView part = joint;
    part.name = part_name(joint.name, kJointParts[i]);
    part.shape[0] /= static_cast<int64_t>(kJointParts.size());
    part.bytes = joint.bytes.subspan(i * bytes, bytes);
    parts.push_back(std::move(part));
  }
}

}  // namespace

std::vector<TensorView> with_present_names(const std::vector<TensorView>& weights) {
  std::vector<TensorView> present;
  for (TensorView tensor : weights) {
    if (is_only_joint(tensor, weights)) {
      add_parts(present, tensor);
    } else {
      tensor.name = present_name(tensor.name);
      present.push_back(std::move(tensor));
    }
  }
  return present;
}

}  // namespace phraseq
