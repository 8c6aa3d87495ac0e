#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

/// An option of Marian, OpenNMT, CTranslate2, JoeyNMT or Transformers, and ours that corresponds.
struct ToolkitName {
  std::string_view name;         ///< "beam-size"
  std::string_view ours;         ///< "beam"
  std::string_view remark = {};  ///< what else is different
};

PHRASEQ_API std::span<const ToolkitName> toolkit_names();

/// "it is called --beam here", with the remark, for an unknown option, given by its name with
/// dashes ("beam-size"); empty if no other toolkit has it or `table` does not describe ours.
PHRASEQ_API std::string explain_toolkit_name(const OptionTable& table, std::string_view name);

}  // namespace phraseq
