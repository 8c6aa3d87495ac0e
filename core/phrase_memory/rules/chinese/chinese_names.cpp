#include "core/phrase_memory/rules/chinese/chinese_names.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/phrase_memory/rules/chinese/chinese_text.h"
#include "core/phrase_memory/rules/chinese/pinyin_names.h"

namespace phraseq {
namespace {

using Words = std::u32string_view;

// What follows a name. Strong addresses follow nothing else; the others also follow other words;
// offices also precede names.
constexpr std::array<Words, 5> kStrongAddresses = {U"先生", U"女士", U"同志", U"烈士", U"小姐"};
constexpr std::array<Words, 3> kAddresses = {U"太太", U"夫人", U"老师"};
constexpr std::array<Words, 28> kOffices = {
    U"主席", U"总统", U"总理", U"部长",   U"省长",   U"市长",     U"县长",
    U"书记", U"教授", U"博士", U"委员",   U"主任",   U"校长",     U"院长",
    U"局长", U"将军", U"司令", U"大使",   U"议员",   U"特首",     U"外长",
    U"主编", U"教练", U"记者", U"委员长", U"秘书长", U"行政长官", U"发言人"};

// Characters of given names with two readings: 朝 is zhao or chao.
constexpr Words kTwoReadings = U"朝乐樂重行茜柏";
// Characters of grammar, counting and common nouns that are in no given name.
constexpr Words kNotInNames =
    U"的不了是在这那位为与就都也还很最么吗呢吧啊把被让给从到向对说去来会能要想看没个们我你他她它或"
    U"但而所者于老女男人员校院部省市县委务级色代表时候后前上下里外内第每各某些本该此其名职党团"
    U"钱任何做叫请问见找跟同当由因将已曾再又只应须着过出入回关用使更太多号卫非队隊";
// Surnames that are a word of grammar more often than a name, unless a segmenter joined them to
// one.
constexpr Words kAlsoGrammar = U"位于时成向常方万任何左项都和";
// Words that begin like a name.
constexpr std::array<Words, 35> kOtherWords = {
    U"荣誉", U"名誉", U"金牌",   U"白宫",   U"黄金",   U"高等", U"安全",   U"文化",   U"文学",
    U"史学", U"康复", U"管理",   U"万能",   U"古典",   U"江苏", U"江西",   U"武汉",   U"温州",
    U"石油", U"金融", U"安哥拉", U"黎巴嫩", U"白罗斯", U"白俄", U"石家庄", U"马鞍山", U"马来",
    U"马里", U"毛里", U"韩国",   U"秦皇",   U"常州",   U"徐州", U"郑州",   U"卫生"};

constexpr size_t kLongestName = 4;  // characters, hence words
constexpr size_t kTitleWords = 4;   // words that may make a title: 行 政 长 官

std::u32string joined(std::span<const std::string> words) {
  return std::u32string(ChineseText(words).characters());
}

size_t given_length(std::u32string_view name) { return name.size() - surname_length(name); }

bool may_be_name(std::u32string_view text) {
  if (!looks_like_name(text) || begins_with_any(text, kOtherWords))
    return false;
  const size_t surname = surname_length(text);
  return text.find_first_of(kNotInNames, surname) == Words::npos &&
         text.find_first_of(kTwoReadings, surname) == Words::npos;
}

/// Whether an office precedes the word, however it is divided.
bool has_office_before(std::span<const std::string> words, size_t at) {
  const size_t count = std::min(kTitleWords, at);
  return ends_with_any(joined(words.subspan(at - count, count)), kOffices);
}

/// Whether a title stands beside the name that `length` words from `begin` on make: the three cases
/// of chinese_name_at.
bool has_title(std::u32string_view name,
               std::span<const std::string> words,
               size_t begin,
               size_t length) {
  const size_t end = begin + length;
  const auto after = joined(words.subspan(end, std::min(kTitleWords, words.size() - end)));
  const bool has_full_name = given_length(name) == 2 || surname_length(name) == 2;
  const bool has_strong_address = begins_with_any(after, kStrongAddresses);
  if (length > 1) {
    const bool is_grammar = kAlsoGrammar.find(name.front()) != std::u32string_view::npos;
    const bool has_title_after = has_strong_address || begins_with_any(after, kOffices);
    return has_title_after && has_full_name && !is_grammar;
  }
  if (has_strong_address || begins_with_any(after, kAddresses))
    return true;
  return has_full_name && (begins_with_any(after, kOffices) || has_office_before(words, begin));
}

}  // namespace

std::optional<ChineseName> chinese_name_at(std::span<const std::string> words, size_t begin) {
  const size_t longest = std::min(kLongestName, words.size() - begin);
  for (size_t length = longest; length > 0; --length) {
    const std::u32string text = joined(words.subspan(begin, length));
    if (!may_be_name(text) || !has_title(text, words, begin, length))
      continue;
    if (auto pinyin = name_in_pinyin(text))
      return ChineseName{length, *std::move(pinyin)};
  }
  return std::nullopt;
}

}  // namespace phraseq
