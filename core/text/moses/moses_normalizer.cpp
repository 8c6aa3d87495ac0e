#include "core/text/moses/moses_normalizer.h"

#include <set>
#include <span>
#include <vector>

#include <unicode/regex.h>
#include <unicode/unistr.h>

#include "core/base/error.h"
#include "core/text/unicode.h"

namespace phraseq {
namespace {

/// A regular expression and its replacement, in ICU's syntax.
struct Substitution {
  const char* pattern;
  const char* with;
};

constexpr Substitution kAll[] = {{"\\r", ""},
                                 {"\\(", " ("},
                                 {"\\)", ") "},
                                 {" +", " "},
                                 {"\\) ([.!:?;,])", ")$1"},
                                 {"\\( ", "("},
                                 {" \\)", ")"},
                                 {"(\\d) %", "$1%"},
                                 {" :", ":"},
                                 {" ;", ";"},
                                 {"`", "'"},
                                 {"''", " \" "},
                                 {"„", "\""},
                                 {"“", "\""},
                                 {"”", "\""},
                                 {"–", "-"},
                                 {"—", " - "},
                                 {" +", " "},
                                 {"´", "'"},
                                 {"([a-zA-Z])‘([a-zA-Z])", "$1'$2"},
                                 {"([a-zA-Z])’([a-zA-Z])", "$1'$2"},
                                 {"‘", "'"},
                                 {"‚", "'"},
                                 {"’", "'"},
                                 {"''", "\""},
                                 {"´´", "\""},
                                 {"…", "..."},
                                 {"\\u00A0«\\u00A0", "\""},
                                 {"«\\u00A0", "\""},
                                 {"«", "\""},
                                 {"\\u00A0»\\u00A0", "\""},
                                 {"\\u00A0»", "\""},
                                 {"»", "\""},
                                 {"\\u00A0%", "%"},
                                 {"nº\\u00A0", "nº "},
                                 {"\\u00A0:", ":"},
                                 {"\\u00A0ºC", " ºC"},
                                 {"\\u00A0cm", " cm"},
                                 {"\\u00A0\\?", "?"},
                                 {"\\u00A0!", "!"},
                                 {"\\u00A0;", ";"},
                                 {",\\u00A0", ", "},
                                 {" +", " "}};
constexpr Substitution kEnglish[] = {{"\"([,.]+)", "$1\""}};
// The patterns spell out Python's white space, because ICU's \s lacks some of it.
constexpr Substitution kGermanSpanishFrench[] = {
    {",\"", "\","}, {"(\\.+)\"([\\t\\n\\x0B\\f\\r\\x1C-\\x1F\\x20\\x85\\p{Z}]*[^<])", "\"$1$2"}};
constexpr Substitution kDecimalComma[] = {{"(\\d)\\u00A0(\\d)", "$1,$2"}};
constexpr Substitution kDecimalPoint[] = {{"(\\d)\\u00A0(\\d)", "$1.$2"}};

icu::UnicodeString unicode(std::string_view text) {
  return icu::UnicodeString::fromUTF8({text.data(), static_cast<int32_t>(text.size())});
}

void check(UErrorCode code, const char* pattern) {
  if (U_FAILURE(code))
    throw Error(kExitBug,
                std::string("ICU cannot use the pattern ") + pattern + ": " + u_errorName(code));
}

}  // namespace

struct MosesNormalizer::Rules {
  struct Rule {
    const char* text;
    std::unique_ptr<icu::RegexPattern> pattern;
    icu::UnicodeString with;
  };

  void add(std::span<const Substitution> substitutions) {
    for (const auto& [pattern, with] : substitutions) {
      UErrorCode code = U_ZERO_ERROR;
      // DOTALL makes no difference: every period in a pattern is escaped or in brackets.
      std::unique_ptr<icu::RegexPattern> compiled(
          icu::RegexPattern::compile(unicode(pattern), 0, code));
      check(code, pattern);
      rules.push_back({pattern, std::move(compiled), unicode(with)});
    }
  }

  std::vector<Rule> rules;
};

MosesNormalizer::MosesNormalizer(const std::string& language) {
  auto rules = std::make_unique<Rules>();
  rules->add(kAll);
  if (language == "en")
    rules->add(kEnglish);
  if (std::set<std::string>{"de", "es", "fr"}.count(language) > 0)
    rules->add(kGermanSpanishFrench);
  const bool comma = std::set<std::string>{"de", "es", "cz", "cs", "fr"}.count(language) > 0;
  rules->add(comma ? kDecimalComma : kDecimalPoint);
  rules_ = std::move(rules);
}

MosesNormalizer::~MosesNormalizer() = default;

std::string MosesNormalizer::normalize(std::string_view line) const {
  icu::UnicodeString text = unicode(line);
  for (const auto& rule : rules_->rules) {
    UErrorCode code = U_ZERO_ERROR;
    const std::unique_ptr<icu::RegexMatcher> matcher(rule.pattern->matcher(text, code));
    check(code, rule.text);
    if (!matcher->find())
      continue;
    text = matcher->replaceAll(rule.with, code);
    check(code, rule.text);
  }
  std::string normalized;
  text.toUTF8String(normalized);
  return std::string(strip(normalized));
}

}  // namespace phraseq
