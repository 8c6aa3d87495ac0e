#include "core/text/moses/moses_truecaser.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include "core/base/error.h"
#include "core/base/text_fields.h"
#include "core/base/wording/message_text.h"
#include "core/io/utf8.h"
#include "core/text/unicode.h"

namespace phraseq {
namespace {

constexpr std::array<std::string_view, 4> kSentenceEnds = {".", ":", "?", "!"};
/// The word after one of these at the beginning of a sentence also counts as its first word.
constexpr std::array<std::string_view, 8> kBeforeSentence = {
    "(", "[", "\"", "'", "&apos;", "&quot;", "&#91;", "&#93;"};

template <size_t count>
bool is_one_of(std::string_view token, const std::array<std::string_view, count>& tokens) {
  return std::find(tokens.begin(), tokens.end(), token) != tokens.end();
}

/// Whether the token after `token` is the first of a sentence; `is_first`: whether `token` itself
/// is.
bool is_first_after(std::string_view token, bool is_first) {
  return is_one_of(token, kSentenceEnds) || (is_first && is_one_of(token, kBeforeSentence));
}

/// The length in bytes of a tag "<x…>" at the beginning of the text, where x is not whitespace; 0
/// if there is none.
size_t tag_length(std::string_view text) {
  if (text.size() < 3 || text[0] != '<' || is_space(to_code_points(text.substr(1, 4)).front()))
    return 0;
  const size_t end = text.find('>', 2);
  return end == std::string_view::npos ? 0 : end + 1;
}

bool has_tag(std::string_view token) {
  for (size_t at = token.find('<'); at != std::string_view::npos; at = token.find('<', at + 1)) {
    if (tag_length(token.substr(at)) > 0)
      return true;
  }
  return false;
}

bool has_cased_letter(std::string_view token) {
  const std::u32string letters = to_code_points(token);
  return std::any_of(letters.begin(), letters.end(), [](char32_t letter) {
    const auto type = u_charType(static_cast<UChar32>(letter));
    return type == U_LOWERCASE_LETTER || type == U_UPPERCASE_LETTER;
  });
}

/// The spellings of a word with their counts, in the order in which they were first seen. Moses can
/// count the first word of a sentence as a tenth of a word.
using Spellings = std::vector<std::pair<std::string, double>>;

/// Words in the order in which they were first seen.
class SpellingCounts {
 public:
  void add(std::string_view spelling) {
    Spellings& spellings = of(to_lowercase(spelling));
    const auto found = std::find_if(spellings.begin(), spellings.end(), [&](const auto& entry) {
      return entry.first == spelling;
    });
    if (found == spellings.end()) {
      spellings.emplace_back(spelling, 1);
    } else {
      ++found->second;
    }
  }
  void set(const std::string& spelling, double count) {
    Spellings& spellings = of(to_lowercase(spelling));
    for (auto& [known, number] : spellings) {
      if (known == spelling) {
        number = count;
        return;
      }
    }
    spellings.emplace_back(spelling, count);
  }
  /// Each word's spellings, the most frequent first.
  const std::vector<std::pair<std::string, Spellings>>& sorted() {
    for (auto& [word, spellings] : words_) {
      std::stable_sort(spellings.begin(), spellings.end(), [](const auto& a, const auto& b) {
        return a.second > b.second;
      });
    }
    return words_;
  }

 private:
  Spellings& of(const std::string& word) {
    const auto [place, is_new] = places_.emplace(word, words_.size());
    if (is_new)
      words_.emplace_back(word, Spellings());
    return words_[place->second].second;
  }

