#include "core/phrase_memory/rules/chinese/chinese_numerals.h"

#include <algorithm>

#include <fmt/format.h>

namespace phraseq {
namespace {

constexpr std::u32string_view kChineseDigits = U"〇一二三四五六七八九";
constexpr int64_t kTenThousand = 10'000;
constexpr int64_t kHundredMillion = 100'000'000;
constexpr size_t kMaxDigits = 15;
constexpr size_t kMaxDecimals = 6;
constexpr size_t kMaxFactorDigits = 6;  // 12000万 is written, 1200000万 is not

/// digits * 10^-places
struct Decimal {
  int64_t digits = 0;
  int64_t power = 1;  ///< 10^places
};

/// The product with a power of ten when it is a whole number.
std::optional<int64_t> times(Decimal factor, int64_t unit) {
  if (factor.digits <= 0 || unit % factor.power != 0)
    return std::nullopt;
  return factor.digits * (unit / factor.power);
}

int64_t unit_of(char32_t character) {
  return character == U'十' ? 10 : character == U'百' ? 100 : character == U'千' ? 1000 : 0;
}

bool is_all_arabic(std::u32string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_arabic_digit);
}

/// Reads a section from the left, a character at a time.
class SectionReader {
 public:
  /// False when the character cannot follow.
  bool take(char32_t character) {
    const int64_t unit = unit_of(character);
    return unit > 0 ? take_unit(unit) : take_digit(character);
  }
  std::optional<int64_t> value() const {
    const bool is_short = digit_ > 0 && value_ > 0 && lowest_ > 10 && !has_zero_;  // 三百五
    const bool ends_in_zero = has_zero_ && digit_ == 0;
    const bool ends_in_liang = is_liang_ && value_ > 0;  // 三十两 is a weight
    if (is_short || ends_in_zero || ends_in_liang)
      return std::nullopt;
    return value_ + digit_;
  }

 private:
  bool take_digit(char32_t character) {
    const auto digit = is_arabic_digit(character) ? std::optional<int64_t>(character - U'0')
                                                  : chinese_digit(character);
    if (!digit || digit_ > 0 || (has_zero_ && *digit == 0))
      return false;
    has_zero_ = has_zero_ || *digit == 0;
    digit_ = *digit;
    is_liang_ = character == U'两';
    return true;
  }
  bool take_unit(int64_t unit) {
    const bool is_bare_ten = unit == 10 && digit_ == 0 && value_ == 0 && !has_zero_;  // 十五
    const bool leaves_out = value_ > 0 && unit * 10 < lowest_ && !has_zero_;
    const bool is_odd = is_liang_ && unit == 10;  // 二十, never 两十
    if (unit >= lowest_ || (digit_ == 0 && !is_bare_ten) || leaves_out || is_odd)
      return false;
    value_ += (is_bare_ten ? 1 : digit_) * unit;
    lowest_ = unit;
    digit_ = 0;
    has_zero_ = false;
    is_liang_ = false;
    return true;
  }

