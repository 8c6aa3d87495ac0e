#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/api.h"

namespace phraseq::score {

/// The columns of a contrastive test set, by their names in its heading. An empty name means the
/// usual one: `source`, `reference`, `contrastive`, or the only column that begins with one of
/// these and `_` (`source_en`); `category` for the groups, `distance` for the distance and `tree`
/// for the source's parse trees, if there are such columns.
struct ContrastiveColumns {
  std::string source = {}, reference = {}, contrastive = {};
  std::vector<std::string> groups = {};
  std::string distance = {};
  std::string tree = {};
};

/// A source, its translation, and the same translation with one error inserted.
struct ContrastivePair {
  int64_t line = 0;  ///< in the file, from 1; the heading is line 1
  std::string source, reference, contrastive;
  std::vector<std::string> groups;  ///< one per group column; empty = in no group
  std::optional<int64_t> distance;
  std::optional<std::string> tree;  ///< of the source, bracketed; if there is such a column
};

/// The pairs of one file.
struct ContrastiveSet {
  std::string path;
  std::vector<std::string> group_columns;
  std::string distance_column;  ///< empty if there is none
  std::vector<ContrastivePair> pairs;
};

/// Reads a test set: a heading with the columns' names, then one pair per line, with fields
/// separated by TABs; plain or gzipped. Throws a DataError with file and line for a missing or
/// repeated column, a line with more or fewer fields than the heading, an empty sentence, a
/// distance that is not a whole number, or a file without pairs.
PHRASEQ_API ContrastiveSet read_contrastive_set(const std::string& path,
                                                const ContrastiveColumns& columns);

}  // namespace phraseq::score
