#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

enum class QuantityLanguage { kEnglish, kGerman };

/// A date with a month; 0 if there is no day or year next to it.
struct DateValue {
  int64_t year = 0;
  int64_t month = 0;
  std::vector<int64_t> days;      ///< the numbers on either side of the month
  bool is_other_reading = false;  ///< 1/2/2003, read again with the month in front
};

/// The quantities in a text, whatever their notation: March 1, 2003 equals 1 March 2003 and
/// 2003-03-01; 17 million equals 17,000,000; twenty-five equals 25. docs/guide/phrase_table.md
/// lists what is equal.
struct Quantities {
  std::vector<DateValue> dates;
  std::vector<int64_t> times;      ///< minutes of half a day
  std::vector<double> numbers;     ///< all except those of dates and times
  std::vector<int64_t> centuries;  ///< 19 for 19th century, 19th c., the 1800s
  std::vector<std::string> words;  ///< all other words and marks, in lower case
};

PHRASEQ_API Quantities quantities_in(std::string_view text, QuantityLanguage language);

/// Whether a text has all the dates, times and numbers of a phrase, and its other words (except for
/// a plural s).
PHRASEQ_API bool has_quantities(const Quantities& text, const Quantities& phrase);

}  // namespace phraseq
