#include "core/analysis/recorded_pass.h"

#include <c10/core/InferenceMode.h>

#include "core/data/phrases/phrase_extras.h"
#include "core/nn/recording.h"

namespace phraseq {
namespace {

std::vector<std::string> symbols(const at::Tensor& tokens, const Dictionary& dictionary) {
  const at::Tensor ids = tokens.to(at::kCPU, at::kLong).contiguous();
  std::vector<std::string> names;
  for (int64_t i = 0; i < ids.numel(); ++i)
    names.push_back(dictionary.symbol(ids.data_ptr<int64_t>()[i]));
  return names;
}

/// The batch's kPhraseOffsets, of models that divide their source into phrases.
std::vector<int64_t> phrase_offsets(const Batch& batch) {
  const auto found = batch.host_extras.find(kPhraseOffsets);
  return found == batch.host_extras.end() ? std::vector<int64_t>() : found->second;
}

analysis::RecordedTensor plain(const nn::Recording::Named& entry) {
  const at::Tensor values = entry.values.to(at::kCPU, at::kFloat).contiguous();
  const float* begin = values.data_ptr<float>();
  return {entry.name, values.sizes().vec(), {begin, begin + values.numel()}, entry.notes};
}

}  // namespace

analysis::RecordedSentence recorded_pass(const TranslationModel& translation_model,
                                         const Example& example,
                                         nn::Precision precision) {
  translation_model.check_lengths(example);
  const c10::InferenceMode guard;
  const at::Device device = (*translation_model.model->parameters().begin()).device();
  const Batch batch = translation_model.collate({example}).to(device);
  nn::Recording recording;
  nn::Context context(
      /*training=*/false, precision, /*seed=*/0, translation_model.parameters.get());
  context.record_into(&recording);
  translation_model.forward(batch, context);
  analysis::RecordedSentence sentence;
  sentence.id = example.id;
  sentence.source = symbols(batch.source.ids, translation_model.task->source_dictionary());
  sentence.target = symbols(batch.target_in.ids, translation_model.task->target_dictionary());
  sentence.generated = symbols(batch.target_out, translation_model.task->target_dictionary());
  sentence.phrase_offsets = phrase_offsets(batch);
  for (const auto& entry : recording.in_order(*translation_model.model))
    sentence.tensors.push_back(plain(entry));
  return sentence;
}

}  // namespace phraseq
