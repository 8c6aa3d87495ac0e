#include "core/run/options/generate_options.h"

#include <fmt/format.h>

#include "core/options/on_bad_line.h"
#include "core/run/batches/search_batches.h"

namespace phraseq {
namespace {

constexpr int64_t kManyLines = 20000;

void describe_data_folder(OptionTable& table, GenerateOptions& o) {
  table
      .field("data",
             o.data,
             "Data folder made by phraseq preprocess; without it, lines of text are translated.")
      .positional()
      .value_name("DATA");
  table.field("gen-subset", o.gen_subset, "Split of the data folder to translate.");
  table.field("scoring", o.metric, "Name of the metric, used if there are references.");
  table.field("score-reference",
              o.score_reference,
              "Score the references of the split instead of translating: they are printed as "
              "hypotheses, with the model's probabilities.");
}

void describe_files(OptionTable& table, GenerateOptions& o) {
  table.field("input", o.input, "Text to translate, one sentence per line; - = standard input.")
      .value_name("FILE");
  table
      .field("trees",
             o.trees,
             "Bracketed parse trees of these sentences, one per line, for models that use trees.")
      .value_name("FILE");
  table.field("output", o.output, "File for the translations; - = standard output.")
      .value_name("FILE")
      .writes_file();
  if (!o.interactive)
    o.shards.describe(table);
  table.field(
      "format",
      o.format.format,
      kAutoOutputFormatNames,
      "auto: fairseq if a data folder is given, otherwise plain; plain: one line of text per "
      "sentence; fairseq: S-, T-, H-, D-, P- and A- lines with base-2 scores; jsonl: all details.");
}

void describe_decoding(OptionTable& table, GenerateOptions& o) {
  o.search.describe(table);
  describe_search_batches(table, o.batches);
  table
      .field("buffer-size",
             o.buffer_size,
             "Number of sentences that are read, sorted by length and written together; 0 = 1.")
      .at_least(0);
  table.field("seed", o.seed, "Random seed.");
}

void describe_text(OptionTable& table, GenerateOptions& o) {
  table
      .field("remove-bpe",
             o.format.post_process,
             kPostProcessNames,
             "Join subwords in symbols and, if the checkpoint has no subword model, in text: plain "
             "lines, D- lines, and the scored text.")
      .alias("post-process")
      .bare_value("subword_nmt");
  table
      .field("print-alignment",
             o.format.print_alignment,
             kPrintAlignmentNames,
             "Also print the alignment to source tokens: the token with the largest attention "
             "weight (hard), or all weights (soft).")
      .bare_value("hard");
  table.field("tokenizer",
              o.tokenizer,
              "Tokenizer for text, such as moses, for checkpoints whose training text was prepared "
              "by other programs; its options are listed below. --bpe alone selects bpe.");
  table
      .field("replace-unk",
             o.replace_unk,
             "Replace each <unk> in a translation with the translation of the source word with the "
             "largest attention weight. FILE has lines SOURCE TARGET; words that are not in FILE "
             "are copied.")
      .value_name("FILE")
      .bare_value(kCopySource);
}

void describe_language_model(OptionTable& table, GenerateOptions& o) {
  table
      .field("lm-path",
             o.lm_path,
             "Language model for shallow fusion: its log-probabilities, multiplied by --lm-weight, "
             "are added to those of the model.")
      .value_name("FILE");
  table.field("lm-weight", o.lm_weight, "Weight of the language model; 0 = no effect.")
      .in(-1e6, 1e6);
}

void describe_bayes_risk(OptionTable& table, GenerateOptions& o) {
  table.field("mbr",
              o.mbr,
              "Minimum Bayes risk decoding: sort the --nbest hypotheses by their expected score in "
              "this metric (for example, chrf or bleu), with all of them as references.");
  table.field("mbr-weights",
              o.mbr_weights,
              score::kMbrWeightsNames,
              "Weights of the references in --mbr. uniform: equal weights, for samples; "
              "probability: the model's probabilities.");
}

void describe_bad_lines(OptionTable& table, GenerateOptions& o) {
  table.field("truncate-source",
              o.truncate_source,
              "Translate only the beginning of lines that are too long.");
  table.field("on-bad-line",
              o.on_bad_line,
              kOnBadLineNames,
              "What to do with a line that is not valid UTF-8; skip writes an empty line.");
}

void describe_report(OptionTable& table, GenerateOptions& o) {
  if (!o.interactive)
    table.field("quiet", o.quiet, "Only print the final score.");
  table.field(
      "profile",
      o.profile,
      "At the end, print a table of the time spent on each kind of work to standard error.");
}

}  // namespace

GenerateOptions::GenerateOptions(bool line_by_line)
    : interactive(line_by_line), buffer_size(line_by_line ? 1 : kManyLines) {
  format.format = OutputFormat::kAuto;
}

OutputFormat GenerateOptions::output_format() const {
  if (format.format != OutputFormat::kAuto)
    return format.format;
  return data.empty() ? OutputFormat::kPlain : OutputFormat::kFairseq;
}

void GenerateOptions::describe(OptionTable& table) {
  table.section("Generation");
  if (!interactive)
    describe_data_folder(table, *this);
  describe_files(table, *this);
  describe_decoding(table, *this);
  describe_text(table, *this);
  describe_language_model(table, *this);
  describe_bayes_risk(table, *this);
  describe_bad_lines(table, *this);
  describe_report(table, *this);
}

std::vector<std::string> GenerateOptions::problems() const {
  std::vector<std::string> problems = shards.problems();
  if (shards.is_sharded() && output == "-")
    problems.emplace_back("--num-shards writes each part to a file: give --output FILE");
  if (shards.is_sharded() && quiet)
    problems.emplace_back("--quiet prints the score, which a shard cannot compute");
  if (format.print_alignment != PrintAlignment::kNone && output_format() == OutputFormat::kPlain) {
    problems.emplace_back("--print-alignment needs --format fairseq or jsonl");
  }
  if (!data.empty() && input != "-")
    problems.emplace_back("DATA and --input cannot be combined; give one of them");
  if (!data.empty() && !trees.empty())
    problems.emplace_back("--trees is for lines of text; DATA has its own trees");
  if (data.empty() && input == "-" && trees == "-")
    problems.emplace_back("standard input (-) can be read only once: --trees needs a file");
  if (!data.empty() && on_bad_line != OnBadLine::kError)
    problems.emplace_back("--on-bad-line is for lines of text, not for DATA");
  if (score_reference) {
    for (auto& problem : reference_problems()) problems.push_back(std::move(problem));
  }
  return problems;
}

std::vector<std::string> GenerateOptions::reference_problems() const {
  std::vector<std::string> problems;
  if (data.empty())
    problems.emplace_back(
        "--score-reference scores the references of a data folder: give DATA, or score text with "
        "phraseq rescore --source FILE --target FILE");
  if (output_format() == OutputFormat::kPlain && !data.empty())
    problems.emplace_back("--score-reference needs --format fairseq or jsonl");
  const auto forbid = [&](const char* option, bool is_given) {
    if (is_given)
      problems.push_back(fmt::format("--score-reference does not search: do not use {}", option));
  };
  forbid("--print-alignment", format.print_alignment != PrintAlignment::kNone);
  forbid("--replace-unk", !replace_unk.empty());
  forbid("--mbr", !mbr.empty());
  forbid("--lm-path", !lm_path.empty());
  return problems;
}

}  // namespace phraseq
