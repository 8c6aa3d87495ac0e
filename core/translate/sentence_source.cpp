#include "core/translate/sentence_source.h"

#include <filesystem>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/corpus/data_folder.h"
#include "core/corpus/trees/subword_tree.h"
#include "core/data/phrases/example_phrases.h"
#include "core/io/crc32c.h"
#include "core/io/terminal_input.h"
#include "core/translate/extras/constrained_line.h"
#include "core/translate/extras/unknown_words.h"

namespace phraseq {
namespace {

DataError ends_early(const LineReader& shorter, const LineReader& longer) {
  return DataError(
      {shorter.path(), shorter.line_number(), 0},
      fmt::format("ends here, but {} continues: both files must have the same number of lines",
                  longer.path()));
}

/// The first lines of a text that --on-bad-line skipped or mended.
void warn_of_bad_line(const LineReader& reader) {
  constexpr int64_t kReportedLines = 10;
  if (reader.defect().empty() || reader.bad_lines() > kReportedLines)
    return;
  log_warning(
      fmt::format("{}:{}: {}: {}{}",
                  reader.path(),
                  reader.line_number(),
                  reader.defect(),
                  reader.bad() ? "the line is treated as empty" : "replaced",
                  reader.bad_lines() < kReportedLines ? "" : "; further lines are not reported"));
}

/// Tells the user that input is expected at the terminal, and for which file.
void announce(const TextFiles& files) {
  if (files.sources == "-")
    announce_terminal_input("source sentences, one per line,");
  if (files.targets == "-")
    announce_terminal_input("target sentences, one per line,");
  if (files.trees == "-")
    announce_terminal_input("parse trees, one per line,");
}

/// Truncates a longer source to `most` tokens. The last token is kept: </s>, or a language token in
/// its place.
void cut_source(Example& example, int64_t most) {
  if (static_cast<int64_t>(example.source.size()) <= most)
    return;
  const int64_t last = example.source.back();
  example.source.resize(static_cast<size_t>(most));
  example.source.back() = last;
  cut_phrases(example.phrases, most - 1);
  if (const auto tree = example.extras.find(kTreeExtra); tree != example.extras.end())
    tree->second = SubwordTree::decode(tree->second).beginning(most - 1).encode();
}

bool all_have_references(const Corpus& corpus) {
  int64_t index = 0;
  while (index < corpus.size() && corpus.target_length(index) > 0) ++index;
  return index == corpus.size();
}

std::unique_ptr<Corpus> corpus_of_split(const TranslationModel& model,
                                        const std::string& folder,
                                        const std::string& split) {
  if (std::filesystem::is_regular_file(folder)) {
    throw DataError(fmt::format("{} is a file, not a data folder", folder),
                    "Translate the lines of a file with --input FILE.");
  }
  check_data_folder(folder);
  if (!model.task->has_split(split)) {
    throw DataError(fmt::format("{} has no split '{}'", folder, split),
                    "Use another split with --gen-subset, or preprocess with --testpref.");
  }
  return model.open(split, /*training=*/false);
}

}  // namespace

std::vector<Example> SentenceSource::take(int64_t count) {
  std::vector<Example> examples;
  bool goes_on = true;
  while (goes_on && static_cast<int64_t>(examples.size()) < count) {
    if (shard_.has(passed_)) {
      auto example = next();
      goes_on = example.has_value();
      if (example)
        examples.push_back(std::move(*example));
    } else {
      goes_on = skip();
    }
    passed_ += goes_on ? 1 : 0;
  }
  return examples;
}

TextSource::TextSource(const Task& task,
                       const TextFiles& files,
                       const LineReaderOptions& reading,
                       int64_t max_source_tokens,
                       bool truncate)
    : task_(task),
      sources_(files.sources, reading),
      max_source_tokens_(max_source_tokens),
      truncate_(truncate),
      with_constraints_(files.with_constraints),
      keep_text_(files.keep_text) {
  announce(files);
  if (!files.targets.empty())
    targets_.emplace(files.targets, reading);
  if (!files.trees.empty())
    trees_.emplace(files.trees, reading);
}

bool TextSource::read(Lines& lines) {
  const bool is_line = sources_.next(lines.source);
  if (is_line)
    warn_of_bad_line(sources_);
  for (const auto& [parallel, line] :
       {std::pair{&targets_, &lines.target}, {&trees_, &lines.tree}}) {
    if (!parallel->has_value())
      continue;
    if ((*parallel)->next(*line) != is_line)
      throw is_line ? ends_early(**parallel, sources_) : ends_early(sources_, **parallel);
    if (is_line)
      warn_of_bad_line(**parallel);
  }
  if (!is_line)
    return false;
  for (const std::string* line : {&lines.source, &lines.target, &lines.tree})
    sum_ = crc32c(std::as_bytes(std::span(line->c_str(), line->size() + 1)), sum_);
  return true;
}

bool TextSource::skip() {
  Lines lines;
  return read(lines);
}

std::string TextSource::fingerprint() const {
  return fmt::format("{} lines, crc32c {:08x}", sources_.line_number(), sum_);
}

std::optional<Example> TextSource::next() {
  Lines lines;
  if (!read(lines))
    return std::nullopt;
  const auto& [source, target, tree] = lines;
  if (with_constraints_)
    return read_constrained(source);
  Example example = targets_ ? task_.encode(source, target) : task_.encode(source);
  if (keep_text_)
    keep_source_text(example, source);
  example.id = sources_.line_number() - 1;
  if (trees_) {
    const TextPlace place{trees_->path(), trees_->line_number(), 0};
    example.extras[kTreeExtra] =
        task_.encode_tree(source, sources_.bad() ? std::string() : tree, place);
  }
  fit(example);
  return example;
}

Example TextSource::read_constrained(const std::string& line) const {
  const ConstrainedLine split = split_constraints(line);
  Example example = task_.encode(split.source);
  example.id = sources_.line_number() - 1;
  if (keep_text_)
    keep_source_text(example, split.source);
  set_constraints(
      example,
      encode_constraints(task_, split.phrases, {sources_.path(), sources_.line_number(), 0}));
  fit(example);
  return example;
}

void TextSource::fit(Example& example) const {
  const auto length = static_cast<int64_t>(example.source.size());
  if (length <= max_source_tokens_)
    return;
  if (!truncate_) {
    throw DataError(
        {sources_.path(), sources_.line_number(), 0},
        fmt::format("{} tokens, the model accepts at most {}", length, max_source_tokens_),
        "Split the line, or use --truncate-source to use only its beginning.");
  }
  const bool by_word = keeps_a_word_for_each_token(example);
  cut_source(example, max_source_tokens_);
  if (by_word)
    cut_source_text(example);
}

std::optional<Example> CorpusSource::next() {
  if (next_ == corpus_->size())
    return std::nullopt;
  Example example = corpus_->get(next_++);
  cut_source(example, cut_to_);
  return example;
}

bool CorpusSource::skip() {
  if (next_ == corpus_->size())
    return false;
  ++next_;
  return true;
}

bool CorpusSource::has_references() const { return all_have_references(*corpus_); }

void require_references(const Corpus& corpus, const std::string& split) {
  if (!all_have_references(corpus)) {
    throw DataError(fmt::format("the split '{}' has no references", split),
                    "Preprocess the text of both languages, without --only-source.");
  }
}

std::unique_ptr<SentenceSource> open_split(const TranslationModel& model,
                                           const std::string& folder,
                                           const std::string& split,
                                           int64_t cut_to) {
  return std::make_unique<CorpusSource>(corpus_of_split(model, folder, split), cut_to);
}

std::unique_ptr<SentenceSource> open_split_with_references(const TranslationModel& model,
                                                           const std::string& folder,
                                                           const std::string& split,
                                                           int64_t cut_to) {
  auto corpus = corpus_of_split(model, folder, split);
  require_references(*corpus, split);
  return std::make_unique<CorpusSource>(std::move(corpus), cut_to);
}

}  // namespace phraseq
