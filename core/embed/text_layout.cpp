#include "core/embed/text_layout.h"

#include <algorithm>
#include <map>
#include <memory>

#include <unicode/brkiter.h>
#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include "core/base/error.h"
#include "core/io/utf8.h"

namespace phraseq {
namespace {

std::string to_utf8(const icu::UnicodeString& text) {
  std::string bytes;
  text.toUTF8String(bytes);
  return bytes;
}

/// ICU's iterator; "ss=standard" keeps "Mr. Smith" together.
std::unique_ptr<icu::BreakIterator> make_sentence_iterator(const std::string& language) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Locale locale((language + "@ss=standard").c_str());
  std::unique_ptr<icu::BreakIterator> iterator(
      icu::BreakIterator::createSentenceInstance(locale, status));
  if (U_FAILURE(status) != 0)
    throw Error(kExitBug, std::string("ICU cannot find sentences: ") + u_errorName(status));
  return iterator;
}

/// The thread's own, made once per language because making one is slow.
icu::BreakIterator& sentence_iterator(const std::string& language) {
  thread_local std::map<std::string, std::unique_ptr<icu::BreakIterator>> made;
  auto& iterator = made[language];
  if (iterator == nullptr)
    iterator = make_sentence_iterator(language);
  return *iterator;
}

/// Adds text[begin, end) as a sentence without the whitespace around it; the rest of the whitespace
/// begins the next gap.
void add_sentence(TextLayout& layout, const icu::UnicodeString& text, int32_t begin, int32_t end) {
  int32_t first = begin, last = end;
  while (first < last && u_isUWhiteSpace(static_cast<UChar32>(text[first])) != 0) ++first;
  while (last > first && u_isUWhiteSpace(static_cast<UChar32>(text[last - 1])) != 0) --last;
  layout.gaps.back() += to_utf8(text.tempSubStringBetween(begin, first));
  if (first == last)
    return;
  layout.sentences.push_back(to_utf8(text.tempSubStringBetween(first, last)));
  layout.gaps.push_back(to_utf8(text.tempSubStringBetween(last, end)));
}

}  // namespace

TextLayout lay_out_lines(std::string_view text) {
  TextLayout layout{{}, {""}};
  if (text.starts_with(kByteOrderMark)) {
    layout.gaps.back() = kByteOrderMark;
    text.remove_prefix(kByteOrderMark.size());
  }
  while (!text.empty()) {
    const size_t newline = text.find('\n');
    const size_t length = std::min(newline, text.size());
    const bool has_return = length > 0 && text[length - 1] == '\r';
    const std::string_view line = text.substr(0, length - (has_return ? 1 : 0));
    const size_t next = newline == std::string_view::npos ? text.size() : newline + 1;
    const bool is_blank = line.find_first_not_of(" \t") == std::string_view::npos;
    if (!is_blank) {
      layout.sentences.emplace_back(line);
      layout.gaps.emplace_back();
    }
    const size_t begin = is_blank ? 0 : line.size();
    layout.gaps.back() += text.substr(begin, next - begin);
    text.remove_prefix(next);
  }
  return layout;
}

TextLayout lay_out_sentences(std::string_view line, const std::string& language) {
  const auto text = icu::UnicodeString::fromUTF8(
      icu::StringPiece(line.data(), static_cast<int32_t>(line.size())));
  icu::BreakIterator& iterator = sentence_iterator(language);
  iterator.setText(text);
  TextLayout layout{{}, {""}};
  int32_t begin = iterator.first();
  for (int32_t end = iterator.next(); end != icu::BreakIterator::DONE; end = iterator.next()) {
    add_sentence(layout, text, begin, end);
    begin = end;
  }
  return layout;
}

void append_layout(TextLayout& layout, const TextLayout& part) {
  layout.gaps.back() += part.gaps.front();
  layout.sentences.insert(layout.sentences.end(), part.sentences.begin(), part.sentences.end());
  layout.gaps.insert(layout.gaps.end(), part.gaps.begin() + 1, part.gaps.end());
}

std::string language_name(const std::string& code) {
  if (code.empty())
    return code;
  icu::UnicodeString name;
  icu::Locale(code.c_str()).getDisplayLanguage(icu::Locale::getEnglish(), name);
  return name.isEmpty() ? code : to_utf8(name);
}

}  // namespace phraseq
