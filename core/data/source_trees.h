#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

/// A part of the options of an architecture that may want parse trees of its sources.
struct PHRASEQ_API TreeUse {
  TreeUse() = default;
  TreeUse(const TreeUse&) = default;
  TreeUse& operator=(const TreeUse&) = default;
  virtual ~TreeUse();

  virtual bool needs_trees() const = 0;
  /// The options that ask for trees ("--pr-seg parse"), and the setting that needs none, as
  /// NAME=VALUE ("pr-seg=ngram").
  virtual std::string asked_by() const = 0;
  virtual std::string setting_without() const = 0;
};

/// The use that an architecture's options make of trees; null when they need none.
PHRASEQ_API const TreeUse* tree_use_of(const Options& architecture);

/// A data folder's splits whose sources an architecture is going to read.
struct SourceSplits {
  std::string folder;
  std::string language;
  std::vector<std::string> splits;
};

/// True if a folder has files of a split, raw or indexed.
PHRASEQ_API bool has_files_of_split(const std::string& folder, const std::string& split);

/// Throws DataError when the architecture needs trees and one of the splits has text but no trees.
/// `trained`: the options are a checkpoint's, so that the remedy is an override. Folders that the
/// task (through its --data-loader) reads in its own way are not checked.
PHRASEQ_API void require_source_trees(const Options& architecture,
                                      Options& task,
                                      const SourceSplits& sources,
                                      bool trained);

/// How to cut phrases without trees: "--pr-seg ngram", or "--model-overrides pr-seg=ngram".
PHRASEQ_API std::string option_without_trees(const TreeUse& use, bool trained);

}  // namespace phraseq
