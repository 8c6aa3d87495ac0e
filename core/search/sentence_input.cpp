#include "core/search/sentence_input.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/data/multilingual/tag_extras.h"
#include "core/data/phrases/phrase_extras.h"

namespace phraseq {
namespace {

/// The first tokens of a sentence's reference.
std::vector<int64_t> forced_prefix(const Batch& batch, int64_t sentence, int64_t size) {
  if (size == 0)
    return {};
  if (!batch.has_target()) {
    throw UsageError(
        "--prefix-size forces tokens of references, but there are no references",
        "Translate a data folder that has the target side, or do not use --prefix-size.");
  }
  const int64_t begin = batch.target_in.offsets[static_cast<size_t>(sentence)];
  const int64_t length = std::min(size, batch.target_in.length(sentence));
  const at::Tensor tokens =
      batch.target_out.slice(0, begin, begin + length).cpu().contiguous();  // [length]
  return {tokens.data_ptr<int64_t>(), tokens.data_ptr<int64_t>() + length};
}

/// Counts the text tokens of a sentence's source.
int64_t count_text_tokens_of(const PackedTokens& source, int64_t sentence) {
  const int64_t begin = source.offsets[static_cast<size_t>(sentence)];
  const at::Tensor ids =
      source.ids.slice(0, begin, begin + source.length(sentence)).cpu().contiguous();  // [tokens]
  return count_text_tokens({ids.const_data_ptr<int64_t>(), static_cast<size_t>(ids.numel())});
}

/// The maximum number of tokens before </s>; with --match-source-len, the exact number.
int64_t max_length_of(const Batch& batch,
                      int64_t sentence,
                      const SearchOptions& options,
                      int64_t limit) {
  if (!options.constraints.match_source_len)
    return options.length_cap.max_length(batch.source.length(sentence), limit);
  const int64_t tokens = count_text_tokens_of(batch.source, sentence);
  if (tokens < limit)
    return tokens;
  throw DataError(fmt::format("sentence {} has {} tokens; --match-source-len needs as many in the "
                              "translation, and the model generates at most {} before </s>",
                              batch.sentence_ids[static_cast<size_t>(sentence)] + 1,
                              tokens,
                              limit - 1),
                  "Split the sentence, or do not use --match-source-len.");
}

/// The strings of every sentence's phrases, empty if the batch does not contain them.
std::vector<std::vector<std::vector<int64_t>>> strings_of_phrases(const Batch& batch) {
  std::vector<std::vector<std::vector<int64_t>>> all(static_cast<size_t>(batch.sentences()));
  if (batch.host_extras.count(kPhraseStrings) == 0)
    return all;
  const auto& first_slot = phrase_numbers(batch, kPhraseSlotOffsets);
  const auto& first_word = phrase_numbers(batch, kPhraseWordOffsets);
  const auto& strings = phrase_numbers(batch, kPhraseStrings);
  for (size_t sentence = 0; sentence < all.size(); ++sentence) {
    for (auto slot = static_cast<size_t>(first_slot[sentence]);
         slot < static_cast<size_t>(first_slot[sentence + 1]);
         ++slot) {
      all[sentence].emplace_back(strings.begin() + first_word[slot],
                                 strings.begin() + first_word[slot + 1]);
    }
  }
  return all;
}

/// The first target token of each sentence: from the batch if it has them, otherwise according to
/// the models' convention.
std::vector<int64_t> start_tokens_of(const DecodingRequest& request) {
  const int64_t start = request.models.front()->conventions().start_token();
  const auto own = request.batch->extras.find(kStartExtra);
  if (own == request.batch->extras.end())
    return std::vector<int64_t>(static_cast<size_t>(request.batch->sentences()), start);
  const at::Tensor tokens = own->second.cpu().contiguous();  // [sentences]
  return {tokens.const_data_ptr<int64_t>(), tokens.const_data_ptr<int64_t>() + tokens.numel()};
}

/// The largest number of tokens, including </s>, that every model of the request can generate.
int64_t max_target_positions(const DecodingRequest& request) {
  int64_t limit = request.models.front()->max_target_positions();
  for (const auto* model : request.models) limit = std::min(limit, model->max_target_positions());
  if (request.language_model)
    limit = std::min(limit, request.language_model->model->max_target_positions());
  return limit;
}

}  // namespace

int64_t count_text_tokens(std::span<const int64_t> ids) {
  return std::count_if(ids.begin(), ids.end(), [](int64_t id) { return !is_control_symbol(id); });
}

std::vector<SentenceInput> describe_sentences(const DecodingRequest& request,
                                              const SearchOptions& options) {
  const int64_t limit = max_target_positions(request);
  auto phrase_strings = strings_of_phrases(*request.batch);
  const std::vector<int64_t> starts = start_tokens_of(request);
  std::vector<SentenceInput> sentences;
  for (int64_t i = 0; i < request.batch->sentences(); ++i) {
    sentences.push_back({request.batch->sentence_ids[static_cast<size_t>(i)],
                         request.batch->source.length(i),
                         max_length_of(*request.batch, i, options, limit),
                         forced_prefix(*request.batch, i, options.prefix_size),
                         std::move(phrase_strings[static_cast<size_t>(i)])});
    if (options.prefix_size == 0 && !request.prompts.empty())
      sentences.back().prefix = request.prompts[static_cast<size_t>(i)];
    if (!request.lexical_constraints.empty())
      sentences.back().lexical_constraints = request.lexical_constraints[static_cast<size_t>(i)];
    sentences.back().start_token = starts[static_cast<size_t>(i)];
  }
  return sentences;
}

}  // namespace phraseq
