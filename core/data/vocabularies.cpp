#include "core/data/vocabularies.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/corpus/data_folder.h"
#include "core/corpus/trees/tree_alignment.h"
#include "core/io/json_reader.h"
#include "core/io/mapping/mapped_file.h"
#include "core/text/sentencepiece/sentencepiece_tokenizer.h"
#include "core/text/subword_marks.h"

namespace phraseq {
namespace {

constexpr int64_t kPaddingFactor = 8;  // as preprocess: matrices like multiples of 8
constexpr const char* kSentencePiece = "sentencepiece";

/// The model's pieces in its order, most frequent first; counts that keep this order.
Dictionary dictionary_of_pieces(const Vocabularies::Side& side) {
  const auto pieces = SentencePieceTokenizer(side.model, side.model_name).pieces();
  Dictionary dictionary;
  auto count = static_cast<int64_t>(pieces.size());
  for (const std::string& piece : pieces) dictionary.add(piece, count--);
  dictionary.finalize(/*threshold=*/0, /*max_symbols=*/-1, kPaddingFactor);
  return dictionary;
}

Dictionary find_dictionary(const DataFolder& folder,
                           const Vocabularies::Side& side,
                           const std::string& tokenizer) {
  const std::string file = dictionary_path(folder.path(), side.language);
  if (std::filesystem::exists(file))
    return folder.dictionary(side.language);
  if (tokenizer == kSentencePiece)
    return dictionary_of_pieces(side);
  throw IoError(file,
                "find the dictionary",
                0,
                "Make it with phraseq preprocess (--dict-only for text that stays raw), or give "
                "--subword-model FILE, whose pieces become the vocabulary.");
}

Vocabularies::Side side_of(const DataFolder& folder,
                           const std::string& language,
                           const std::string& tokenizer,
                           const std::string& given_model) {
  Vocabularies::Side side{language, {}, {}, given_model};
  if (side.model_name.empty())
    side.model_name = folder.tokenizer_model(language);
  if (!side.model_name.empty())
    side.model = read_file(side.model_name);
  side.dictionary = find_dictionary(folder, side, tokenizer);
  return side;
}

/// The tokenizer of this name or, if it is empty, the folder's own, whose options the folder knows.
void choose_tokenizer(Vocabularies& made, const DataFolder& folder, const std::string& name) {
  made.tokenizer = name.empty() ? folder.tokenizer() : name;
  const bool is_own = made.tokenizer == folder.tokenizer();
  made.tokenizer_options = is_own ? folder.tokenizer_options() : nlohmann::json::object();
}

}  // namespace

TokenizerFiles TokenizerFiles::from_options(const std::string& tokenizer,
                                            const std::string& source_model,
                                            const std::string& target_model) {
  TokenizerFiles files{tokenizer == "auto" ? "" : tokenizer, source_model, target_model};
  if (tokenizer == "none")
    files.name = "word";
  if (files.name.empty() && !source_model.empty())
    files.name = "sentencepiece";
  return files;
}

Vocabularies Vocabularies::from_folder(const std::string& path,
                                       const std::string& source,
                                       const std::string& target,
                                       const TokenizerFiles& given) {
  const DataFolder folder = DataFolder::open(path, source, target);
  folder.require_pair();
  Vocabularies made;
  choose_tokenizer(made, folder, given.name);
  made.source = side_of(folder, folder.source(), made.tokenizer, given.source_model);
  made.target = side_of(folder, folder.target(), made.tokenizer, given.target_model);
  return made;
}

Vocabularies Vocabularies::from_monolingual_folder(const std::string& path,
                                                   const std::string& language,
                                                   const TokenizerFiles& given) {
  const DataFolder folder = DataFolder::open_monolingual(path, language);
  Vocabularies made;
  choose_tokenizer(made, folder, given.name);
  made.source = side_of(folder, folder.source(), made.tokenizer, given.source_model);
  if (!language.empty())
    made.source.language = language;
  made.target = made.source;
  return made;
}

Vocabularies Vocabularies::from_state(const TaskState& state) {
  Vocabularies made;
  const auto dictionary = [&](const char* name) {
    return Dictionary::parse(state.text(name), state.place_of(name));
  };
  made.source.language = state.text("source_language");
  made.target.language = state.text("target_language");
  made.source.dictionary = dictionary("source_dictionary");
  made.target.dictionary = state.texts.contains("joined_dictionary")
                               ? made.source.dictionary
                               : dictionary("target_dictionary");
  made.tokenizer = state.text("tokenizer");
  const std::string where = state.place_of("tokenizer_options");
  made.tokenizer_options = parse_json(state.text("tokenizer_options"), where);
  JsonEntry(made.tokenizer_options, where).object();
  made.source.model = state.blob("source_tokenizer");
  made.target.model =
      state.blobs.contains("target_tokenizer") ? state.blob("target_tokenizer") : made.source.model;
  made.source.model_name = "blob.source_tokenizer";
  made.target.model_name = "blob.target_tokenizer";
  return made;
}

TaskState Vocabularies::save() const {
  TaskState state;
  state.texts = {{"source_language", source.language},
                 {"target_language", target.language},
                 {"source_dictionary", source.dictionary.to_text()},
                 {"tokenizer", tokenizer},
                 {"tokenizer_options", tokenizer_options.dump()}};
  if (joined()) {
    state.texts["joined_dictionary"] = "yes";
  } else {
    state.texts["target_dictionary"] = target.dictionary.to_text();
  }
  if (!source.model.empty())
    state.blobs["source_tokenizer"] = source.model;
  if (target.model != source.model)
    state.blobs["target_tokenizer"] = target.model;
  return state;
}

LanguageSide::LanguageSide(const Vocabularies::Side& side, std::unique_ptr<Tokenizer> tokenizer)
    : language_(side.language), dictionary_(side.dictionary), tokenizer_(std::move(tokenizer)) {
  if (!side.model.empty())
    watch_ = std::make_shared<SubwordDetector>(language_);
}

std::vector<std::string> LanguageSide::symbols_of(const std::string& line,
                                                  std::optional<uint64_t> sample_seed) const {
  return sample_seed ? tokenizer_->sample(line, *sample_seed) : tokenizer_->encode(line);
}

std::vector<int64_t> LanguageSide::encode(const std::string& line,
                                          std::optional<uint64_t> sample_seed) const {
  if (watch_)
    watch_->observe(line);
  const auto symbols = symbols_of(line, sample_seed);
  std::vector<int64_t> ids;
  ids.reserve(symbols.size() + 1);
  for (const std::string& symbol : symbols) ids.push_back(std::max(dictionary_.id(symbol), kUnk));
  ids.push_back(kEos);
  return ids;
}

std::vector<int64_t> LanguageSide::encode_tree(const std::string& line,
                                               const std::string& tree,
                                               const TextPlace& place,
                                               std::optional<uint64_t> sample_seed) const {
  const BracketedTree read = read_bracketed_tree(tree, place);
  return TreeAligner(*tokenizer_).align(read, symbols_of(line, sample_seed), place).encode();
}

void require_dictionary_of(const LanguageSide& side, const DataFolder& folder) {
  const bool is_of_pair = side.language() == folder.source() || side.language() == folder.target();
  const std::string& language = is_of_pair ? side.language() : folder.source();
  const std::string file = dictionary_path(folder.path(), language);
  if (!std::filesystem::exists(file))
    return;
  const Dictionary found = folder.dictionary(language);
  if (found == side.dictionary())
    return;
  throw FormatError(
      fmt::format("{}: {} symbols, but the checkpoint has {}: the ids have different meanings",
                  file,
                  found.size(),
                  side.dictionary().size()),
      "Preprocess the data with --srcdict and --tgtdict of the training data, or translate raw "
      "text.");
}

std::string LanguageSide::text(std::span<const int64_t> ids) const {
  std::vector<std::string> symbols;
  for (const int64_t id : ids) {
    if (id >= kUnk)
      symbols.push_back(dictionary_.symbol(id));
  }
  return tokenizer_->decode(symbols);
}

}  // namespace phraseq
