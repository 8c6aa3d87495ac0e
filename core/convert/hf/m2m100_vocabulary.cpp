#include "core/convert/hf/m2m100_vocabulary.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text_fields.h"
#include "core/base/wording/message_text.h"
#include "core/convert/foreign_vocabulary.h"
#include "core/convert/hf/language_token_forms.h"
#include "core/io/json_reader.h"
#include "core/io/mapping/mapped_file.h"
#include "core/text/sentencepiece/sentencepiece_tokenizer.h"

namespace phraseq {
namespace {

using nlohmann::json;

constexpr const char* kTokenizerFile = "tokenizer_config.json";
constexpr const char* kAddedTokensFile = "added_tokens.json";
constexpr const char* kSpecialTokensFile = "special_tokens_map.json";
constexpr const char* kPiecesFile = "sentencepiece.bpe.model";
constexpr std::array<const char*, 4> kFirstSymbols = {"<s>", "<pad>", "</s>", "<unk>"};

/// The lists of tokenization_m2m_100.py, in the order of the ids.
constexpr std::array<std::pair<std::string_view, const char*>, 2> kLanguageLists = {
    {{"m2m100",
      "af am ar ast az ba be bg bn br bs ca ceb cs cy da de el en es et fa ff fi fr fy ga gd gl gu "
      "ha he hi hr ht hu hy id ig ilo is it ja jv ka kk km kn ko lb lg ln lo lt lv mg mk ml mn mr "
      "ms my ne nl no ns oc or pa pl ps pt ro ru sd si sk sl so sq sr ss su sv sw ta th tl tn tr "
      "uk ur uz vi wo xh yi yo zh zu"},
     {"wmt21", "en ha is ja cs ru zh de"}}};

constexpr int64_t kHighestId = std::numeric_limits<int32_t>::max();

/// Symbols by id, while they are gathered.
class Gathered {
 public:
  explicit Gathered(std::string place) : place_(std::move(place)) {}

  void add(const std::string& symbol, int64_t id) {
    const auto [known, is_new] = symbols_.emplace(id, symbol);
    if (!is_new && known->second != symbol)
      refuse(fmt::format(
          "the id {} means '{}' and '{}'", id, excerpt(known->second), excerpt(symbol)));
  }
  void add_object(const json& vocabulary) {
    for (const auto& [symbol, id] : JsonEntry(vocabulary, place_).members())
      add(symbol, id.whole_number(0, kHighestId));
  }
  /// Gives names to ids from `begin` on that have none, since added tokens may leave a gap.
  void fill_from(int64_t begin) {
    for (int64_t id = begin; id < end(); ++id) symbols_.emplace(id, fmt::format("unused{:04}", id));
  }
  int64_t end() const { return symbols_.empty() ? 0 : symbols_.rbegin()->first + 1; }

  Dictionary dictionary(int64_t size) const {
    if (end() > size)
      refuse(fmt::format("{} symbols, but vocab_size is {}", end(), size));
    std::vector<std::string> all;
    for (int64_t id = 0; id < size; ++id) {
      const auto found = symbols_.find(id);
      if (found == symbols_.end() && id < end())
        refuse(fmt::format("no symbol has the id {}", id));
      all.push_back(found == symbols_.end() ? fmt::format("madeupword{:04}", id - end())
                                            : found->second);
    }
    for (size_t id = 0; id < kFirstSymbols.size(); ++id) {
      if (id >= all.size() || all[id] != kFirstSymbols[id])
        refuse(fmt::format("the symbol {} does not have the id {}", kFirstSymbols[id], id));
    }
    return order_symbols(all, {kBos, kPad, kEos, kUnk}, place_).dictionary;
  }

 private:
  [[noreturn]] void refuse(const std::string& problem) const {
    throw FormatError(fmt::format("{}: {}", place_, problem));
  }

