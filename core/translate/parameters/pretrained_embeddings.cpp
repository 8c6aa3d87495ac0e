#include "core/translate/parameters/pretrained_embeddings.h"

#include <span>
#include <string_view>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/text/word_vectors.h"

namespace phraseq {
namespace {

/// The parameter of this name; undefined if the model has none.
at::Tensor find_parameter(const TranslationModel& translation_model, const std::string& name) {
  for (const auto& entry : translation_model.parameters->entries()) {
    if (entry.name == name)
      return entry.parameter.detach();
  }
  return {};
}

at::Tensor find_embedding(const TranslationModel& translation_model, std::string_view side) {
  return find_parameter(translation_model, fmt::format("{}.embed_tokens.weight", side));
}

/// Reads the vectors in `path` into the embedding of one side.
void take_vectors(const TranslationModel& translation_model,
                  std::string_view side,
                  const Dictionary& dictionary,
                  const std::string& path) {
  const at::Tensor embedding = find_embedding(translation_model, side);  // [vocabulary, dimension]
  if (!embedding.defined()) {
    throw UsageError(fmt::format("--{}-embed-path: {} has no embeddings of the {}",
                                 side,
                                 translation_model.architecture_selection.name,
                                 side));
  }
  const at::Tensor place = embedding.narrow(0, 0, dictionary.size());
  const at::Tensor rows = place.to(at::kCPU, at::kFloat, /*non_blocking=*/false, /*copy=*/true);
  const std::span<float> table(rows.data_ptr<float>(), static_cast<size_t>(rows.numel()));
  const int64_t found = read_word_vectors(path, dictionary, table);
  place.copy_(rows);
  log_info(fmt::format("--{}-embed-path: {} of {} entries of the dictionary are in {}",
                       side,
                       found,
                       dictionary.size(),
                       path));
}

}  // namespace

void PretrainedEmbeddings::describe(OptionTable& table) {
  table.section("Pretrained embeddings");
  table
      .field(
          "encoder-embed-path",
          encoder_embed_path,
          "Text file with word vectors (word2vec, GloVe, fastText) that initialize the embeddings "
          "of the encoder. Symbols that are not in the file keep their random values.")
      .value_name("FILE")
      .harmless();
  table
      .field(
          "decoder-embed-path", decoder_embed_path, "The same for the embeddings of the decoder.")
      .value_name("FILE")
      .harmless();
}

void PretrainedEmbeddings::copy_into(TranslationModel& translation_model) const {
  const bool is_shared = find_embedding(translation_model, "encoder").defined() &&
                         !find_embedding(translation_model, "decoder").defined();
  const bool has_decoder_file = !decoder_embed_path.empty();
  if (is_shared && has_decoder_file && decoder_embed_path != encoder_embed_path) {
    throw UsageError(
        "--decoder-embed-path: the decoder has the embeddings of the encoder "
        "(--share-all-embeddings)",
        "Give the same file for both or only --encoder-embed-path, or --share-all-embeddings no.");
  }
  const Task& task = *translation_model.task;
  if (!encoder_embed_path.empty())
    take_vectors(translation_model, "encoder", task.source_dictionary(), encoder_embed_path);
  if (has_decoder_file && !is_shared)
    take_vectors(translation_model, "decoder", task.target_dictionary(), decoder_embed_path);
}

}  // namespace phraseq
