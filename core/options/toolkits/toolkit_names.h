#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

/// An option of Marian, OpenNMT, CTranslate2, JoeyNMT or Transformers, and the corresponding one of
/// phraseq.
struct ToolkitName {
  std::string_view name;         ///< "beam-size"
  std::string_view ours;         ///< "beam"
  std::string_view remark = {};  ///< further differences
};

PHRASEQ_API std::span<const ToolkitName> toolkit_names();

/// Explains an unknown option (its name with dashes, "beam-size"): "it is called --beam here", with
/// the remark. Empty if no other toolkit has it or if `table` does not describe the corresponding
/// option.
PHRASEQ_API std::string explain_toolkit_name(const OptionTable& table, std::string_view name);

}  // namespace phraseq
