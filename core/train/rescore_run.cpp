#include "core/train/rescore_run.h"

#include <limits>

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/train/result_output.h"
#include "core/train/sentence_source.h"

namespace phraseq {

namespace {

std::unique_ptr<SentenceSource> open_pairs(const RescoreOptions& options,
                                           const Task& task,
                                           int64_t max_source_positions) {
  if (!options.data.empty())
    return open_split(task, options.data, options.gen_subset);
  return std::make_unique<TextSource>(task,
                                      options.source,
                                      options.target,
                                      LineReaderOptions{},
                                      max_source_positions,
                                      options.truncate_source);
}

/// A line of a translation that was given: its log-probability, or the whole record.
std::string score_text(const Translation& translation,
                       const Task& task,
                       const TranslationFormat& format) {
  if (format.format != "plain")
    return translation_text(translation, task, format);
  return fmt::format("{}\n", translation.hypotheses.front().log_probability);
}

}  // namespace

void RescoreOptions::describe(OptionTable& table) {
  table.section("Rescoring");
  table.field("data", data, "Folder made by phraseq preprocess; or give --source and --target.")
      .positional()
      .value_name("DATA");
  table.field("gen-subset", gen_subset, "Which split of DATA.");
  table.field("source", source, "Source sentences, one a line; - is standard input.")
      .short_flag("s")
      .value_name("FILE");
  table.field("target", target, "Their translations, line by line.")
      .short_flag("t")
      .value_name("FILE");
  table.field("output", output, "Where the results go; - is standard output.").value_name("FILE");
  table
      .field("format",
             format.format,
             "plain: the natural logarithm of each probability; fairseq: S-, T-, H-, D-, P- lines, "
             "base 2; jsonl: every token's.")
      .one_of({"plain", "fairseq", "jsonl"});
  table.field("remove-bpe", format.post_process, "Join the subwords of S-, T- and H- lines.")
      .alias("post-process")
      .one_of({"", "none", "subword_nmt", "sentencepiece", "wordpiece", "letter", "_EOW"})
      .bare_value("subword_nmt");
  table.field("max-tokens", max_tokens, "Tokens of a batch; 0 = any.").at_least(0);
  table.field("batch-size", batch_size, "Sentences of a batch; 0 = any.")
      .alias("max-sentences")
      .at_least(0);
  table
      .field(
          "buffer-size", buffer_size, "Pairs that are read, sorted by length and written together.")
      .at_least(1);
  table.field(
      "truncate-source", truncate_source, "Use the beginning of sources that are too long.");
}

std::vector<std::string> RescoreOptions::problems() const {
  if (!data.empty() && source.empty() && target.empty())
    return {};
  if (data.empty() && !source.empty() && !target.empty())
    return {};
  return {"give DATA, or both --source and --target"};
}

RescoreRun::RescoreRun(std::span<const std::string> arguments)
    : loaded(load_plugins_for(arguments)) {
  options.describe(table);
  model.describe(table);
}

int rescore(RescoreRun& run) {
  TranslationSettings settings;
  settings.precision = run.model.chosen_precision();
  settings.max_tokens = run.options.max_tokens;
  settings.max_sentences = run.options.batch_size;
  settings.workers = run.model.worker_settings();
  at::set_num_threads(static_cast<int>(settings.workers.threads));
  const auto models = load_models(run.loaded->registry, run.model, run.options.data);
  int64_t max_source_positions = std::numeric_limits<int64_t>::max();
  for (const Translator& model : models) {
    max_source_positions = std::min(max_source_positions, model.model->max_source_positions());
  }
  const Task& task = *models.front().task;
  const auto source = open_pairs(run.options, task, max_source_positions);
  ResultOutput output(run.options.output);
  for (auto examples = source->take(run.options.buffer_size); !examples.empty();
       examples = source->take(run.options.buffer_size)) {
    for (const Translation& translation : score_targets(models, std::move(examples), settings)) {
      output.write(score_text(translation, task, run.options.format));
    }
    if (!output.flush())
      break;
  }
  output.commit();
  return kExitOk;
}

}  // namespace phraseq
