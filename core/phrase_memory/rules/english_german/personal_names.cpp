#include "core/phrase_memory/rules/english_german/personal_names.h"

#include <algorithm>
#include <array>

#include "core/base/text_fields.h"
#include "core/phrase_memory/rules/calendar.h"
#include "core/phrase_memory/rules/english_german/english_dates.h"
#include "core/phrase_memory/rules/word_context.h"

namespace phraseq {
namespace {

using Word = std::string_view;

constexpr size_t kNameMostWords = 3;

// Frequent given names in English and German texts that are not words of English as well (Mark,
// Will, Grace) nor names of places (Victoria, Jordan).
constexpr std::array kGivenNames = std::to_array<Word>(
    {"Aaron",       "Ada",       "Adam",      "Adrian",    "Alan",      "Albert",    "Alex",
     "Alfred",      "Alice",     "Amanda",    "Amy",       "Andreas",   "Andrew",    "Andy",
     "Angela",      "Anna",      "Anne",      "Anthony",   "Arnold",    "Arthur",    "Barack",
     "Barbara",     "Benjamin",  "Bernard",   "Bernd",     "Brian",     "Bruce",     "Carl",
     "Caroline",    "Catherine", "Charles",   "Chris",     "Christina", "Christine", "Christoph",
     "Christopher", "Claudia",   "Craig",     "Daniel",    "Danny",     "David",     "Dennis",
     "Diana",       "Dieter",    "Dominic",   "Dominique", "Donald",    "Douglas",   "Edward",
     "Elizabeth",   "Emily",     "Emma",      "Eric",      "Erik",      "Ernst",     "Eva",
     "Felix",       "Fred",      "Friedrich", "Gary",      "George",    "Gerald",    "Gerhard",
     "Gordon",      "Graham",    "Greg",      "Gregory",   "Hans",      "Harold",    "Heather",
     "Heinz",       "Helen",     "Helmut",    "Henry",     "Herman",    "Hillary",   "Horst",
     "Howard",      "Ian",       "Jacob",     "James",     "Jamie",     "Jan",       "Jane",
     "Janet",       "Jason",     "Jean",      "Jeff",      "Jeffrey",   "Jennifer",  "Jeremy",
     "Jessica",     "Jim",       "Jimmy",     "Joachim",   "Joan",      "Joe",       "Johann",
     "Johannes",    "John",      "Johnny",    "Jonathan",  "Joseph",    "Joshua",    "Julia",
     "Julian",      "Karen",     "Karl",      "Kate",      "Katherine", "Keith",     "Kevin",
     "Klaus",       "Konrad",    "Kurt",      "Larry",     "Laura",     "Lawrence",  "Leon",
     "Lewis",       "Linda",     "Lisa",      "Louise",    "Lucas",     "Ludwig",    "Lukas",
     "Manfred",     "Marc",      "Marco",     "Margaret",  "Marie",     "Markus",    "Martin",
     "Matt",        "Matthew",   "Matthias",  "Melissa",   "Michael",   "Michelle",  "Mike",
     "Mitt",        "Nancy",     "Natalie",   "Nathan",    "Neil",      "Nicholas",  "Nick",
     "Nicolas",     "Nicole",    "Nigel",     "Norbert",   "Norman",    "Oliver",    "Otto",
     "Pamela",      "Patricia",  "Patrick",   "Paul",      "Peter",     "Philip",    "Philipp",
     "Phillip",     "Rachel",    "Ralph",     "Raymond",   "Rebecca",   "Richard",   "Robert",
     "Roger",       "Roland",    "Ronald",    "Rudolf",    "Ryan",      "Samuel",    "Sarah",
     "Scott",       "Sean",      "Sebastian", "Silvio",    "Simon",     "Sophie",    "Stefan",
     "Stephanie",   "Stephen",   "Steve",     "Steven",    "Stuart",    "Susan",     "Susanne",
     "Sven",        "Terry",     "Theodor",   "Thomas",    "Tim",       "Timothy",   "Tobias",
     "Tom",         "Tony",      "Udo",       "Ulrich",    "Ursula",    "Vincent",   "Walter",
     "Werner",      "Wilhelm",   "William",   "Wolfgang"});
// What things that are named after persons end in.
constexpr std::array kThings = std::to_array<Word>(
    {"Act",      "Airport",  "Avenue",       "Award",      "Bank",          "Bay",      "Bridge",
     "Building", "Bureau",   "Castle",       "Center",     "Centre",        "Church",   "City",
     "Club",     "College",  "Company",      "Council",    "County",        "Court",    "Cup",
     "Day",      "Drive",    "Foundation",   "Fund",       "Garden",        "Gardens",  "Group",
     "Hall",     "Hospital", "Hotel",        "House",      "Institute",     "Island",   "Islands",
     "Lake",     "Law",      "Library",      "License",    "Mountain",      "Museum",   "Office",
     "Palace",   "Park",     "Prize",        "Report",     "River",         "Road",     "School",
     "Show",     "Society",  "Square",       "Stadium",    "Station",       "Street",   "Theater",
     "Theatre",  "Tower",    "Trust",        "University", "Memorial",      "Project",  "Algorithm",
     "Method",   "Bible",    "Testament",    "Gospel",     "Interview",     "Team",     "Family",
     "Plugin",   "Manual",   "Contributors", "Employees",  "Documentation", "Handbook", "Effect",
     "Syndrome", "Guide",    "Center",       "Medal",      "Collection",    "Song",     "Songs",
     "Fans",     "Fan",      "Film"});

/// A capital and small letters of ASCII, or an inner capital: Smith, McCain, DeVito.
bool is_name_word(Word word) {
  const bool has_small = word.size() > 1 && is_ascii_lower(word.back());
  return has_capital(word) && has_small && std::all_of(word.begin(), word.end(), is_ascii_letter);
}

bool is_calendar_word(Word word) {
  return english_month(word) > 0 || place_in(kEnglishWeekdays, word) > 0;
}

/// 's makes one German word of name and ending; a dash or another letter makes a longer name.
bool name_goes_on(Word word) {
  return word == "'s" || word == "’s" || word == "&apos;s" || word == "&apos;" || word == "'" ||
         word == "’" || is_range_mark(word) ||
         (!word.empty() && static_cast<unsigned char>(word.front()) >= 0xC3);
}

}  // namespace

size_t personal_name_length(std::span<const std::string> words, size_t begin) {
  const WordContext context(words);
  if (!is_one_of(context.at(begin), kGivenNames))
    return 0;
  size_t length = 1;
  while (is_name_word(context.at(begin + length)) && !is_calendar_word(context.at(begin + length)))
    ++length;
  const bool is_longer = has_capital(context.at(begin + length)) ||
                         name_goes_on(context.at(begin + length)) ||
                         is_range_mark(context.before(begin));
  const bool is_thing = is_one_of(context.at(begin + length - 1), kThings);
  return length > 1 && length <= kNameMostWords && !is_longer && !is_thing ? length : 0;
}

}  // namespace phraseq
