#pragma once

#include <memory>
#include <string>

#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/translate/extras/lexical_shortlist.h"

namespace phraseq {

/// The shortlist of commands that translate.
struct PHRASEQ_API ShortlistOptions : Options {
  std::string path;  ///< empty = none
  ShortlistSize size;

  void describe(OptionTable& table) override;
  /// Null without --shortlist.
  std::shared_ptr<const LexicalShortlist> read(const Dictionary& source,
                                               const Dictionary& target) const;
};

}  // namespace phraseq
