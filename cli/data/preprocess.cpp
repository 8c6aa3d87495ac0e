#include "core/corpus/preprocess.h"

#include <fmt/format.h>

#include "cli/command.h"
#include "core/options/command_line.h"
#include "core/options/option_text.h"
#include "core/plugin/loader.h"
#include "core/plugin/named_tokenizer.h"
#include "core/plugin/plugin_options.h"
#include "core/plugin/registry.h"

namespace phraseq {
namespace {

constexpr const char* kUsage = "-s LANG -t LANG --trainpref PREFIX [options]";
constexpr const char* kDescription =
    "Converts parallel text to a data folder: dictionaries and binarized text in fairseq's format, "
    "and a manifest. Subwords are learned or applied if requested.";

/// Finds, before parsing, the tokenizer whose options must be described.
std::string tokenizer_component(std::span<const std::string> arguments) {
  PreprocessOptions options;
  options.tokenizer = peek_option(arguments, "tokenizer", options.tokenizer);
  const bool has_bpe = peek_option(arguments, "bpe", "none") != "none" ||
                       !peek_option(arguments, "bpe-codes", "").empty();
  if (options.tokenizer == "auto" && has_bpe)
    return "bpe";
  options.subwords = peek_option(arguments, "subwords", "0") == "0" ? 0 : 1;
  options.subword_model = peek_option(arguments, "subword-model", "");
  options.source_subword_model = peek_option(arguments, "source-subword-model", "");
  options.target_subword_model = peek_option(arguments, "target-subword-model", "");
  return options.tokenizer_component();
}

/// Rejects a threshold without the vocabulary that it is for. This is not a problem of the
/// tokenizer's options, because those are also checked when recorded options are read, and a
/// checkpoint with a threshold must remain readable.
void check_bpe_vocabulary(OptionTable& table, std::vector<std::string>& problems) {
  const auto is_changed = [&](const char* name) {
    const OptionField* field = table.find(name);
    return field != nullptr && field->to_text() != field->default_text;
  };
  if (!is_changed("bpe-vocabulary") && is_changed("bpe-vocabulary-threshold"))
    problems.emplace_back("--bpe-vocabulary-threshold needs --bpe-vocabulary");
}

std::vector<std::string> all_problems(PreprocessOptions options,
                                      const Selection& tokenizer,
                                      OptionTable& table) {
  if (tokenizer.name == "bpe")
    options.tokenizer = tokenizer.name;  // chosen by --bpe alone
  auto problems = options.problems();
  add_problems_of(tokenizer, problems);
  check_bpe_vocabulary(table, problems);
  return problems;
}

Registry find_tokenizers(std::span<const std::string> arguments) {
  const auto folders = plugin_search_path(peek_list(arguments, "plugin-dir"));
  const std::string name = tokenizer_component(arguments);
  return load_plugins_with(folders, Tokenizer::kKind, std::span(&name, 1));
}

int run_preprocess(std::span<const std::string> arguments) {
  PluginOptions plugins;
  const Registry registry = find_tokenizers(arguments);
  Selection selection = registry.select(Tokenizer::kKind, tokenizer_component(arguments));

  PreprocessOptions options;
  OptionTable table;
  options.describe(table);
  table.section(fmt::format("tokenizer {}", selection.name));
  add_described(table, selection);
  table.section("Plugins");
  plugins.describe(table);
  if (!begin_command(table, {"preprocess", kUsage, kDescription}, arguments, [&] {
        return all_problems(options, selection, table);
      }))
    return kExitOk;

  const auto make = [&](const TokenizerSetup& setup) {
    return std::make_unique<NamedTokenizer>(selection, setup);
  };
  preprocess(options, {selection.name, to_json(described(selection)), make}, to_json(table, true));
  return kExitOk;
}

}  // namespace
}  // namespace phraseq

int main(int argc, char** argv) {
  return phraseq::run_command("preprocess", argc, argv, phraseq::run_preprocess);
}