  int64_t value_ = 0;
  int64_t lowest_ = kTenThousand;  ///< the last unit
  int64_t digit_ = 0;              ///< not used yet; 0 = none
  bool has_zero_ = false;
  bool is_liang_ = false;
};

/// Digits with 十, 百 and 千: 0 to 9999.
std::optional<int64_t> section_value(std::u32string_view text) {
  SectionReader reader;
  const bool is_good = !text.empty() && std::all_of(text.begin(), text.end(), [&](char32_t one) {
    return reader.take(one);
  });
  return is_good ? reader.value() : std::nullopt;
}

/// Whole digits or a section, a point, digits: 1.77, 三点五, 十二点五.
std::optional<Decimal> decimal(std::u32string_view text) {
  const size_t point = text.find_first_of(U".点");
  if (point == std::u32string_view::npos)
    return std::nullopt;
  const auto whole_text = text.substr(0, point);
  const auto decimals = text.substr(point + 1);
  const bool is_arabic = is_all_arabic(whole_text);
  if (is_arabic != is_all_arabic(decimals) || is_arabic != (text[point] == U'.'))
    return std::nullopt;
  const auto whole = is_arabic ? digits_value(whole_text) : section_value(whole_text);
  const auto after = digits_value(decimals);
  if (!whole || !after || *whole >= kHundredMillion || decimals.size() > kMaxDecimals)
    return std::nullopt;
  Decimal value{*whole, 1};
  for (size_t place = 0; place < decimals.size(); ++place) value.power *= 10;
  value.digits = *whole * value.power + *after;
  return value;
}

/// What stands before 万: Arabic digits, a decimal number or a section.
std::optional<Decimal> factor_of(std::u32string_view text) {
  if (const auto value = decimal(text))
    return value;
  const bool is_arabic = is_all_arabic(text);
  if (is_arabic && (text.size() > kMaxFactorDigits || text.front() == U'0'))
    return std::nullopt;
  const auto whole = is_arabic ? digits_value(text) : section_value(text);
  return whole ? std::optional(Decimal{*whole, 1}) : std::nullopt;
}

/// 5千, 1.5千, 三千二百.
std::optional<int64_t> small_value(std::u32string_view text) {
  if (text.ends_with(U"千")) {
    const auto factor = decimal(text.substr(0, text.size() - 1));
    if (factor)
      return factor->digits < 10 * factor->power ? times(*factor, 1000) : std::nullopt;
  }
  return section_value(text);
}

/// What follows 万: nothing, four Arabic digits, or a section of more than one character.
std::optional<int64_t> rest_of_ten_thousand(std::u32string_view text) {
  if (text.empty())
    return 0;
  if (is_all_arabic(text))
    return text.size() == 4 ? digits_value(text) : std::nullopt;
  return text.size() > 1 ? section_value(text) : std::nullopt;  // 一万五
}

/// A number without 亿.
std::optional<int64_t> value_below_hundred_million(std::u32string_view text) {
  const size_t at = text.find(U'万');
  if (at == std::u32string_view::npos)
    return small_value(text);
  const auto factor = factor_of(text.substr(0, at));
  const auto rest = rest_of_ten_thousand(text.substr(at + 1));
  const auto value = factor ? times(*factor, kTenThousand) : std::nullopt;
  if (!value || !rest || (factor->power > 1 && *rest > 0))
    return std::nullopt;
  return *value + *rest;
}

/// What follows 亿: a number with 万, or one that 零 begins; 一亿五千 can be read in two ways.
std::optional<int64_t> rest_of_hundred_million(std::u32string_view text) {
  if (text.empty())
    return 0;
  const bool has_zero = chinese_digit(text.front()) == 0;
  if (has_zero)
    text.remove_prefix(1);
  const bool has_ten_thousands = text.find(U'万') != std::u32string_view::npos;
  const auto value = value_below_hundred_million(text);
  if (!value || *value >= kHundredMillion || (!has_zero && !has_ten_thousands))
    return std::nullopt;
  return value;
}

/// What stands before 亿: what may stand before 万, or a number with 万 in it.
std::optional<Decimal> factor_of_hundred_million(std::u32string_view text) {
  if (text.find(U'万') == std::u32string_view::npos)
    return factor_of(text);
  const auto value = value_below_hundred_million(text);
  return value ? std::optional(Decimal{*value, 1}) : std::nullopt;
}

}  // namespace

char32_t plain_numeral(char32_t character) {
  constexpr std::u32string_view kOther = U"萬億兩號點○時後幾數餘來這";
  constexpr std::u32string_view kPlain = U"万亿两号点〇时后几数余来这";
  if (character >= U'０' && character <= U'９')
    return character - U'０' + U'0';
  const size_t at = kOther.find(character);
  return at == std::u32string_view::npos ? character : kPlain[at];
}

bool is_arabic_digit(char32_t character) { return character >= U'0' && character <= U'9'; }

std::optional<int64_t> chinese_digit(char32_t character) {
  if (character == U'零')
    return 0;
  if (character == U'两')
    return 2;
  const size_t at = kChineseDigits.find(character);
  return at == std::u32string_view::npos ? std::nullopt : std::optional(static_cast<int64_t>(at));
}

bool is_numeral(char32_t character) {
  return is_arabic_digit(character) || chinese_digit(character) || unit_of(character) > 0 ||
         character == U'万' || character == U'亿';
}

std::optional<int64_t> digits_value(std::u32string_view text) {
  if (text.empty() || text.size() > kMaxDigits)
    return std::nullopt;
  int64_t value = 0;
  for (const char32_t given : text) {
    const char32_t character = plain_numeral(given);
    const auto digit = is_arabic_digit(character) ? std::optional<int64_t>(character - U'0')
                                                  : chinese_digit(character);
    if (!digit || character == U'两')
      return std::nullopt;
    value = value * 10 + *digit;
  }
  return value;
}

std::optional<int64_t> chinese_number_value(std::u32string_view text) {
  if (text.find_first_of(U"十百千万亿") == std::u32string_view::npos)
    return std::nullopt;
  const size_t at = text.find(U'亿');
  if (at == std::u32string_view::npos)
    return value_below_hundred_million(text);
  const auto factor = factor_of_hundred_million(text.substr(0, at));
  const auto rest = rest_of_hundred_million(text.substr(at + 1));
  const auto value = factor && factor->digits / factor->power < kHundredMillion
                         ? times(*factor, kHundredMillion)
                         : std::nullopt;
  if (!value || !rest || (factor->power > 1 && *rest > 0))
    return std::nullopt;
  return *value + *rest;
}

std::optional<std::string> chinese_decimal(std::u32string_view text) {
  const auto value = text.find(U'点') == std::u32string_view::npos ? std::nullopt : decimal(text);
  if (!value)
    return std::nullopt;
  const size_t places = fmt::format("{}", value->power).size() - 1;
  return fmt::format(
      "{}.{:0{}}", value->digits / value->power, value->digits % value->power, places);
}

}  // namespace phraseq
