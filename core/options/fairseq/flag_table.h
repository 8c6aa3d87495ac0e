#pragma once

#include <span>
#include <string_view>

#include "core/base/api.h"

namespace phraseq::fairseq {

/// How phraseq treats a flag of fairseq.
enum class Support {
  kSame,         ///< an option of phraseq
  kRenamed,      ///< replaced by an option of phraseq
  kNoEffect,     ///< accepted with a note
  kDefaultOnly,  ///< accepted with fairseq's default, otherwise rejected
  kRejected,
};

/// The values that follow a flag.
enum class Values { kNone, kOne, kOptional, kList };

/// A flag of fairseq 0.12.2 in some of its commands.
struct Flag {
  std::string_view names;     ///< "--source-lang -s": the long name first
  std::string_view commands;  ///< t(rain), g(enerate), i(nteractive), p(reprocess), v(alidate),
                              ///< s(core), e(val-lm)
  Values values;
  Support support;
  std::string_view ours;    ///< kRenamed: the replacement; kDefaultOnly: the value that is accepted
  std::string_view reason;  ///< why it has no effect or is rejected; kRenamed: what the replacement
                            ///< needs, if that is an option of a component; kSame: an exception
};

/// Every flag of the seven commands: those of all tasks of translation, and of all optimizers,
/// schedulers, scorers, tokenizers and subword models.
PHRASEQ_API std::span<const Flag> flags();

/// The flag of a command ('t') with this name, including its dashes ("--lr", "-a"); null if fairseq
/// has none.
const Flag* find_flag(char command, std::string_view name);

/// Whether an option ("eval_bleu") that a model does not have is an option of fairseq's training
/// that can be ignored when the model is used: not an option that phraseq rejects or replaces, nor
/// one of an encoder or a decoder.
PHRASEQ_API bool is_only_of_training(std::string_view option);

}  // namespace phraseq::fairseq
