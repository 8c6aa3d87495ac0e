#include "core/corpus/text_encoder.h"

#include <algorithm>
#include <future>
#include <memory>
#include <unordered_map>

#include <fmt/format.h>

#include "core/base/error.h"

namespace phraseq {
namespace {

constexpr size_t kStretchBytes = 1 << 19;  // about 50 ms of SentencePiece

/// The next lines, up to the size of a stretch; empty at the end.
std::vector<std::string> read_stretch(const std::function<bool(std::string&)>& next) {
  std::vector<std::string> lines;
  size_t bytes = 0;
  std::string line;
  while (bytes < kStretchBytes && next(line)) {
    bytes += line.size() + 1;
    lines.push_back(line);
  }
  return lines;
}

std::vector<std::vector<std::string>> read_stretches(const std::function<bool(std::string&)>& next,
                                                     int64_t count) {
  std::vector<std::vector<std::string>> stretches;
  while (static_cast<int64_t>(stretches.size()) < count) {
    auto lines = read_stretch(next);
    if (lines.empty())
      break;
    stretches.push_back(std::move(lines));
  }
  return stretches;
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
  while (true) {
    const auto stretches = read_stretches(next, workers);
    if (stretches.empty())
      return;
    std::vector<std::future<EncodedText>> encoded;
    for (size_t i = 1; i < stretches.size(); ++i) {
      encoded.push_back(
          std::async(std::launch::async, [&, i] { return encode_lines(stretches[i], tokenizer); }));
    }
    use(encode_lines(stretches[0], tokenizer));
    for (auto& part : encoded) use(part.get());
  }
}

std::function<bool(std::string&)> kept_lines(const CheckedText& text) {
  auto reader = std::make_shared<LineReader>(text.file, text.reading);
  return [reader, &text](std::string& line) {
    while (reader->next(line)) {
      if (!std::binary_search(text.skipped.begin(), text.skipped.end(), reader->line_number()))
        return true;
    }
    if (reader->line_number() == text.lines)
      return false;
    throw DataError(
        fmt::format("{}: had {} lines when it was checked, now {}: it changed meanwhile",
                    text.file,
                    text.lines,
                    reader->line_number()));
  };
}

}  // namespace phraseq
