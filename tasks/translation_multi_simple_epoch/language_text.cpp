#include "tasks/translation_multi_simple_epoch/language_text.h"

#include <algorithm>

#include "core/data/text/task_tokenizer.h"

namespace phraseq {
namespace {

std::vector<int64_t> token_ids(const Dictionary& dictionary,
                               const std::vector<std::string>& languages,
                               LanguageTokenStyle style) {
  std::vector<int64_t> ids;
  for (const std::string& language : languages)
    ids.push_back(dictionary.id(language_token(language, style)));
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace

LanguageText::LanguageText(const LanguageVocabularies& vocabularies,
                           const MultilingualOptions& options,
                           const TaskSetup& setup)
    : vocabularies_(vocabularies),
      options_(options),
      setup_(setup),
      source_tokens_(
          token_ids(vocabularies.source, vocabularies.languages, options.lang_tok_style)),
      target_tokens_(
          token_ids(vocabularies.target, vocabularies.languages, options.lang_tok_style)) {}

const LanguageSide& LanguageText::language_side(const std::string& language, PairSide side) const {
  const std::lock_guard lock(making_);
  auto& made = sides_[{language, side}];
  if (!made) {
    Vocabularies common;
    common.tokenizer = vocabularies_.tokenizer;
    common.tokenizer_options = vocabularies_.tokenizer_options;
    const Vocabularies::Side of = vocabularies_.side(language, side);
    made = std::make_unique<LanguageSide>(
        of,
        task_tokenizer(
            setup_, common, of, {options_.tokenizer_files().name, options_.bpe_dropout}));
  }
  return *made;
}

std::vector<int64_t> LanguageText::encode(const std::string& language,
                                          PairSide side,
                                          const std::string& line,
                                          std::optional<uint64_t> sample_seed) const {
  std::vector<int64_t> ids = language_side(language, side).encode(line, sample_seed);
  for (int64_t& id : ids) id = is_token(id, side) ? kUnk : id;
  return ids;
}

std::vector<int64_t> LanguageText::encode_tree(const std::string& language,
                                               const std::string& line,
                                               const std::string& tree,
                                               const TextPlace& place,
                                               std::optional<uint64_t> sample_seed) const {
  return language_side(language, PairSide::kSource).encode_tree(line, tree, place, sample_seed);
}

std::string LanguageText::decode(const std::string& language,
                                 PairSide side,
                                 std::span<const int64_t> ids) const {
  return language_side(language, side).text(ids);
}

bool LanguageText::is_token(int64_t id, PairSide side) const {
  const auto& tokens = side == PairSide::kTarget ? target_tokens_ : source_tokens_;
  return std::binary_search(tokens.begin(), tokens.end(), id);
}

int64_t LanguageText::token_of(const std::string& language, PairSide side) const {
  const Dictionary& dictionary =
      side == PairSide::kTarget ? vocabularies_.target : vocabularies_.source;
  return dictionary.id(language_token(language, options_.lang_tok_style));
}

const std::string& LanguageText::language_of_token(int64_t target_id) const {
  const auto is_named = [&](const std::string& language) {
    return token_of(language, PairSide::kTarget) == target_id;
  };
  return *std::find_if(vocabularies_.languages.begin(), vocabularies_.languages.end(), is_named);
}

DirectionTags LanguageText::tags_of(const LanguagePair& pair) const {
  DirectionTags tags;
  tags.replace = options_.lang_tok_replacing_bos_eos;
  if (options_.encoder_langtok != EncoderToken::kNone) {
    const bool of_source = options_.encoder_langtok == EncoderToken::kSource;
    tags.source = token_of(of_source ? pair.source : pair.target, PairSide::kSource);
  }
  if (options_.decoder_langtok)
    tags.target = token_of(pair.target, PairSide::kTarget);
  return tags;
}

}  // namespace phraseq