  std::vector<std::pair<std::string, Spellings>> words_;
  std::unordered_map<std::string, size_t> places_;
};

void count_line(const std::string& line, SpellingCounts& counts) {
  bool is_first = true;
  for (const std::string_view token : split_whitespace(line)) {
    if (has_tag(token) || is_one_of(token, kBeforeSentence))
      continue;
    if (!is_first && is_one_of(token, kSentenceEnds)) {
      is_first = true;
      continue;
    }
    if (!is_first && has_cased_letter(token))
      counts.add(token);
    is_first = false;
  }
}

/// The first number of "(12/34)" or "(12)"; nothing for any other text, such as a truncated field.
std::optional<double> count_in(std::string_view field) {
  if (field.size() < 2 || !field.starts_with('(') || !field.ends_with(')'))
    return std::nullopt;
  field = field.substr(1, field.size() - 2);
  const size_t slash = field.find('/');
  if (slash != std::string_view::npos && !finite_number_in(field.substr(slash + 1)))
    return std::nullopt;
  const auto count = finite_number_in(field.substr(0, slash));
  return count && *count >= 0 ? count : std::nullopt;
}

SpellingCounts read_model(std::string_view model, const std::string& name) {
  model = without_byte_order_mark(model);
  SpellingCounts counts;
  size_t line_number = 0;
  for (size_t begin = 0; begin < model.size(); ++line_number) {
    const size_t end = std::min(model.find('\n', begin), model.size());
    const auto fields = split_whitespace(model.substr(begin, end - begin));
    begin = end + 1;
    for (size_t i = 0; i < fields.size(); i += 2) {
      const auto count = i + 1 < fields.size() ? count_in(fields[i + 1]) : std::nullopt;
      if (!count || find_text_fault(fields[i], ControlBytes::kAllow)) {
        throw FormatError(fmt::format("{}:{}: '{}' is not a word in UTF-8 with a count",
                                      name,
                                      line_number + 1,
                                      excerpt(repair_text(fields[i], ControlBytes::kAllow))),
                          "A model for truecasing has lines such as 'the (1042/1100) The (58)'.");
      }
      counts.set(std::string(fields[i]), *count);
    }
  }
  return counts;
}

/// The first word of a text that does not begin with whitespace. The word ends before an angle
/// bracket, unless it begins with one.
std::string_view first_word(std::string_view text) {
  const std::string_view word = split_whitespace(text).front();
  const size_t bracket = word.find_first_of("<>");
  return bracket == 0 ? word : word.substr(0, bracket);
}

/// The tokens of a line. A tag is one token, even if it contains whitespace; directly after a token
/// that ends with |, it belongs to that token.
std::vector<std::string> tokens_with_tags(std::string_view line) {
  std::vector<std::string> tokens;
  for (std::string_view rest = strip(line); !rest.empty();) {
    const std::string_view text = strip(rest);
    const bool follows = text.size() == rest.size() && !tokens.empty();
    const size_t tag = tag_length(text);
    const std::string_view token = tag > 0 ? text.substr(0, tag) : first_word(text);
    rest = text.substr(token.size());
    if (tag == 0 || !follows || !tokens.back().ends_with('|')) {
      tokens.emplace_back(token);
      continue;
    }
    tokens.back() += token;
    for (; rest.starts_with('|'); rest.remove_prefix(1)) tokens.back() += '|';
  }
  return tokens;
}

std::string capitalized(std::string_view token) {
  if (token.empty())
    return {};
  const auto text = icu::UnicodeString::fromUTF8(
      icu::StringPiece(token.data(), static_cast<int32_t>(token.size())));
  const int32_t first = text.moveIndex32(0, 1);
  icu::UnicodeString result = text.tempSubString(0, first);
  result.toUpper(icu::Locale::getRoot());
  result.append(text, first, text.length() - first);
  std::string bytes;
  return result.toUTF8String(bytes);
}

}  // namespace

std::string learn_truecase_model(const std::function<bool(std::string&)>& next) {
  SpellingCounts counts;
  std::string line;
  while (next(line)) count_line(line, counts);
  std::string model;
  for (const auto& [word, spellings] : counts.sorted()) {
    double total = 0;
    for (const auto& [spelling, count] : spellings) total += count;
    model += fmt::format("{} ({:.0f}/{:.0f})", spellings[0].first, spellings[0].second, total);
    for (size_t i = 1; i < spellings.size(); ++i)
      model += fmt::format(" {} ({:.0f})", spellings[i].first, spellings[i].second);
    model += '\n';
  }
  return model;
}

MosesTruecaser::MosesTruecaser(const std::string& model, const std::string& name, bool keeps_known)
    : keeps_known_(keeps_known) {
  SpellingCounts counts = read_model(model, name);
  for (const auto& [word, spellings] : counts.sorted()) {
    best_[word] = spellings[0].first;
    for (size_t i = 1; i < spellings.size(); ++i) known_.insert(spellings[i].first);
  }
}

std::string MosesTruecaser::word(const std::string& text, bool is_first) const {
  const auto best = best_.find(to_lowercase(text));
  if (best == best_.end() || (keeps_known_ && !is_first && known_.contains(text)))
    return text;
  return best->second;
}

std::string MosesTruecaser::truecase(std::string_view line) const {
  bool is_first = true;
  std::string result;
  for (const std::string& token : tokens_with_tags(line)) {
    if (!result.empty())
      result += ' ';
    if (has_tag(token) || token.starts_with('|')) {
      result += token;
      continue;
    }
    const size_t bar = std::min(token.find('|'), token.size());
    const std::string cased = word(token.substr(0, bar), is_first) + token.substr(bar);
    result += cased;
    is_first = is_first_after(cased, is_first);
  }
  return result;
}

std::string detruecase(std::string_view line) {
  bool is_first = true;
  std::string result;
  for (const std::string_view token : split_whitespace(line)) {
    const std::string cased = is_first ? capitalized(token) : std::string(token);
    result += (result.empty() ? "" : " ") + cased;
    is_first = is_first_after(cased, is_first);
  }
  return result;
}

}  // namespace phraseq
