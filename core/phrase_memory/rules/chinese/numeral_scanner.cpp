#include "core/phrase_memory/rules/chinese/numeral_scanner.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/phrase_memory/rules/chinese/chinese_dates.h"
#include "core/phrase_memory/rules/chinese/chinese_numerals.h"
#include "core/phrase_memory/rules/numerals.h"

namespace phraseq {
namespace {

using Words = std::u32string_view;

// What makes another number of the one after it: 第三十, 几十, 零下二十, 负三十, 星期 …
constexpr std::array<Words, 19> kNoNumberBehind = {U"第",
                                                   U"几",
                                                   U"初",
                                                   U"周",
                                                   U"期",
                                                   U"拜",
                                                   U"负",
                                                   U"零下",
                                                   U"-",
                                                   U"－",
                                                   U"−",
                                                   U".",
                                                   U"/",
                                                   U":",
                                                   U"#",
                                                   U"点",
                                                   U"&",
                                                   U"双",
                                                   U"雙"};
// 人数三十万 is a number, 数十万 is none.
constexpr std::array<Words, 8> kEndsInCount = {
    U"人数", U"总数", U"次数", U"分数", U"个数", U"件数", U"户数", U"例数"};
// What makes another number of the one before it: 十六进制, 三分之二, 三十几, 九十年代 …
constexpr std::array<Words, 37> kNoNumberBefore = {
    U"几",   U"来",   U"半",   U"点",   U"分之", U"进制", U"进位", U"進制", U"進位", U"位元",
    U"面体", U"面體", U"边形", U"邊形", U"年代", U"年级", U"年級", U"世纪", U"世紀", U"周年",
    U"週年", U"世",   U"日",   U"号",   U"字",   U"月",   U"时",   U"角",   U"-",    U"、一",
    U"次方", U"万",   U"大",   U"生肖", U"宫",   U"湖",   U"卦"};
constexpr std::array<Words, 2> kMore = {U"多", U"余"};
// 千 of these is kilo.
constexpr std::array<Words, 12> kKilo = {
    U"克", U"米", U"瓦", U"卡", U"赫", U"帕", U"伏", U"安", U"字", U"兆", U"焦", U"比特"};
// What is counted or measured; a plain number before something else may be a code.
constexpr std::array<Words, 66> kCounted = {
    U"个",   U"個",   U"名",   U"人",   U"元", U"美元", U"欧元", U"歐元", U"英镑", U"日元", U"港元",
    U"吨",   U"噸",   U"公里", U"千米", U"米", U"英里", U"英尺", U"公斤", U"千克", U"克",   U"平方",
    U"立方", U"亩",   U"公顷", U"家",   U"辆", U"輛",   U"架",   U"艘",   U"台",   U"件",   U"只",
    U"隻",   U"头",   U"條",   U"条",   U"张", U"張",   U"册",   U"种",   U"種",   U"项",   U"項",
    U"例",   U"户",   U"戶",   U"所",   U"座", U"套",   U"份",   U"笔",   U"天",   U"小时", U"小時",
    U"分钟", U"分鐘", U"秒",   U"倍",   U"块", U"塊",   U"双",   U"棵",   U"瓶",   U"毫升", U"多"};

/// Finds the dates, times and numbers of one sentence.
class NumeralScanner {
 public:
  NumeralScanner(const ChineseText& text, std::vector<RuleFinding>& found)
      : text_(text), found_(found) {}

  void scan() {
    for (size_t at = 0; text_.at(at) != 0;) at = is_numeral(text_.at(at)) ? take(at) : at + 1;
  }

 private:
  /// Takes the numeral at `begin`; returns the place after what was read.
  size_t take(size_t begin) {
    const size_t end = numeral_end(text_, begin);
    const bool has_neighbor = is_beside_digits(begin, end) || is_behind_mark(begin);
    if (const auto date = chinese_date_at(text_, begin, end)) {
      if (date->is_sure && !has_neighbor && !ends_with_any(text_.before(begin), kPart))
        add(begin, date->end, date->english, "dates", date->rule);
      return date->end;
    }
    if (!has_neighbor)
      take_number(begin, end);
    return end;
  }

  void take_number(size_t begin, size_t end) {
    if (!may_begin(begin) || !may_end(end))
      return;
    const auto numeral = text_.between(begin, end);
    const bool is_kilo = numeral.back() == U'千' && begins_with_any(text_.after(end), kKilo);
    if (const auto value = value_of(numeral); value && !is_kilo)
      return add_value(begin, end, *value);
    if (const auto number = grouped(numeral); number && is_counted(end))
      return add(begin, end, *number, "numbers", "Arabic numeral");
    const auto decimal = chinese_decimal(numeral);
    if (decimal && (is_counted(end) || is_percent(begin)))
      return add(begin, end, *decimal, "numbers", "Chinese decimal");
    if (!is_kilo)
      take_words(begin, end);
  }

