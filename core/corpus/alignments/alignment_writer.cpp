#include "core/corpus/alignments/alignment_writer.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/wording/counted.h"
#include "core/corpus/id_type.h"
#include "core/corpus/indexed_dataset_writer.h"
#include "core/phrase_memory/table/word_alignment.h"

namespace phraseq {
namespace {

constexpr size_t kPlaces = 3;

/// The numbers of the lines that kept_lines gives, one a call, from 1.
class KeptNumbers {
 public:
  explicit KeptNumbers(const CheckedText& text) : text_(text) {}

  int64_t next() {
    do {
      ++number_;
    } while (is_skipped() || !text_.shard.has(kept_++));
    return number_;
  }

 private:
  bool is_skipped() const {
    return std::binary_search(text_.skipped.begin(), text_.skipped.end(), number_);
  }

  const CheckedText& text_;
  int64_t number_ = 0;
  int64_t kept_ = 0;
};

void note_rejection(AlignmentCounts& counts, int64_t line, const Error& error) {
  if (counts.rejected.count++ == 0)
    counts.first_rejection = error.message();
  if (counts.rejected.first_lines.size() < kPlaces)
    counts.rejected.first_lines.push_back(line);
}

std::vector<int64_t> as_numbers(const std::vector<AlignmentLink>& links) {
  std::vector<int64_t> numbers;
  for (const AlignmentLink& link : links) {
    numbers.push_back(link.source);
    numbers.push_back(link.target);
  }
  return numbers;
}

}  // namespace

std::string to_string(const AlignmentCounts& counts) {
  const bool more = counts.rejected.count > static_cast<int64_t>(kPlaces);
  std::string text =
      fmt::format("{}, {}", counted(counts.sentences, "alignment"), counted(counts.links, "link"));
  if (counts.rejected.count > 0) {
    text += fmt::format("; {} × skipped, line {}{}\n  first: {}",
                        counts.rejected.count,
                        fmt::join(counts.rejected.first_lines, ", "),
                        more ? " …" : "",
                        counts.first_rejection);
  }
  return text;
}

AlignmentCounts write_alignments(const CheckedText& alignments,
                                 const IndexedDataset& source,
                                 const IndexedDataset& target,
                                 OnBadAlignment on_bad_alignment,
                                 const std::string& prefix) {
  IndexedDatasetWriter writer(prefix, kNumberLimit);
  KeptNumbers numbers(alignments);
  const auto next_line = kept_lines(alignments);
  AlignmentCounts counts;
  std::string line;
  for (; next_line(line); ++counts.sentences) {
    const TextPlace place{alignments.file, numbers.next(), 0};
    std::vector<AlignmentLink> links;
    try {
      links = parse_links(line,
                          source.length(counts.sentences) - 1,  // but </s>
                          target.length(counts.sentences) - 1,
                          place);
    } catch (const DataError& error) {
      if (on_bad_alignment == OnBadAlignment::kError)
        throw;
      note_rejection(counts, place.line, error);
    }
    counts.links += static_cast<int64_t>(links.size());
    writer.add(as_numbers(links));
  }
  writer.commit();
  return counts;
}

}  // namespace phraseq
