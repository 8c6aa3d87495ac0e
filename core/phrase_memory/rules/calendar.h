#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace phraseq {

inline constexpr std::array<std::string_view, 12> kEnglishMonths = {"January",
                                                                    "February",
                                                                    "March",
                                                                    "April",
                                                                    "May",
                                                                    "June",
                                                                    "July",
                                                                    "August",
                                                                    "September",
                                                                    "October",
                                                                    "November",
                                                                    "December"};
inline constexpr std::array<std::string_view, 12> kGermanMonths = {"Januar",
                                                                   "Februar",
                                                                   "März",
                                                                   "April",
                                                                   "Mai",
                                                                   "Juni",
                                                                   "Juli",
                                                                   "August",
                                                                   "September",
                                                                   "Oktober",
                                                                   "November",
                                                                   "Dezember"};

inline constexpr std::array<std::string_view, 7> kEnglishWeekdays = {
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};
inline constexpr std::array<std::string_view, 7> kGermanWeekdays = {
    "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"};

/// The position of a word among names, from 1, ignoring case; 0 if it is not one of them.
int64_t place_in(std::span<const std::string_view> names, std::string_view word);

/// Whether some year has this day; months count from 1.
inline bool is_day_of_month(int64_t day, int64_t month) {
  constexpr std::array<int64_t, 12> kDays = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month >= 1 && month <= 12 && day >= 1 && day <= kDays[static_cast<size_t>(month - 1)];
}

/// "March 1 , 2003": English words separated by blanks. Months count from 1; `day` or `year` 0 =
/// not given.
std::string english_date(int64_t day, int64_t month, int64_t year);

}  // namespace phraseq
