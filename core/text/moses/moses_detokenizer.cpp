#include "core/text/moses/moses_detokenizer.h"

#include <algorithm>
#include <map>

#include "core/text/moses/character_set.h"
#include "core/text/moses/text_rules.h"
#include "core/text/unicode.h"

namespace phraseq {
namespace {

using moses::CharacterClass;
using moses::CharacterSet;
using moses::Text;
using moses::View;
using Words = std::vector<Text>;

constexpr std::pair<View, View> kUnescapes[] = {{U"&bar;", U"|"},
                                                {U"&#124;", U"|"},
                                                {U"&lt;", U"<"},
                                                {U"&gt;", U">"},
                                                {U"&bra;", U"["},
                                                {U"&ket;", U"]"},
                                                {U"&quot;", U"\""},
                                                {U"&apos;", U"'"},
                                                {U"&#91;", U"["},
                                                {U"&#93;", U"]"},
                                                {U"&amp;", U"&"}};

bool consists_of(View text, View characters) {
  return text.find_first_not_of(characters) == View::npos;
}

bool is_digits(View text) { return consists_of(text, U"0123456789"); }

/// Whether a Czech dash joins the word: "li", or a word that begins with "mail", in any case.
bool is_czech_dashed(View word) {
  const std::string lower = to_lowercase(moses::to_utf8(word));
  return lower == "li" || lower.starts_with("mail");
}

/// How a token is joined to the text before and after it.
enum class Join {
  kSeparate,    ///< blanks on both sides
  kToPrevious,  ///< no blank before it
  kToNext,      ///< no blank after it
  kToBoth,      ///< no blanks; the next word is consumed as well
  kFrenchMark,  ///< always a blank before it
};

}  // namespace

struct MosesDetokenizer::Rules {
  explicit Rules(std::string the_language) : language(std::move(the_language)) {}

  bool is(View other) const { return moses::to_utf8(other) == language; }
  bool is_currency(View token) const {
    return std::all_of(token.begin(), token.end(), [&](char32_t c) {
      return currency.has(c) || View(U"([{¿¡").find(c) != View::npos;
    });
  }
  bool is_contraction(View token) const {  // "l'"
    return token.size() >= 2 && token.back() == U'\'' && alpha.has(token[token.size() - 2]);
  }
  bool is_french_contraction(const Words& tokens, size_t i) const {
    return (is(U"fr") || is(U"it") || is(U"ga")) && i + 2 <= tokens.size() &&
           is_contraction(tokens[i]) && i + 1 < tokens.size() && alpha.has(tokens[i + 1].front());
  }
  bool is_czech_dash(const Words& tokens, size_t i) const {
    return is(U"cs") && i + 3 <= tokens.size() && is_contraction(tokens[i]) &&
           (tokens[i + 1] == U"-" || tokens[i + 1] == U"–") && is_czech_dashed(tokens[i + 2]);
  }
  Join join_of_quote(const Words& tokens, size_t i, std::map<Text, int64_t>& quotes) const;
  Join join_of(const Words& tokens, size_t i, std::map<Text, int64_t>& quotes) const;

  std::string language;
  CharacterSet alpha{{CharacterClass::kAlphaDetokenizer}};
  CharacterSet currency{{CharacterClass::kCurrency}};
};

Join MosesDetokenizer::Rules::join_of_quote(const Words& tokens,
                                            size_t i,
                                            std::map<Text, int64_t>& quotes) const {
  const Text& token = tokens[i];
  int64_t& count = quotes[consists_of(token, U"„“”") ? Text(U"\"") : token];
  if (is(U"cs") && token == U"„")
    count = 0;
  if (is(U"cs") && token == U"“")
    count = 1;
  const bool opens = count % 2 == 0;
  if (opens && is(U"en") && token == U"'" && i > 0 && tokens[i - 1].back() == U's')
    return Join::kToPrevious;  // "the Jones' house"
  ++count;
  return opens ? Join::kToNext : Join::kToPrevious;
}

Join MosesDetokenizer::Rules::join_of(const Words& tokens,
                                      size_t i,
                                      std::map<Text, int64_t>& quotes) const {
  const Text& token = tokens[i];
  if (moses::is_cjk(token.front()) && !is(U"ko")) {
    return i > 0 && moses::is_cjk(tokens[i - 1].back()) ? Join::kToPrevious : Join::kSeparate;
  }
  if (is_currency(token))
    return Join::kToNext;
  if (consists_of(token, U",.?!:;\\%}])")) {
    const bool spaced = is(U"fr") && token.size() == 1 && consists_of(token, U"?!:;\\%");
    return spaced ? Join::kFrenchMark : Join::kToPrevious;
  }
  if (is(U"en") && i > 0 && token.size() >= 2 && token[0] == U'\'' && alpha.has(token[1]))
    return Join::kToPrevious;
  // Here, sacremoses checks the last two tokens of the sentence.
  if (is(U"cs") && i > 1 && is_digits(tokens[tokens.size() - 2]) &&
      (tokens.back() == U"." || tokens.back() == U",") && is_digits(token))
    return Join::kToPrevious;
  if (is_french_contraction(tokens, i))
    return Join::kToNext;
  if (is_czech_dash(tokens, i))
    return Join::kToBoth;
  if (consists_of(token, U"'\"„“`"))
    return join_of_quote(tokens, i, quotes);
  return Join::kSeparate;
}

MosesDetokenizer::MosesDetokenizer(const std::string& language)
    : rules_(std::make_unique<const Rules>(language)) {}

MosesDetokenizer::~MosesDetokenizer() = default;

std::string MosesDetokenizer::detokenize(const std::vector<std::string>& tokens) const {
  Text text = U" ";
  for (const std::string& token : tokens) text += to_code_points(token) + U' ';
  text = moses::replace_all(text, U" @-@ ", U"-");
  text = moses::replace_each(std::move(text), {std::begin(kUnescapes), std::end(kUnescapes)});
  const Words words = moses::split(text);
  Text joined;
  View blank = U" ";
  std::map<Text, int64_t> quotes;
  for (size_t i = 0; i < words.size(); ++i) {
    const Join how = rules_->join_of(words, i, quotes);
    if (how != Join::kToPrevious)
      joined += how == Join::kFrenchMark ? View(U" ") : blank;
    joined += words[i];
    if (how == Join::kToBoth)
      joined += words[++i];
    blank = how == Join::kToNext || how == Join::kToBoth ? View() : View(U" ");
  }
  return moses::to_utf8(moses::single_blanks(joined));
}

}  // namespace phraseq
