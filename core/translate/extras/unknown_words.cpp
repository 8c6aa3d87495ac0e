#include "core/translate/extras/unknown_words.h"

#include <span>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/data/multilingual/tag_extras.h"
#include "core/io/line_reader.h"
#include "core/text/dictionary.h"
#include "core/text/replace_all.h"
#include "core/text/unicode.h"
#include "core/translate/extras/unknown_spelling.h"
#include "core/translate/hard_alignment.h"

namespace phraseq {
namespace {

constexpr const char* kTextExtra = "source_text";
constexpr std::string_view kSpaceOfSentencePiece = "\u2581";  // marks a space in pieces

std::string text_of(const Example& example) {
  const auto found = example.extras.find(kTextExtra);
  if (found == example.extras.end())
    return {};
  return {found->second.begin(), found->second.end()};
}

/// The id of the source's language token; -1 if it has none.
int64_t source_tag_of(const Example& example) {
  const auto tag = example.extras.find(kSourceTagExtra);
  return tag == example.extras.end() ? -1 : tag->second.at(0);
}

/// The number of the source's tokens that are neither control symbols nor language tokens.
size_t text_tokens(const Example& example) {
  const int64_t tag = source_tag_of(example);
  size_t tokens = 0;
  for (const int64_t id : example.source) tokens += is_control_symbol(id) || id == tag ? 0 : 1;
  return tokens;
}

/// The words of the text, with the language token at its place in the source.
std::vector<std::string> with_source_tag(const Task& task,
                                         const Example& example,
                                         const std::vector<std::string_view>& words) {
  const int64_t tag = source_tag_of(example);
  std::vector<std::string> all;
  auto word = words.begin();
  for (const int64_t& id : example.source) {
    if (id == tag)
      all.push_back(task.symbols(std::span(&id, 1), PairSide::kSource));
    else if (!is_control_symbol(id))
      all.emplace_back(*word++);
  }
  return all;
}

/// The words of the source: as they were read if the tokens are these words, otherwise as symbols.
std::vector<std::string> source_words(const Task& task, const Example& example) {
  const std::string text = text_of(example);
  const auto words = split_whitespace(text);
  const std::string symbols = task.symbols(example.source, PairSide::kSource);
  const bool are_cut_here = symbols.find(kSpaceOfSentencePiece) != std::string::npos &&
                            text.find(kSpaceOfSentencePiece) == std::string::npos;
  if (words.size() == text_tokens(example) && !are_cut_here)
    return with_source_tag(task, example, words);
  const auto parts = split_whitespace(symbols);
  return {parts.begin(), parts.end()};
}

size_t count_in(std::string_view text, std::string_view what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string_view::npos;
       at = text.find(what, at + what.size()))
    ++count;
  return count;
}

std::string replace_each(const std::string& text,
                         std::string_view what,
                         const std::vector<std::string>& replacements) {
  std::string replaced;
  size_t begin = 0;
  for (const std::string& word : replacements) {
    const size_t at = text.find(what, begin);
    replaced += text.substr(begin, at - begin) + word;
    begin = at + what.size();
  }
  return replaced + text.substr(begin);
}

/// The text of a piece, as SentencePiece writes it within a line.
std::string text_of_pieces(const std::string& piece) {
  if (piece == kUnknownSymbol)
    return std::string(kSentencePieceUnknownWithSpaces);
  return replace_all(piece, kSpaceOfSentencePiece, " ");
}

std::string replace_in_text_of_pieces(const std::string& text,
                                      const std::vector<std::string>& pieces) {
  std::vector<std::string> words;
  for (const std::string& piece : pieces) words.push_back(text_of_pieces(piece));
  std::string replaced = replace_each(text, kSentencePieceUnknownWithSpaces, words);
  const bool begins_with_piece = text.starts_with(kSentencePieceUnknownWithSpaces);
  if (begins_with_piece && pieces.front() != kUnknownSymbol && replaced.starts_with(' '))
    replaced.erase(0, 1);
  return replaced;
}

}  // namespace

UnknownWords UnknownWords::read(const std::string& path) {
  UnknownWords read;
  LineReader reader(path);
  std::string line;
  while (reader.next(line)) {
    const auto columns = split_whitespace(line);
    if (columns.empty())
      continue;
    if (columns.size() < 2) {
      throw DataError({path, reader.line_number(), 0},
                      fmt::format("'{}' has no translation", line),
                      "Write a source word and its translation, separated by a space.");
    }
    read.dictionary_[std::string(columns[0])] = columns[1];
  }
  return read;
}

std::vector<std::string> UnknownWords::replacements(const Task& task,
                                                    const Example& example,
                                                    const Hypothesis& hypothesis) const {
  const auto words = source_words(task, example);
  std::map<int64_t, int64_t> aligned;  // source index by target index
  for (const auto& [source, target] : hard_alignment(hypothesis, example.source))
    aligned[target] = source;
  std::vector<std::string> found;
  int64_t place = 0;
  for (size_t i = 0; i < hypothesis.tokens.size(); ++i) {
    const int64_t token = hypothesis.tokens[i];
    const bool of_phrase = i < hypothesis.slots.size() && hypothesis.slots[i] >= 0;
    const auto source = aligned.find(place);
    if (token == kUnk && !of_phrase) {
      const bool known =
          source != aligned.end() && source->second < static_cast<int64_t>(words.size());
      const std::string word =
          known ? words[static_cast<size_t>(source->second)] : std::string(kUnknownSymbol);
      const auto translation = dictionary_.find(word);
      found.push_back(translation == dictionary_.end() ? word : translation->second);
    }
    place += is_control_symbol(token) ? 0 : 1;
  }
  return found;
}

void keep_source_text(Example& example, std::string_view text) {
  auto& kept = example.extras[kTextExtra];
  for (const char byte : text) kept.push_back(static_cast<unsigned char>(byte));
}

bool keeps_a_word_for_each_token(const Example& example) {
  return split_whitespace(text_of(example)).size() == text_tokens(example);
}

void cut_source_text(Example& example) {
  const auto kept = example.extras.find(kTextExtra);
  const std::string text = text_of(example);
  const auto words = split_whitespace(text);
  const size_t count = text_tokens(example);
  if (kept == example.extras.end() || words.size() <= count)
    return;
  kept->second.resize(static_cast<size_t>(words[count].data() - text.data()));
}

std::string replace_unknown_words(const std::string& text,
                                  const std::vector<std::string>& replacements) {
  if (replacements.empty())
    return text;
  if (count_in(text, kUnknownSymbol) == replacements.size())
    return replace_each(text, kUnknownSymbol, replacements);
  if (count_in(text, kSentencePieceUnknownWithSpaces) == replacements.size())
    return replace_in_text_of_pieces(text, replacements);
  return text;
}

}  // namespace phraseq
