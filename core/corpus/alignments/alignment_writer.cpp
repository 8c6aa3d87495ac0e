#include "core/corpus/alignments/alignment_writer.h"

#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/wording/counted.h"
#include "core/corpus/id_type.h"
#include "core/corpus/indexed_dataset_writer.h"
#include "core/phrase_memory/table/word_alignment.h"

namespace phraseq {
namespace {

void note_rejection(AlignmentCounts& counts, int64_t line, const Error& error) {
  if (counts.rejected.count == 0)
    counts.first_rejection = error.message();
  counts.rejected.add(line);
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
  std::string text =
      fmt::format("{}, {}", counted(counts.sentences, "alignment"), counted(counts.links, "link"));
  if (counts.rejected.count > 0) {
    text +=
        fmt::format("; {}\n  first: {}", counts.rejected.text("skipped"), counts.first_rejection);
  }
  return text;
}

AlignmentCounts write_alignments(const CheckedText& alignments,
                                 const IndexedDataset& source,
                                 const IndexedDataset& target,
                                 OnBadAlignment on_bad_alignment,
                                 const std::string& prefix) {
  IndexedDatasetWriter writer(prefix, kNumberLimit);
  KeptLines lines(alignments);
  AlignmentCounts counts;
  std::string line;
  for (; lines.next(line); ++counts.sentences) {
    const TextPlace place{alignments.file, lines.line_number(), 0};
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
