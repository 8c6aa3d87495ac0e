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
std::vector<std::string> read_chunk(KeptLines& kept) {
  std::vector<std::string> lines;
  size_t bytes = 0;
  std::string line;
  while (bytes < kChunkBytes && kept.next(line)) {
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
  KeptLines kept(text);
  over_chunks(
      workers,
      [&] { return read_chunk(kept); },
      [&](const auto& lines) { return encode_lines(lines, tokenizer); },
      use);
}

KeptLines::KeptLines(const CheckedText& text)
    : text_(&text), reader_(std::make_shared<LineReader>(text.file, text.reading)) {}

bool KeptLines::next(std::string& line) {
  const std::vector<int64_t>& skipped = text_->skipped;
  while (reader_->next(line)) {
    const bool is_skipped = std::binary_search(skipped.begin(), skipped.end(), line_number());
    if (!is_skipped && text_->shard.has(kept_++))
      return true;
  }
  if (line_number() == text_->lines)
    return false;
  throw DataError(fmt::format(
      "{}: had {} lines when it was checked, now {}: the file was modified in the meantime",
      text_->file,
      text_->lines,
      line_number()));
}

}  // namespace phraseq
