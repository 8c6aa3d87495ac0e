#include "core/train/sentence_source.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/text/dictionary.h"

namespace phraseq {

namespace {

DataError ends_early(const LineReader& shorter, const LineReader& longer) {
  return DataError(
      {shorter.path(), shorter.line_number(), 0},
      fmt::format("ends here, while {} goes on: each line needs its pair", longer.path()));
}

}  // namespace

std::vector<Example> SentenceSource::take(int64_t count) {
  std::vector<Example> examples;
  while (static_cast<int64_t>(examples.size()) < count) {
    auto example = next();
    if (!example)
      break;
    examples.push_back(std::move(*example));
  }
  return examples;
}

TextSource::TextSource(const Task& task,
                       const std::string& sources,
                       std::optional<std::string> targets,
                       const LineReaderOptions& reading,
                       int64_t max_source_positions,
                       bool truncate)
    : task_(task),
      sources_(sources, reading),
      max_source_positions_(max_source_positions),
      truncate_(truncate) {
  if (targets)
    targets_.emplace(*targets, reading);
}

std::optional<Example> TextSource::next() {
  std::string source, target;
  if (!sources_.next(source)) {
    if (targets_ && targets_->next(target))
      throw ends_early(sources_, *targets_);
    return std::nullopt;
  }
  if (targets_ && !targets_->next(target))
    throw ends_early(*targets_, sources_);
  Example example = targets_ ? task_.encode(source, target) : task_.encode(source);
  example.id = sources_.line_number() - 1;
  fit(example);
  return example;
}

void TextSource::fit(Example& example) const {
  const auto length = static_cast<int64_t>(example.source.size());
  if (length <= max_source_positions_)
    return;
  if (!truncate_) {
    throw DataError({sources_.path(), sources_.line_number(), 0},
                    fmt::format("{} tokens, the model takes {}", length, max_source_positions_),
                    "split the line, or give --truncate-source to use its beginning");
  }
  example.source.resize(static_cast<size_t>(max_source_positions_));
  example.source.back() = kEos;
}

std::optional<Example> CorpusSource::next() {
  if (next_ == corpus_->size())
    return std::nullopt;
  return corpus_->get(next_++);
}

std::unique_ptr<SentenceSource> open_split(const Task& task,
                                           const std::string& folder,
                                           const std::string& split) {
  if (!task.has_split(split)) {
    throw DataError(fmt::format("{} holds no split '{}'", folder, split),
                    "name another with --gen-subset, or preprocess with --testpref");
  }
  return std::make_unique<CorpusSource>(task.open(split, /*training=*/false));
}

}  // namespace phraseq
