#include "core/corpus/text_encoder.h"

#include <algorithm>
#include <memory>
#include <unordered_map>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/corpus/chunks.h"

namespace phraseq {
namespace {

constexpr size_t kChunkBytes = 1 << 19;  // about 50 ms of SentencePiece

/// The next lines, up to the size of a chunk; empty at the end.
std::vector<std::string> read_chunk(const std::function<bool(std::string&)>& next) {
  std::vector<std::string> lines;
  size_t bytes = 0;
  std::string line;
  while (bytes < kChunkBytes && next(line)) {
    bytes += line.size() + 1;
    lines.push_back(line);
  }
  return lines;
}

}  // namespace

EncodedText encode_lines(const std::vector<std::string>& lines, const Tokenizer& tokenizer) {
  EncodedText text;
  std::unordered_map<std::string, uint32_t> numbers;
  for (const std::string& line : lines) {
    const std::vector<std::string> symbols = tokenizer.encode(line);
    for (const std::string& symbol : symbols) {
      const auto [place, is_new] =
          numbers.try_emplace(symbol, static_cast<uint32_t>(numbers.size()));
      if (is_new)
        text.occurrences.push_back(0);
      ++text.occurrences[place->second];
      text.tokens.push_back(place->second);
    }
    text.lengths.push_back(static_cast<uint32_t>(symbols.size()));
  }
  text.symbols.resize(numbers.size());
  for (const auto& [symbol, number] : numbers) text.symbols[number] = symbol;
  return text;
}

void encode_text(const CheckedText& text,
                 const Tokenizer& tokenizer,
                 int64_t workers,
                 const std::function<void(const EncodedText&)>& use) {
  const auto next = kept_lines(text);
  over_chunks(
      workers,
      [&] { return read_chunk(next); },
      [&](const auto& lines) { return encode_lines(lines, tokenizer); },
      use);
}

std::function<bool(std::string&)> kept_lines(const CheckedText& text) {
  auto reader = std::make_shared<LineReader>(text.file, text.reading);
  return [reader, &text, kept = int64_t{0}](std::string& line) mutable {
    while (reader->next(line)) {
      const bool skipped =
          std::binary_search(text.skipped.begin(), text.skipped.end(), reader->line_number());
      if (!skipped && text.shard.has(kept++))
        return true;
    }
    if (reader->line_number() == text.lines)
      return false;
    throw DataError(fmt::format(
        "{}: had {} lines when it was checked, now {}: the file was modified in the meantime",
        text.file,
        text.lines,
        reader->line_number()));
  };
}

}  // namespace phraseq
