#include "core/run/options/rescore_options.h"

#include <utility>

namespace phraseq {
namespace {

void describe_input(OptionTable& table, RescoreOptions& o) {
  table.section("Rescoring");
  table
      .field(
          "data", o.data, "Data folder made by phraseq preprocess; or use --source and --target.")
      .positional()
      .value_name("DATA");
  table.field("gen-subset", o.gen_subset, "Split of the data folder to score.");
  table.field("source", o.source, "Source sentences, one per line; - = standard input.")
      .short_flag("s")
      .value_name("FILE");
  table.field("target", o.target, "Target sentences, one per line.")
      .short_flag("t")
      .value_name("FILE");
  table
      .field(
          "trees",
          o.trees,
          "Bracketed parse trees of the source sentences, one per line, for models that use trees.")
      .value_name("FILE");
}

void describe_output(OptionTable& table, RescoreOptions& o) {
  table
      .field("output",
             o.output,
             "Output file; - = standard output. With --contrastive: one line per pair, if a file "
             "is given.")
      .value_name("FILE")
      .writes_file();
  table.field("format",
              o.format.format,
              kOutputFormatNames,
              "plain: the natural logarithm of each probability; fairseq: S-, T-, H-, D- and P- "
              "lines with base-2 scores; jsonl: the score of every token.");
  table
      .field("remove-bpe",
             o.format.post_process,
             kPostProcessNames,
             "Join subwords in symbols and, if the checkpoint has no subword model, in text.")
      .alias("post-process")
      .bare_value("subword_nmt");
}

void describe_batches(OptionTable& table, RescoreOptions& o) {
  o.batches.describe(table);
  o.shards.describe(table);
  table
      .field("buffer-size",
             o.buffer_size,
             "Number of pairs that are read, sorted by length and written together.")
      .at_least(1);
  table.field(
      "truncate-source", o.truncate_source, "Use only the beginning of sources that are too long.");
}

}  // namespace

void RescoreOptions::describe(OptionTable& table) {
  describe_input(table, *this);
  describe_output(table, *this);
  describe_batches(table, *this);
  contrastive.describe(table);
}

std::vector<std::string> RescoreOptions::problems() const {
  auto found = contrastive.problems();
  for (auto& problem : shards.problems()) found.push_back(std::move(problem));
  if (shards.is_sharded() && contrastive.wanted())
    found.emplace_back("--contrastive reports on all pairs: do not use it with --num-shards");
  if (shards.is_sharded() && !contrastive.wanted() && output == "-")
    found.emplace_back("--num-shards writes each part to a file: give --output FILE");
  const int inputs = (data.empty() ? 0 : 1) + (source.empty() && target.empty() ? 0 : 1) +
                     (contrastive.wanted() ? 1 : 0);
  if (inputs != 1 || source.empty() != target.empty())
    found.emplace_back("give DATA, or both --source and --target, or --contrastive");
  if (contrastive.wanted() && format.format == OutputFormat::kFairseq)
    found.emplace_back("--contrastive: the output format must be plain or jsonl");
  if (contrastive.wanted() && truncate_source)
    found.emplace_back("--contrastive: --truncate-source would compare truncated sentences");
  if (!trees.empty() && source.empty())
    found.emplace_back("--trees is for the lines of --source");
  return found;
}

}  // namespace phraseq