  std::string place_;
  std::map<int64_t, std::string> symbols_;
};

/// A list of tokens, texts or objects with their text; nothing where it is missing.
void add_tokens(std::vector<std::string>& tokens,
                const HfFolder& folder,
                const char* file,
                const char* key) {
  if (!folder.has(file))
    return;
  const json map = folder.json(file);
  const JsonEntry entry(map, folder.file(file));
  if (!entry.has(key) || !entry.at(key).value().is_array())
    return;
  for (const JsonEntry& token : entry.at(key).items())
    tokens.push_back(token.value().is_object() ? token.at("content").text() : token.text());
}

/// Those that follow the pieces, in the order of their ids.
std::vector<std::string> added_tokens(const HfFolder& folder) {
  std::vector<std::string> tokens;
  add_tokens(tokens, folder, kSpecialTokensFile, "additional_special_tokens");
  for (const char* key : {"additional_special_tokens", "extra_special_tokens"}) {
    if (tokens.empty())
      add_tokens(tokens, folder, kTokenizerFile, key);
  }
  std::erase_if(tokens,
                [](const std::string& token) { return token.empty() || token.front() == '<'; });
  return tokens;
}

using IdOfToken = std::map<std::string, int64_t>;

/// The ids that the tokenizer records for the languages that were added to it.
IdOfToken recorded_ids(const HfFolder& folder) {
  IdOfToken ids;
  const auto add = [&ids](const std::string& token, int64_t id) {
    if (is_m2m_language_token(token))
      ids.emplace(token, id);
  };
  const json config = folder.has(kTokenizerFile) ? folder.json(kTokenizerFile) : json::object();
  const JsonEntry entry(config, folder.file(kTokenizerFile));
  if (entry.has("added_tokens_decoder")) {
    for (const auto& [id, token] : entry.at("added_tokens_decoder").members()) {
      if (const auto number = number_in<int32_t>(id))
        add(token.at("content").text(), *number);
    }
  } else if (folder.has(kAddedTokensFile)) {
    const json added = folder.json(kAddedTokensFile);
    for (const auto& [token, id] : JsonEntry(added, folder.file(kAddedTokensFile)).members())
      add(token, id.whole_number(0, kHighestId));
  }
  return ids;
}

/// The tokens of the languages that the model was trained with.
std::vector<std::string> known_languages(const HfFolder& folder) {
  std::vector<std::string> tokens;
  if (!folder.has(kTokenizerFile))
    return tokens;
  const json config = folder.json(kTokenizerFile);
  const JsonEntry entry(config, folder.file(kTokenizerFile));
  const std::string name =
      entry.has("language_codes") ? entry.at("language_codes").text() : "m2m100";
  for (const auto& [known, codes] : kLanguageLists) {
    std::istringstream list(known == name ? codes : "");
    for (std::string code; list >> code;)
      tokens.push_back(language_token(code, LanguageTokenStyle::kMultilingual));
  }
  return tokens;
}

/// The tokens of M2M-100's languages by id, beginning with `begin`. A list of added tokens that
/// replaced the list of all languages is recognized by its recorded ids.
IdOfToken m2m_languages(const HfFolder& folder, int64_t begin) {
  std::vector<std::string> tokens = added_tokens(folder);
  std::erase_if(tokens, [](const std::string& token) { return !is_m2m_language_token(token); });
  IdOfToken ids = recorded_ids(folder);
  const bool is_whole_list =
      !tokens.empty() && (!ids.contains(tokens.front()) || ids.at(tokens.front()) == begin);
  if (!is_whole_list)
    tokens = known_languages(folder);
  for (const std::string& token : tokens) ids.emplace(token, begin++);
  return ids;
}

void require_languages(const M2m100Vocabulary& vocabulary, const HfFolder& folder) {
  if (vocabulary.languages.size() > 1)
    return;
  throw FormatError(
      fmt::format("{}: the tokens of the languages are not recorded", folder.file("")),
      "Expected tokenizer.json, or additional_special_tokens in special_tokens_map.json.");
}

M2m100Vocabulary read_m2m(const HfFolder& folder, int64_t size) {
  M2m100Vocabulary made;
  Gathered symbols(folder.file("vocab.json"));
  symbols.add_object(folder.json("vocab.json"));
  const int64_t begin = symbols.end();
  std::map<int64_t, std::string> languages;
  for (const auto& [token, id] : m2m_languages(folder, begin)) {
    symbols.add(token, id);
    languages[id] = token.substr(2, token.size() - 4);
  }
  for (const auto& [id, language] : languages) made.languages.push_back(language);
  symbols.fill_from(begin);
  made.dictionary = symbols.dictionary(size);
  return made;
}

void add_fast_tokenizer(Gathered& symbols, const HfFolder& folder) {
  const json tokenizer = folder.json("tokenizer.json");
  const JsonEntry entry(tokenizer, folder.file("tokenizer.json"));
  const JsonEntry vocabulary = entry.at("model").at("vocab");
  if (vocabulary.value().is_object()) {
    symbols.add_object(vocabulary.value());
  } else {
    int64_t id = 0;  // [["piece", score], …] of a unigram model
    for (const JsonEntry& piece : vocabulary.items()) symbols.add(piece.items().at(0).text(), id++);
  }
  for (const JsonEntry& token : entry.at("added_tokens").items())
    symbols.add(token.at("content").text(), token.at("id").whole_number(0, kHighestId));
}

/// fairseq's ids: its four symbols, then the pieces but <unk>, <s> and </s>, then the languages.
void add_pieces(Gathered& symbols, const HfFolder& folder) {
  constexpr size_t kOwnSpecials = 3;
  const std::string file = folder.file(kPiecesFile);
  for (size_t id = 0; id < kFirstSymbols.size(); ++id)
    symbols.add(kFirstSymbols[id], static_cast<int64_t>(id));
  const auto pieces = SentencePieceTokenizer(read_file(file), file).pieces();
  for (const std::string& piece : pieces) {
    const bool is_special =
        std::find(kFirstSymbols.begin(), kFirstSymbols.end(), piece) != kFirstSymbols.end();
    if (!is_special)
      symbols.add(piece, symbols.end());
  }
  if (pieces.size() < kOwnSpecials)
    throw FormatError(fmt::format("{}: no pieces", file));
  for (const std::string& token : added_tokens(folder)) symbols.add(token, symbols.end());
}

M2m100Vocabulary read_nllb(const HfFolder& folder, int64_t size) {
  M2m100Vocabulary made;
  made.style = LanguageTokenStyle::kPlain;
  Gathered symbols(folder.file(folder.has("tokenizer.json") ? "tokenizer.json" : kPiecesFile));
  if (folder.has("tokenizer.json"))
    add_fast_tokenizer(symbols, folder);
  else
    add_pieces(symbols, folder);
  made.dictionary = symbols.dictionary(size);
  for (int64_t id = kUnk + 1; id < made.dictionary.size(); ++id) {
    if (is_flores_code(made.dictionary.symbol(id)))
      made.languages.push_back(made.dictionary.symbol(id));
  }
  return made;
}

}  // namespace

M2m100Vocabulary read_m2m100_vocabulary(const HfFolder& folder, int64_t size) {
  M2m100Vocabulary made =
      folder.has("vocab.json") ? read_m2m(folder, size) : read_nllb(folder, size);
  require_languages(made, folder);
  return made;
}

}  // namespace phraseq
