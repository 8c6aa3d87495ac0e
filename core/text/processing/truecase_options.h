#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

enum class TruecaseAction { kLearn, kApply, kUndo };

inline constexpr EnumName<TruecaseAction> kTruecaseActionNames[] = {
    {"learn", TruecaseAction::kLearn},
    {"apply", TruecaseAction::kApply},
    {"undo", TruecaseAction::kUndo}};

/// The options of `phraseq truecase`.
struct PHRASEQ_API TruecaseOptions : Options {
  TruecaseAction action = TruecaseAction::kApply;
  std::vector<std::string> inputs;
  std::string model;
  std::string moses;  ///< language of the text, to be tokenized first; learn, apply
  bool keep_known = false;
  std::string output = "-";

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
};

/// Calls `write` with the result, piece by piece: a model, or truecased or detruecased lines.
PHRASEQ_API void truecase(const TruecaseOptions& options,
                          const std::function<void(const std::string&)>& write);

}  // namespace phraseq
