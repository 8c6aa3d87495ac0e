#include "core/run/generate_run.h"

namespace phraseq {

namespace {

constexpr int64_t kManyLines = 20000;

}  // namespace

GenerateOptions::GenerateOptions(bool line_by_line)
    : interactive(line_by_line), buffer_size(line_by_line ? 1 : kManyLines) {}

void GenerateOptions::describe(OptionTable& table) {
  table.section("Generation");
  if (!interactive) {
    table
        .field("data",
               data,
               "Folder made by phraseq preprocess; without it, lines of text are translated.")
        .positional()
        .value_name("DATA");
    table.field("gen-subset", gen_subset, "Which split of DATA.");
    table.field("scoring", metric, "Metric by name, when there are references.");
  }
  table.field("input", input, "Text to translate, one sentence a line; - is standard input.")
      .value_name("FILE");
  table
      .field("trees",
             trees,
             "Bracketed parse trees of these sentences, line by line, for models that use them.")
      .value_name("FILE");
  table.field("output", output, "Where the translations go; - is standard output.")
      .value_name("FILE");
  table
      .field("format",
             format.format,
             "plain: one line of text a sentence; fairseq: S-, T-, H-, D-, P-, A- lines, base 2; "
             "jsonl: everything.")
      .one_of({"plain", "fairseq", "jsonl"});
  table.field("decoder", decoder, "Search by name; its own options are below.");
  table.field("sampling", sampling, "The same as --decoder sampling.");
  table.field("max-tokens", max_tokens, "Source tokens of a batch; 0 = chosen for the machine.")
      .at_least(0);
  table.field("batch-size", batch_size, "Sentences of a batch; 0 = any.")
      .alias("max-sentences")
      .at_least(0);
  table
      .field("buffer-size",
             buffer_size,
             "Sentences that are read, sorted by length and written together.")
      .at_least(1);
  table.field("seed", seed, "Of everything that is drawn.");
  table
      .field("remove-bpe",
             format.post_process,
             "Join the subwords of symbols and, where the checkpoint holds no subword model, of "
             "text: plain lines, D- lines, and what is scored.")
      .alias("post-process")
      .one_of({"", "none", "subword_nmt", "sentencepiece", "wordpiece", "letter", "_EOW"})
      .bare_value("subword_nmt");
  table
      .field("print-alignment",
             format.print_alignment,
             "Also say which source token each target token attends to most (hard), or all weights "
             "(soft).")
      .one_of({"", "hard", "soft"})
      .bare_value("hard");
  table.field(
      "truncate-source", truncate_source, "Translate the beginning of lines that are too long.");
  table
      .field("on-bad-line",
             on_bad_line,
             "What to do with a line that is not valid UTF-8; skip gives an empty line.")
      .one_of({"error", "skip", "replace"});
  table.field("quiet", quiet, "Print only the score.");
}

std::vector<std::string> GenerateOptions::problems() const {
  std::vector<std::string> problems;
  if (!format.print_alignment.empty() && format.format == "plain") {
    problems.emplace_back(
        "--print-alignment has no place in plain text: add --format fairseq or jsonl");
  }
  if (!data.empty() && input != "-")
    problems.emplace_back("DATA and --input are two texts to translate; give one");
  if (!data.empty() && !trees.empty())
    problems.emplace_back("--trees is for lines of text; DATA brings its own");
  return problems;
}

}  // namespace phraseq
