#include "core/phrase_memory/rules/chinese/pinyin_names.h"

#include <algorithm>
#include <array>
#include <memory>

#include <unicode/translit.h>
#include <unicode/unistr.h>

#include "core/base/error.h"
#include "core/phrase_memory/rules/chinese/chinese_text.h"

namespace phraseq {
namespace {

// The most frequent surnames of the census, and some of public life.
constexpr std::u32string_view kSurnames =
    U"王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许邓韩冯曹彭曾肖萧田董潘袁蔡蒋余于杜叶程魏"
    U"苏吕丁任卢姚沈"
    U"钟姜崔谭陆范汪廖石金韦贾夏付傅方邹熊白孟秦邱侯江尹薛闫阎段雷龙史陶黎贺毛郝顾龚邵万覃武钱戴严"
    U"莫孔向常温康汤乔文"
    U"庄鲁章柳施纪舒安倪霍荣迟辛管祝左涂谷祁时耿牟卜路詹关苗凌费靳盛童欧甄项曲成游阳裴席卫查屈鲍位"
    U"覃";
constexpr std::array<std::u32string_view, 8> kDoubleSurnames = {
    U"欧阳", U"司马", U"诸葛", U"上官", U"司徒", U"令狐", U"皇甫", U"端木"};

/// ICU's readings of names, syllables between blanks: 单田芳 is shan tian fang. A transliterator
/// belongs to one thread.
std::string syllables(std::u32string_view name) {
  UErrorCode failure = U_ZERO_ERROR;
  thread_local const std::unique_ptr<icu::Transliterator> reader(
      icu::Transliterator::createInstance("Han-Latin/Names; Latin-ASCII", UTRANS_FORWARD, failure));
  if (!reader)
    throw IoError(
        "ICU's Han-Latin/Names", "load", 0, "The package of libicu's data is incomplete.");
  icu::UnicodeString text = icu::UnicodeString::fromUTF32(
      reinterpret_cast<const UChar32*>(name.data()), static_cast<int32_t>(name.size()));
  reader->transliterate(text);
  std::string latin;
  return text.toUTF8String(latin);
}

/// Adds a syllable to a word of a name.
void join(std::string& word, std::string syllable) {
  if (word.empty())
    syllable.front() = static_cast<char>(syllable.front() - 'a' + 'A');
  else if (std::string_view("aeo").find(syllable.front()) != std::string_view::npos)
    word += '\'';  // 长安 is Chang'an
  word += syllable;
}

}  // namespace

size_t surname_length(std::u32string_view text) {
  if (begins_with_any(text, kDoubleSurnames))
    return 2;
  return !text.empty() && kSurnames.find(text.front()) != std::u32string_view::npos ? 1 : 0;
}

bool looks_like_name(std::u32string_view text) {
  const size_t surname = surname_length(text);
  const size_t given = text.size() - surname;
  return surname > 0 && (given == 1 || given == 2) && std::all_of(text.begin(), text.end(), is_han);
}

std::optional<std::string> name_in_pinyin(std::u32string_view text) {
  if (!looks_like_name(text))
    return std::nullopt;
  const size_t surname = surname_length(text);
  std::string first, last;
  std::string rest = syllables(text) + ' ';
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t blank = rest.find(' ');
    if (blank == 0 || blank == std::string::npos)
      return std::nullopt;  // a character without a reading
    join(i < surname ? last : first, rest.substr(0, blank));
    rest.erase(0, blank + 1);
  }
  return last + ' ' + first;
}

}  // namespace phraseq
