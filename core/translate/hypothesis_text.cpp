#include "core/translate/hypothesis_text.h"

#include <functional>
#include <span>
#include <vector>

#include "core/base/wording/message_text.h"
#include "core/data/phrases/example_phrases.h"
#include "core/translate/extras/unknown_words.h"
#include "core/translate/post_process.h"

namespace phraseq {
namespace {

/// Joins the texts of phrases with the texts that `write` makes from the tokens between them. The
/// result is one line, even though a model with byte pieces can generate line ends.
std::string join_said(const Example& example,
                      const Hypothesis& hypothesis,
                      const std::function<std::string(std::span<const int64_t>)>& write) {
  const std::vector<int64_t> places = phrase_word_places(example.phrases, hypothesis.slots);
  const std::span<const int64_t> tokens = hypothesis.tokens;
  std::string text;
  const auto add = [&](const std::string& piece) {
    text += (text.empty() || piece.empty() ? "" : " ") + piece;
  };
  size_t written = 0;
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i] < 0)
      continue;
    if (i > written)
      add(write(tokens.subspan(written, i - written)));
    const auto& phrase = example.phrases[static_cast<size_t>(hypothesis.slots[i])];
    add(phrase.target_words[static_cast<size_t>(places[i])]);
    written = i + 1;
  }
  add(write(tokens.subspan(written)));
  return on_one_line(text);
}

}  // namespace

std::string hypothesis_symbols(const Task& task,
                               const Example& example,
                               const Hypothesis& hypothesis) {
  return replace_unknown_words(
      join_said(example,
                hypothesis,
                [&](std::span<const int64_t> ids) { return task.symbols(ids, PairSide::kTarget); }),
      hypothesis.unknown_words);
}

std::string hypothesis_text(const Task& task,
                            const Example& example,
                            const Hypothesis& hypothesis) {
  return replace_unknown_words(
      join_said(example,
                hypothesis,
                [&](std::span<const int64_t> ids) { return task.text(ids, PairSide::kTarget); }),
      hypothesis.unknown_words);
}

std::string hypothesis_text(const Task& task,
                            const Example& example,
                            const Hypothesis& hypothesis,
                            PostProcess remove_bpe) {
  const std::string text = hypothesis_text(task, example, hypothesis);
  if (remove_bpe == PostProcess::kNotGiven)
    return text;
  return post_process_text(text, hypothesis_symbols(task, example, hypothesis), remove_bpe);
}

std::string reference_text(const Task& task, const Example& example, PostProcess remove_bpe) {
  const std::string text = on_one_line(task.text(example.target, PairSide::kTarget));
  if (remove_bpe == PostProcess::kNotGiven)
    return text;
  const std::string symbols = on_one_line(task.symbols(example.target, PairSide::kTarget));
  return post_process_text(text, symbols, remove_bpe);
}

nlohmann::ordered_json hypothesis_phrases(const Example& example, const Hypothesis& hypothesis) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  const std::vector<int64_t> places = phrase_word_places(example.phrases, hypothesis.slots);
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i] != 0)
      continue;
    const auto& phrase = example.phrases[static_cast<size_t>(hypothesis.slots[i])];
    nlohmann::ordered_json object;
    object["source"] = phrase.source_words;
    object["target"] = phrase.target_words;
    object["category"] = phrase.category;
    object["places"] = phrase.places;
    object["span"] = {i, phrase.target.size()};
    list.push_back(std::move(object));
  }
  return list;
}

}  // namespace phraseq
