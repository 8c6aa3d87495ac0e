#include "core/score/report/score_options.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "core/text/unicode_text.h"

namespace phraseq::score {

void ScoreOptions::describe(OptionTable& table) {
  describe_input(table);
  MetricOptions::describe(table);
  describe_tests(table);
  describe_report(table);
}

void ScoreOptions::describe_input(OptionTable& table) {
  table.section("Input");
  table
      .field("ref", references, "References, each a file with a line for every line of the system.")
      .positional()
      .required()
      .value_name("REF")
      .alias("refs");
  table.field("input", input, "Output of one or more systems (- = standard input, the default).")
      .short_flag("i")
      .alias("sys")
      .value_name("FILE...");
  table.field("num-refs", num_refs, "Split the one reference file at TABs into so many references.")
      .in(1, 1000)
      .short_flag("nr");
  table.field("encoding", encoding, "Only utf-8 is read.").short_flag("e");
}

void ScoreOptions::describe_tests(OptionTable& table) {
  table.section("Confidence and significance");
  table.field("sentence-level", sentence_level, "Score each sentence, by one metric.")
      .short_flag("sl")
      .alias("sentence-bleu");
  table.field("confidence", confidence, "Bootstrap a 95 % confidence interval for one system.")
      .short_flag("ci");
  table.field("confidence-n", confidence_n, "Resamples for --confidence.")
      .at_least(1)
      .short_flag("cin");
  table.field("paired-ar", paired_ar, "Compare to the first system by approximate randomization.")
      .short_flag("par");
  table.field("paired-bs", paired_bs, "Compare to the first system by paired bootstrap.")
      .short_flag("pbs");
  table.field("paired-ar-n", paired_ar_n, "Trials for --paired-ar.").at_least(1).short_flag("parn");
  table.field("paired-bs-n", paired_bs_n, "Resamples for --paired-bs.")
      .at_least(1)
      .short_flag("pbsn");
  table
      .field("paired-jobs",
             threads,
             "Threads; 0 = as many as there are processors. No result depends on it.")
      .in(0, 4096)
      .short_flag("j")
      .alias("threads");
  table.field(
      "seed", seed, "A whole number, or none for a random one. SACREBLEU_SEED sets the default.");
}

void ScoreOptions::describe_report(OptionTable& table) {
  table.section("Report");
  table.field("format", format, "SACREBLEU_FORMAT overrides it.")
      .one_of({"json", "text", "latex"})
      .short_flag("f");
  table.field("width", width, "Digits behind the point.").in(0, 30).short_flag("w");
  table.field("score-only", score_only, "Print the number alone.").short_flag("b");
  table.field("short", short_signature, "Print short signatures.").short_flag("sh");
  table.field("no-color", no_color, "No colors on a terminal (so does NO_COLOR).").short_flag("nc");
  table.field("quiet", quiet, "No notes on standard error.").short_flag("q");
}

std::vector<std::string> ScoreOptions::problems() const {
  auto found = MetricOptions::problems();
  const auto require = [&](bool condition, const char* sentence) {
    if (!condition)
      found.emplace_back(sentence);
  };
  const std::string lowered = score::lowercase(encoding);
  require(lowered == "utf-8" || lowered == "utf8",
          "--encoding: only utf-8 is read; convert the files with iconv");
  require(!(paired_ar && paired_bs), "--paired-ar and --paired-bs exclude each other");
  require(num_refs == 1 || references.size() <= 1, "--num-refs goes with a single reference file");
  require(!sentence_level || metrics.size() == 1, "--sentence-level takes one metric");
  require(!sentence_level || input.size() <= 1, "--sentence-level takes one system");
  require(!sentence_level || !(confidence || paired_ar || paired_bs),
          "--sentence-level has no statistical tests");
  require(!(paired_ar || paired_bs) || input.size() > 1,
          "paired tests compare systems: give --input two or more files");
  require(!confidence || input.size() <= 1,
          "--confidence is for one system: use --paired-bs for several");
  return found;
}

PairedTest ScoreOptions::test() const {
  if (paired_bs)
    return PairedTest::kBootstrap;
  return paired_ar ? PairedTest::kRandomization : PairedTest::kNone;
}

Sampling ScoreOptions::sampling() const {
  Sampling sampling{0, parse_seed(seed), static_cast<int>(threads)};
  if (paired_bs)
    sampling.samples = paired_bs_n;
  if (paired_ar)
    sampling.samples = paired_ar_n;
  if (confidence)
    sampling.samples = confidence_n;
  return sampling;
}

std::string refusal_of(const std::string& argument) {
  constexpr const char* kDownloads[] = {"-t",
                                        "--test-set",
                                        "--list",
                                        "--download",
                                        "--echo",
                                        "-ol",
                                        "--origlang",
                                        "--subset",
                                        "--citation",
                                        "--cite",
                                        "-d",
                                        "--detail"};
  const std::string flag = argument.substr(0, argument.find('='));
  if (std::find(std::begin(kDownloads), std::end(kDownloads), flag) == std::end(kDownloads))
    return {};
  return fmt::format("{} is about test sets that sacrebleu downloads; phraseq scores files only",
                     flag);
}

}  // namespace phraseq::score
