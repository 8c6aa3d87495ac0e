#include "core/score/contrastive/contrastive_set.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/text_fields.h"
#include "core/io/line_reader.h"
#include "core/text/unicode.h"

namespace phraseq::score {
namespace {

constexpr const char* kUsualTree = "tree";

/// The names of the columns, in their order.
class Heading {
 public:
  Heading(std::string path, std::vector<std::string> names)
      : path_(std::move(path)), names_(std::move(names)) {
    auto sorted = names_;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end())
      throw DataError({path_, 1, 0}, fmt::format("two columns are named '{}'", *twice));
  }

  size_t size() const { return names_.size(); }
  bool has(const std::string& name) const {
    return std::find(names_.begin(), names_.end(), name) != names_.end();
  }

  /// The index of a column that the user named.
  size_t place(const std::string& name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) {
      throw DataError({path_, 1, 0},
                      fmt::format("there is no column '{}'; the header has {}", name, described()),
                      "The first line must contain the column names, separated by TABs.");
    }
    return static_cast<size_t>(found - names_.begin());
  }

  /// The index of the column that the user named, otherwise of the column called `usual`, otherwise
  /// of the only column whose name begins with `usual_`.
  size_t place(const std::string& named, const std::string& usual) const {
    if (!named.empty())
      return place(named);
    if (has(usual))
      return place(usual);
    std::vector<std::string> similar;
    std::copy_if(
        names_.begin(), names_.end(), std::back_inserter(similar), [&](const std::string& name) {
          return name.starts_with(usual + "_");
        });
    if (similar.size() == 1)
      return place(similar.front());
    throw DataError({path_, 1, 0},
                    fmt::format("{} column '{}' or '{}_…'; the header has {}",
                                similar.empty() ? "no" : "more than one",
                                usual,
                                usual,
                                described()),
                    fmt::format("Select one with --{}-column NAME; the first line must contain the "
                                "column names, separated by TABs.",
                                usual));
  }

 private:
  std::string described() const { return fmt::format("'{}'", fmt::join(names_, "', '")); }

  std::string path_;
  std::vector<std::string> names_;
};

/// The indices of the columns with the parts of a pair.
struct Places {
  size_t source, reference, contrastive;
  std::vector<size_t> groups;
  std::optional<size_t> distance;
  std::optional<size_t> tree = {};
};

Places find_places(const Heading& heading, const ContrastiveColumns& columns, ContrastiveSet& set) {
  Places places{heading.place(columns.source, "source"),
                heading.place(columns.reference, "reference"),
                heading.place(columns.contrastive, "contrastive"),
                {},
                {}};
  set.group_columns = columns.groups;
  if (columns.groups.empty() && heading.has("category"))
    set.group_columns = {"category"};
  for (const auto& name : set.group_columns) places.groups.push_back(heading.place(name));
  set.distance_column = columns.distance;
  if (columns.distance.empty() && heading.has("distance"))
    set.distance_column = "distance";
  if (!set.distance_column.empty())
    places.distance = heading.place(set.distance_column);
  if (!columns.tree.empty() || heading.has(kUsualTree))
    places.tree = heading.place(columns.tree.empty() ? kUsualTree : columns.tree);
  return places;
}

std::string sentence(const TextPlace& place, const std::string& field, std::string_view what) {
  if (strip(field).empty()) {
    throw DataError(place,
                    fmt::format("the {} is empty, expected a sentence", what),
                    "Complete or remove the line; nothing was scored.");
  }
  return field;
}

std::optional<int64_t> distance_of(const TextPlace& place, const std::string& field) {
  if (field.empty())
    return std::nullopt;
  const auto distance = number_in<int64_t>(field);
  if (!distance) {
    throw DataError(place,
                    fmt::format("distance '{}', expected an integer or an empty field", field),
                    "Use another column with --distance-column NAME.");
  }
  return distance;
}

ContrastivePair make_pair(const std::vector<std::string>& fields,
                          const Places& places,
                          const TextPlace& place) {
  ContrastivePair pair;
  pair.line = place.line;
  pair.source = sentence(place, fields[places.source], "source");
  pair.reference = sentence(place, fields[places.reference], "reference");
  pair.contrastive = sentence(place, fields[places.contrastive], "contrastive translation");
  for (const size_t group : places.groups) pair.groups.push_back(fields[group]);
  if (places.distance)
    pair.distance = distance_of(place, fields[*places.distance]);
  if (places.tree)
    pair.tree = fields[*places.tree];
  return pair;
}

}  // namespace

ContrastiveSet read_contrastive_set(const std::string& path, const ContrastiveColumns& columns) {
  LineReader reader(path);
  ContrastiveSet set;
  set.path = reader.path();
  std::string line;
  if (!reader.next(line))
    throw DataError(
        fmt::format("{}: the file is empty, expected a header with column names", set.path));
  const auto names = split_text(line, "\t");
  const Heading heading(set.path, {names.begin(), names.end()});
  const Places places = find_places(heading, columns, set);
  while (reader.next(line)) {
    const TextPlace place{set.path, reader.line_number(), 0};
    const auto parts = split_text(line, "\t");
    const std::vector<std::string> fields(parts.begin(), parts.end());
    if (fields.size() != heading.size()) {
      throw DataError(
          place,
          fmt::format("{} TAB-separated fields, the header has {}", fields.size(), heading.size()),
          "Complete or remove the line; nothing was scored.");
    }
    set.pairs.push_back(make_pair(fields, places, place));
  }
  if (set.pairs.empty())
    throw DataError(fmt::format("{}: there are no pairs after the header", set.path));
  return set;
}

}  // namespace phraseq::score
