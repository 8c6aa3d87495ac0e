#include "core/run/generation/generate_run.h"

#include <fmt/format.h>

#include "core/data/task.h"
#include "core/nn/architecture.h"
#include "core/options/command_line.h"
#include "core/options/enum_name.h"
#include "core/search/decoders/constrained_beam.h"
#include "core/text/tokenizer.h"

namespace phraseq {
namespace {

/// Says which recorded component of a checkpoint has an option; empty for other options.
std::string explain_recorded(const Registry& registry, const std::string& option) {
  constexpr KindOption kRecorded[] = {{Architecture::kKind, "arch"}, {Task::kKind, "task"}};
  const std::string owners = owners_of_option(registry, kRecorded, option);
  if (owners.empty())
    return {};
  return owners +
         ", and the checkpoint contains its value (--model-overrides replaces an architecture's)";
}

}  // namespace

GenerateRun::GenerateRun(std::span<const std::string> arguments, bool line_by_line)
    : loaded(load_plugins_for(arguments)), options(line_by_line) {
  options.describe(table);
  model.describe(table);
  table.find("source-lang")->short_flag("s");
  table.find("target-lang")->short_flag("t");
  shortlist.describe(table);
  decoder = loaded->registry.select("decoder", options.search.choose(arguments));
  table.section(fmt::format("decoder {}", decoder.name));
  add_described(table, decoder);
  if (!options.interactive) {
    metric =
        loaded->registry.select(Metric::kKind, peek_option(arguments, "scoring", options.metric));
    phraseq::describe(table, metric);
  }
  describe_tokenizer(arguments);
}

void GenerateRun::describe_tokenizer(std::span<const std::string> arguments) {
  std::string name = peek_option(arguments, "tokenizer", "");
  const std::string subwords = peek_option(arguments, "bpe", "none");
  if ((name.empty() || name == "space") && subwords != "none")
    name = subwords == "sentencepiece" ? subwords : "bpe";
  if (name == "space")
    name = "word";
  if (name.empty())
    return;
  tokenizer = loaded->registry.select(Tokenizer::kKind, name);
  table.section(fmt::format("tokenizer {}", name));
  add_described(table, tokenizer);
}

std::string GenerateRun::explain_unknown(const std::string& option) const {
  constexpr KindOption kKinds[] = {
      {Decoder::kKind, "decoder"}, {Metric::kKind, "scoring"}, {Tokenizer::kKind, "tokenizer"}};
  const std::string owners = owners_of_option(loaded->registry, kKinds, option);
  return owners.empty() ? explain_recorded(loaded->registry, option) : owners;
}

namespace {

using Problems = std::vector<std::string>;

void check_nbest(const GenerateRun& run, Problems& problems) {
  const OptionField* nbest = run.table.find("nbest");
  const bool is_one = nbest == nullptr || nbest->to_text() == "1";
  const bool chooses = !run.options.mbr.empty();
  if (run.options.output_format() == OutputFormat::kPlain && !chooses && !is_one) {
    problems.emplace_back(
        "plain text has one line per sentence: use --nbest with --format fairseq or jsonl");
  }
  if (chooses && is_one)
    problems.emplace_back("--mbr chooses among several hypotheses: use it with --nbest N");
  if (!chooses && run.options.mbr_weights != score::MbrWeights::kUniform)
    problems.emplace_back("--mbr-weights needs --mbr METRIC");
}

void check_shortlist(const GenerateRun& run, Problems& problems) {
  const ShortlistOptions defaults;
  const bool is_given = !run.shortlist.path.empty();
  if (is_given && run.options.score_reference)
    problems.emplace_back("--score-reference does not search: do not use --shortlist");
  if (!is_given && (run.shortlist.size.best != defaults.size.best ||
                    run.shortlist.size.frequent != defaults.size.frequent))
    problems.emplace_back("--shortlist-best and --shortlist-frequent need --shortlist FILE");
}

void check_constraints(const GenerateRun& run, Problems& problems) {
  if (run.constraint_order() == ConstraintOrder::kNone)
    return;
  if (!run.options.data.empty()) {
    problems.emplace_back(
        "--constraints reads the constraints from lines of text, and DATA has none: use --input");
  }
  if (!run.options.trees.empty())
    problems.emplace_back("--constraints and --trees cannot be combined");
}

}  // namespace

ConstraintOrder GenerateRun::constraint_order() const {
  const OptionField* field = table.find("constraints");
  const std::string name = field == nullptr ? "" : field->to_text();
  return enum_value(kConstraintOrderNames, name).value_or(ConstraintOrder::kNone);
}

std::vector<std::string> GenerateRun::problems() const {
  Problems problems = options.problems();
  add_problems_of(decoder, problems);
  add_problems_of(tokenizer, problems);
  check_nbest(*this, problems);
  check_shortlist(*this, problems);
  check_constraints(*this, problems);
  if (options.lm_weight != 0 && options.lm_path.empty())
    problems.emplace_back("--lm-weight is the weight of a language model: give it with --lm-path");
  return problems;
}

}  // namespace phraseq