  /// A lone 十 or 千 is more often part of something else.
  static std::optional<int64_t> value_of(std::u32string_view numeral) {
    return numeral.size() > 1 ? chinese_number_value(numeral) : std::nullopt;
  }

  void add_value(size_t begin, size_t end, int64_t value) {
    const auto numeral = text_.between(begin, end);
    const bool has_arabic = std::any_of(numeral.begin(), numeral.end(), is_arabic_digit);
    add(begin,
        end,
        english_number(value),
        "numbers",
        has_arabic ? "Arabic with units" : "Chinese numeral");
  }

  /// Words that are no number together but each one alone, of the same unit: 两亿 三亿. 1.5万 3千
  /// may be one number.
  void take_words(size_t begin, size_t end) {
    std::vector<size_t> cuts = {begin};
    for (size_t at = begin + 1; at <= end; ++at) {
      if (text_.is_edge(at))
        cuts.push_back(at);
    }
    const auto is_number = [&](size_t cut) {
      const bool has_same_unit = text_.at(cuts[cut + 1] - 1) == text_.at(end - 1);
      return has_same_unit && value_of(text_.between(cuts[cut], cuts[cut + 1])).has_value();
    };
    for (size_t cut = 0; cut + 1 < cuts.size(); ++cut) {
      if (!is_number(cut))
        return;
    }
    for (size_t cut = 0; cut + 1 < cuts.size(); ++cut)
      add_value(cuts[cut], cuts[cut + 1], *value_of(text_.between(cuts[cut], cuts[cut + 1])));
  }

  /// 1345 → 1,345.
  static std::optional<std::string> grouped(std::u32string_view numeral) {
    const bool is_arabic = std::all_of(numeral.begin(), numeral.end(), is_arabic_digit);
    const auto value = is_arabic ? digits_value(numeral) : std::nullopt;
    if (!value || numeral.front() == U'0' || *value < 1000)
      return std::nullopt;
    return grouped_digits(*value);
  }

  bool is_counted(size_t end) const { return begins_with_any(text_.after(end), kCounted); }
  bool is_percent(size_t begin) const { return text_.before(begin).ends_with(U"百分之"); }

  bool may_begin(size_t begin) const {
    const auto before = text_.before(begin);
    if (before.ends_with(U"分之"))
      return is_percent(begin);
    if (before.ends_with(U"数"))
      return ends_with_any(before, kEndsInCount);
    return !ends_with_any(before, kNoNumberBehind);
  }
  bool may_end(size_t end) const {
    auto after = text_.after(end);
    if (after.starts_with(U"点"))  // 十一点, not 十一点半
      return after.size() == 1 || (after[1] != U'半' && !is_numeral(after[1]));
    if (begins_with_any(after, kMore))  // 三十多人 is more than 30, 三十多万 is not
      return after.size() > 1 && !is_numeral(after[1]) && after[1] != U'岁' && after[1] != U'歲';
    return after.starts_with(U"日元") || !begins_with_any(after, kNoNumberBefore);
  }

  /// 12 345万: digits in two words, which may be one number.
  bool is_beside_digits(size_t begin, size_t end) const {
    return (begin > 0 && is_arabic_digit(text_.at(begin - 1))) || is_arabic_digit(text_.at(end));
  }

  /// 3.2003年, 1:30, 1/2003: the numeral is a part of something.
  bool is_behind_mark(size_t begin) const {
    constexpr Words kMarks = U".:/-";
    return begin > 1 && kMarks.find(text_.at(begin - 1)) != Words::npos &&
           is_arabic_digit(text_.at(begin - 2));
  }

  void add(size_t begin, size_t end, std::string english, const char* category, std::string rule) {
    if (!text_.is_edge(begin) || !text_.is_edge(end))
      return;
    const size_t word = text_.word_at(begin);
    found_.push_back(
        {word, text_.word_at(end - 1) - word + 1, std::move(english), category, std::move(rule)});
  }

  static constexpr std::array<Words, 4> kPart = {U"#", U"第", U"&", U"点"};
  const ChineseText& text_;
  std::vector<RuleFinding>& found_;
};

}  // namespace

void find_chinese_numerals(const ChineseText& text, std::vector<RuleFinding>& found) {
  NumeralScanner(text, found).scan();
}

}  // namespace phraseq
