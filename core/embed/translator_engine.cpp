#include "core/embed/translator_engine.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text_fields.h"
#include "core/data/multilingual/tag_extras.h"
#include "core/nn/packed/packed_weights.h"
#include "core/run/batches/search_batches.h"
#include "core/search/search_options.h"
#include "core/search/sentence_input.h"
#include "core/text/dictionary.h"
#include "core/translate/hard_alignment.h"
#include "core/translate/hypothesis_text.h"

namespace phraseq {
namespace {

std::vector<std::string> words_of(const std::string& symbols) {
  const auto words = filled_parts(symbols, " ");
  return {words.begin(), words.end()};
}

/// Frees the packed weights of models that are gone, at its end.
struct PackedWeightsRelease {
  ~PackedWeightsRelease() { nn::release_packed_weights(); }
};

class TranslatorEngine final : public TranslationEngine {
 public:
  TranslatorEngine(const EngineParts& parts,
                   std::string path,
                   bool translates,
                   Translator translator)
      : parts_(parts),
        path_(std::move(path)),
        translates_(translates),
        translator_(std::move(translator)) {}

  const std::string& path() const override { return path_; }
  const std::string& source_language() const override {
    return translator_.task().source_language();
  }
  const std::string& target_language() const override {
    return translator_.task().target_language();
  }
  bool translates() const override { return translates_; }
  int64_t max_source_tokens() const override { return translator_.max_source_tokens(); }
  int64_t max_nbest() const override { return parts_.max_nbest; }
  int64_t round_tokens() const override {
    const int64_t tokens = parts_.batches.max_tokens;
    const int64_t automatic = automatic_source_tokens(parts_.model.device.chosen());
    return (tokens > 0 ? tokens : automatic) * parts_.workers.workers;
  }
  void prepare_thread() const override {
    at::set_num_threads(static_cast<int>(parts_.workers.threads));
  }

  Example encode(const std::string& sentence,
                 const std::string& prefix,
                 int64_t id) const override {
    if (!translates_ && !prefix.empty())
      throw DataError("a language model continues its text: put the prefix at the text's end");
    Example example = prefix.empty() ? translator_.task().encode(sentence)
                                     : translator_.task().encode(sentence, prefix);
    example.id = id;
    std::erase_if(example.target, is_control_symbol);
    if (!example.target.empty())
      check_prefix(example, prefix);
    return example;
  }

  std::vector<api::Sentence> translate(std::vector<EngineSentence> sentences,
                                       bool alignment) override {
    const bool prefix = !sentences.empty() && !sentences.front().example.target.empty();
    translator_.search_with(prefix ? parts_.prefix_decoder : parts_.decoder, alignment);
    std::vector<Example> examples;
    for (EngineSentence& sentence : sentences) examples.push_back(std::move(sentence.example));
    const auto translations = translator_.translate(std::move(examples));
    std::vector<api::Sentence> results;
    for (size_t i = 0; i < translations.size(); ++i)
      results.push_back(result_of(translations[i], std::move(sentences[i])));
    return results;
  }

 private:
  void check_prefix(const Example& example, const std::string& prefix) const {
    if (parts_.prefix_decoder.component == nullptr)
      throw DataError(fmt::format("the decoder {} cannot force a prefix", parts_.decoder.name));
    if (std::find(example.target.begin(), example.target.end(), kUnk) != example.target.end())
      throw DataError(
          fmt::format("'{}' contains text that the model's vocabulary cannot represent", prefix));
    const auto tokens = static_cast<int64_t>(example.target.size());
    const int64_t most = max_tokens(example);
    if (tokens > most) {
      const int64_t tags = example.extras.contains(kPrefixExtra) ? 1 : 0;  // not the user's
      throw DataError(
          fmt::format("the prefix has {} tokens, but a translation of this sentence can have at "
                      "most {}",
                      tokens - tags,
                      most - tags));
    }
  }

  /// The most tokens of a translation, without </s>, by the decoder's options.
  int64_t max_tokens(const Example& example) const {
    const int64_t limit = translator_.max_target_tokens();
    const auto* search = dynamic_cast<const SearchOptions*>(parts_.decoder.options.get());
    if (search == nullptr)
      return limit - 1;
    if (search->constraints.match_source_len)
      return count_text_tokens(example.source);
    const auto source = translator_.model().model->conventions().source_of(example);
    return search->length_cap.max_length(static_cast<int64_t>(source.size()), limit);
  }

  /// Language tokens are not among the returned tokens.
  std::vector<std::pair<int64_t, int64_t>> alignment_of(const Example& example,
                                                        const Hypothesis& found) const {
    auto pairs = hard_alignment(found, example.source);
    if (!example.extras.contains(kPrefixExtra))
      return pairs;
    std::vector<int64_t> places;  // among the tokens that are returned; -1: not returned
    int64_t returned = 0;
    for (const int64_t& id : found.tokens) {
      const bool is_hidden =
          translator_.task().symbols(std::span(&id, 1), PairSide::kTarget).empty();
      if (!is_control_symbol(id))
        places.push_back(is_hidden ? -1 : returned++);
    }
    for (auto& pair : pairs) pair.second = places[static_cast<size_t>(pair.second)];
    std::erase_if(pairs, [](const auto& pair) { return pair.second < 0; });
    return pairs;
  }

  api::Hypothesis hypothesis_of(const Translation& translation, const Hypothesis& found) const {
    const Task& task = translator_.task();
    const Example& example = translation.example;
    api::Hypothesis hypothesis;
    hypothesis.text = hypothesis_text(task, example, found, parts_.remove_bpe);
    hypothesis.score = found.score;
    hypothesis.log_probability = found.log_probability;
    hypothesis.tokens = words_of(hypothesis_symbols(task, example, found));
    hypothesis.alignment = alignment_of(example, found);
    return hypothesis;
  }

  api::Sentence result_of(const Translation& translation, EngineSentence sentence) const {
    api::Sentence result;
    result.source = std::move(sentence.source);
    result.source_tokens =
        words_of(translator_.task().symbols(translation.example.source, PairSide::kSource));
    for (const Hypothesis& found : translation.hypotheses) {
      if (static_cast<int64_t>(result.hypotheses.size()) == sentence.nbest)
        break;
      result.hypotheses.push_back(hypothesis_of(translation, found));
    }
    return result;
  }

  const EngineParts& parts_;
  std::string path_;
  bool translates_;
  PackedWeightsRelease release_;  ///< before the translator, so that it acts after its end
  Translator translator_;
};

}  // namespace

std::unique_ptr<TranslationEngine> make_translator_engine(const EngineParts& parts,
                                                          std::string path,
                                                          bool translates,
                                                          Translator translator) {
  return std::make_unique<TranslatorEngine>(
      parts, std::move(path), translates, std::move(translator));
}

}  // namespace phraseq
