#include "core/corpus/split_writer.h"

#include <algorithm>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "core/corpus/indexed_dataset.h"
#include "core/corpus/indexed_dataset_writer.h"

namespace phraseq {
namespace {

constexpr int64_t kSentencesInMemory = 1 << 14;  ///< of a provisional text

/// Writes the sentences of a chunk, `</s>` at the end of each; `ids` are those of its symbols.
void add_sentences(IndexedDatasetWriter& writer,
                   const EncodedText& encoded,
                   std::span<const int64_t> ids) {
  std::vector<int64_t> sentence;
  size_t token = 0;
  for (const uint32_t length : encoded.lengths) {
    sentence.clear();
    for (const size_t end = token + length; token < end; ++token) {
      sentence.push_back(ids[encoded.tokens[token]]);
    }
    sentence.push_back(kEos);
    writer.add(sentence);
  }
}

}  // namespace

std::string to_string(const SplitCounts& counts) {
  const auto tokens = static_cast<double>(std::max<int64_t>(counts.tokens, 1));
  return fmt::format("{} sents, {} tokens, {:.3}% replaced (by <unk>)",
                     counts.sentences,
                     counts.tokens,
                     100.0 * static_cast<double>(counts.replaced) / tokens);
}

SplitCounts write_split(const CheckedText& text,
                        const Tokenizer& tokenizer,
                        const Dictionary& dictionary,
                        int64_t workers,
                        const std::string& prefix) {
  IndexedDatasetWriter writer(prefix, dictionary.size());
  SplitCounts counts;
  encode_text(text, tokenizer, workers, [&](const EncodedText& encoded) {
    std::vector<int64_t> ids;
    for (size_t i = 0; i < encoded.symbols.size(); ++i) {
      ids.push_back(dictionary.id(encoded.symbols[i]));
      if (!dictionary.contains(encoded.symbols[i]))
        counts.replaced += encoded.occurrences[i];
      if (is_control_symbol(ids.back()))
        counts.control += encoded.occurrences[i];
    }
    add_sentences(writer, encoded, ids);
    counts.sentences += static_cast<int64_t>(encoded.lengths.size());
    counts.tokens += static_cast<int64_t>(encoded.tokens.size() + encoded.lengths.size());
  });
  writer.commit();
  return counts;
}

void write_provisional(const CheckedText& text,
                       const Tokenizer& tokenizer,
                       Dictionary& counted,
                       int64_t workers,
                       const std::string& prefix) {
  IndexedDatasetWriter writer(prefix, std::numeric_limits<uint32_t>::max() - 1);  // 32-bit ids
  encode_text(text, tokenizer, workers, [&](const EncodedText& encoded) {
    std::vector<int64_t> ids;
    for (size_t i = 0; i < encoded.symbols.size(); ++i) {
      counted.add(encoded.symbols[i], encoded.occurrences[i]);
      ids.push_back(counted.id(encoded.symbols[i]));
    }
    add_sentences(writer, encoded, ids);
  });
  writer.commit();
}

SplitCounts rewrite_split(const std::string& provisional_prefix,
                          std::span<const int64_t> final_ids,
                          int64_t vocabulary,
                          const std::string& prefix) {
  const IndexedDataset provisional = IndexedDataset::open(provisional_prefix);
  IndexedDatasetWriter writer(prefix, vocabulary);
  SplitCounts counts{.sentences = provisional.size(), .tokens = provisional.tokens()};
  for (int64_t i = 0; i < provisional.size(); ++i) {
    std::vector<int64_t> sentence = provisional.get(i);
    for (int64_t& id : sentence) {
      const int64_t final_id = final_ids[static_cast<size_t>(id)];
      if (final_id == kUnk && id != kUnk)
        ++counts.replaced;
      if (is_control_symbol(final_id))
        ++counts.control;
      id = final_id;
    }
    --counts.control;  // the </s> that ends it
    writer.add(sentence);
    if (i % kSentencesInMemory == 0)
      provisional.release();
  }
  writer.commit();
  return counts;
}

}  // namespace phraseq
