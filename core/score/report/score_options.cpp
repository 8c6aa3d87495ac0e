#include "core/score/report/score_options.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "core/base/log.h"
#include "core/text/unicode.h"

namespace phraseq::score {

void ScoreOptions::describe(OptionTable& table) {
  describe_input(table);
  MetricOptions::describe(table);
  describe_fairseq(table);
  describe_tests(table);
  describe_report(table);
}

void ScoreOptions::describe_input(OptionTable& table) {
  table.section("Input");
  table.field("ref", references, "Reference files, each with one line per line of the system.")
      .positional()
      .required()
      .value_name("REF")
      .alias("refs");
  table.field("input", input, "Outputs of one or more systems (- = standard input, the default).")
      .short_flag("i")
      .alias("sys")
      .value_name("FILE...");
  table
      .field("num-refs",
             num_refs,
             "Number of references in the one reference file, separated by TABs.")
      .in(1, 1000)
      .short_flag("nr");
  table.field("encoding", encoding, "Encoding of the files; only utf-8 is supported.")
      .short_flag("e");
}

void ScoreOptions::describe_fairseq(OptionTable& table) {
  table.section("fairseq");
  table.field("fairseq",
              fairseq,
              "Print BLEU as fairseq-score does: on space-separated tokens, without smoothing; "
              "with --order, --ignore-case and --sentence-bleu.");
}

void ScoreOptions::describe_tests(OptionTable& table) {
  table.section("Confidence and significance");
  table.field("sentence-level", sentence_level, "Score each sentence separately, with one metric.")
      .short_flag("sl")
      .alias("sentence-bleu");
  table
      .field("confidence",
             confidence,
             "Compute a 95 % confidence interval for one system by bootstrap resampling.")
      .short_flag("ci");
  table.field("confidence-n", confidence_n, "Number of bootstrap resamples for --confidence.")
      .in(1, 1000000)
      .short_flag("cin");
  describe_paired_tests(table);
  table
      .field("paired-jobs",
             threads,
             "Number of threads; 0 = one per core. The result does not depend on it.")
      .in(0, 4096)
      .short_flag("j")
      .alias("threads");
  table.field("seed",
              seed,
              "Random seed: an integer, or none for a random one. The environment variable "
              "SACREBLEU_SEED sets the default.");
}

void ScoreOptions::describe_paired_tests(OptionTable& table) {
  table
      .field("paired-ar",
             paired_ar,
             "Compare all systems with the first one by paired approximate randomization.")
      .short_flag("par");
  table
      .field("paired-bs",
             paired_bs,
             "Compare all systems with the first one by paired bootstrap resampling.")
      .short_flag("pbs");
  table.field("paired-ar-n", paired_ar_n, "Number of trials for --paired-ar.")
      .in(1, 1000000)
      .short_flag("parn");
  table.field("paired-bs-n", paired_bs_n, "Number of bootstrap resamples for --paired-bs.")
      .in(1, 1000000)
      .short_flag("pbsn");
}

void ScoreOptions::describe_report(OptionTable& table) {
  table.section("Report");
  table
      .field("format",
             format,
             kScoreFormatNames,
             "Output format; the environment variable SACREBLEU_FORMAT overrides it.")
      .short_flag("f");
  table.field("width", width, "Number of decimal places.").in(0, 30).short_flag("w");
  table.field("score-only", score_only, "Print only the score.").short_flag("b");
  table.field("short", short_signature, "Print short signatures.").short_flag("sh");
  table
      .field("no-color",
             no_color,
             "Do not use colors on a terminal (also set by the environment variable NO_COLOR).")
      .short_flag("nc");
  table.field("quiet", quiet, "Do not print notes to standard error.").short_flag("q");
}

std::vector<std::string> ScoreOptions::problems() const {
  auto found = MetricOptions::problems();
  const auto require = [&](bool condition, const char* sentence) {
    if (!condition)
      found.emplace_back(sentence);
  };
  const std::string lowered = to_lowercase(encoding);
  require(lowered == "utf-8" || lowered == "utf8",
          "--encoding: only utf-8 is supported; convert the files with iconv");
  require(!(paired_ar && paired_bs), "--paired-ar and --paired-bs cannot be combined");
  require(num_refs == 1 || references.size() <= 1,
          "--num-refs requires exactly one reference file");
  require(!input.empty() || std::ranges::count(references, "-") == 0,
          "standard input (-) can be read only once: give --input FILE");
  require(!sentence_level || metrics.size() == 1, "--sentence-level supports only one metric");
  require(!sentence_level || input.size() <= 1, "--sentence-level supports only one system");
  require(!sentence_level || !(confidence || paired_ar || paired_bs),
          "--sentence-level does not support statistical tests");
  require(!(paired_ar || paired_bs) || input.size() > 1,
          "paired tests compare systems: give --input two or more files");
  require(!confidence || input.size() <= 1,
          "--confidence supports only one system: use --paired-bs for several");
  check_fairseq(found);
  return found;
}

void ScoreOptions::warn_of_unused_options() const {
  const ScoreOptions defaults;
  const auto check = [](bool test, int64_t number, int64_t usual, const char* option) {
    if (!test && number != usual)
      log_warning(fmt::format("--{0}-n has no effect without --{0}", option));
  };
  check(confidence, confidence_n, defaults.confidence_n, "confidence");
  check(paired_ar, paired_ar_n, defaults.paired_ar_n, "paired-ar");
  check(paired_bs, paired_bs_n, defaults.paired_bs_n, "paired-bs");
}

void ScoreOptions::check_fairseq(std::vector<std::string>& found) const {
  if (!fairseq)
    return;
  if (references.size() > 1 || num_refs > 1)
    found.emplace_back("--fairseq supports only one reference");
  if (input.size() > 1)
    found.emplace_back("--fairseq supports only one system");
  if (confidence || paired_ar || paired_bs)
    found.emplace_back("--fairseq does not support statistical tests");
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

std::string rejection_of(const std::string& argument) {
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
  return fmt::format("{} is for the test sets that sacrebleu downloads; phraseq scores only files",
                     flag);
}

}  // namespace phraseq::score
