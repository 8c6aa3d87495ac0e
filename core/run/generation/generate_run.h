#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/run/options/generate_options.h"
#include "core/run/options/model_options.h"
#include "core/run/options/shortlist_options.h"
#include "core/run/run_components.h"

namespace phraseq {

enum class ConstraintOrder;

/// `phraseq generate` and `phraseq interactive`: components are selected and options described, but
/// not parsed yet.
struct PHRASEQ_API GenerateRun {
  GenerateRun(std::span<const std::string> arguments, bool line_by_line);

  std::unique_ptr<LoadedPlugins> loaded;
  GenerateOptions options;
  ModelOptions model;
  ShortlistOptions shortlist;
  OptionTable table;
  Selection decoder;
  Selection metric;     ///< none in `interactive`
  Selection tokenizer;  ///< chosen and described with --tokenizer or --bpe

  /// How the decoder treats lexical constraints; kNone for decoders without this option.
  ConstraintOrder constraint_order() const;
  std::vector<std::string> problems() const;
  /// Names the --decoder, --scoring or --tokenizer that has an unknown option.
  std::string explain_unknown(const std::string& option) const;

 private:
  void describe_tokenizer(std::span<const std::string> arguments);
};

}  // namespace phraseq
