#pragma once

#include <cstdint>
#include <string>

#include "core/base/api.h"
#include "core/corpus/indexed_dataset.h"
#include "core/corpus/split_check.h"
#include "core/corpus/text_encoder.h"

namespace phraseq {

/// What was written of the alignments of a split.
struct AlignmentCounts {
  int64_t sentences = 0;
  int64_t links = 0;
  Findings rejected;            ///< unusable lines; with kSkip, stored without links
  std::string first_rejection;  ///< the message
};

/// "29000 alignments, 412345 links; 2 × skipped, line 17, 4711"
PHRASEQ_API std::string to_string(const AlignmentCounts& counts);

/// What to do with a line that is not an alignment of its sentences.
enum class OnBadAlignment { kError, kSkip };

/// Writes the alignments of a split, `0-0 1-2` in each line, as fairseq does: an indexed dataset
/// with the source and the target place of each link, one after the other, in the order of the
/// line. `source` and `target` are the written text, whose symbols, except </s>, the links count.
/// Throws a DataError that names file and line for anything that is not a link, and for a link
/// outside its sentences; with kSkip, such a sentence has no links.
PHRASEQ_API AlignmentCounts write_alignments(const CheckedText& alignments,
                                             const IndexedDataset& source,
                                             const IndexedDataset& target,
                                             OnBadAlignment on_bad_alignment,
                                             const std::string& prefix);

}  // namespace phraseq
