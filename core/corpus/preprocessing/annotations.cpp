#include "core/corpus/preprocessing/annotations.h"

#include <optional>

#include <fmt/format.h>

#include "core/base/log.h"
#include "core/corpus/alignments/alignment_writer.h"
#include "core/corpus/indexed_dataset.h"
#include "core/corpus/manifest/dataset_record.h"
#include "core/corpus/phrases/phrase_writer.h"
#include "core/corpus/phrases/stored_phrases.h"
#include "core/corpus/trees/tree_writer.h"

namespace phraseq {
namespace {

using nlohmann::json;

json write_source_trees(const RunFiles& files,
                        const std::vector<RunSide>& sides,
                        size_t split,
                        const PreprocessOptions& options) {
  const RunSide& side = sides[0];
  const CheckedText sentences = files.text(split, side);
  CheckedText trees = sentences;
  trees.file = files.splits()[split].trees;
  const std::string prefix = trees_prefix(files.result(split, side));
  const TreeCounts counts =
      write_trees(sentences, trees, *side.tokenizer, options.on_bad_tree, options.workers, prefix);
  log_info(fmt::format("[{}] {}: {}", side.language, trees.file, to_string(counts)));
  json record = dataset_record(trees.file, prefix);
  record["unparsed"] = counts.unparsed.count;
  record["refused"] = counts.rejected.count;
  return record;
}

json write_source_phrases(const RunFiles& files,
                          const std::vector<RunSide>& sides,
                          size_t split,
                          const PhraseMemory& memory,
                          const PreprocessOptions& options) {
  const RunSide& side = sides[0];
  std::optional<CheckedText> target;
  if (sides.size() > 1)
    target = files.text(split, sides[1]);
  const std::string prefix = phrases_prefix(files.result(split, side));
  const PhraseCounts counts =
      write_phrases(files.text(split, side), target, memory, options.workers, prefix);
  log_info(fmt::format(
      "[{}] phrases of {}: {}", side.language, files.splits()[split].name, to_string(counts)));
  json record = stored_phrases_record(prefix);
  record["slots"] = counts.slots;
  record["spans"] = counts.spans;
  return record;
}

json write_split_alignments(const RunFiles& files,
                            const std::vector<RunSide>& sides,
                            size_t split,
                            const PreprocessOptions& options) {
  CheckedText lines = files.text(split, sides[0]);
  lines.file = files.splits()[split].alignments;
  const std::string prefix = files.alignments(split);
  const AlignmentCounts counts =
      write_alignments(lines,
                       IndexedDataset::open(files.result(split, sides[0])),
                       IndexedDataset::open(files.result(split, sides[1])),
                       options.on_bad_alignment,
                       prefix);
  log_info(fmt::format("[alignments] {}: {}", lines.file, to_string(counts)));
  json record = dataset_record(lines.file, prefix);
  record["links"] = counts.links;
  record["refused"] = counts.rejected.count;
  return record;
}

}  // namespace

void write_annotations(const RunFiles& files,
                       const std::vector<RunSide>& sides,
                       size_t split,
                       const PhraseMemory* memory,
                       const PreprocessOptions& options,
                       json& record) {
  if (options.trees)
    record["trees"] = write_source_trees(files, sides, split, options);
  if (memory != nullptr)
    record["phrases"] = write_source_phrases(files, sides, split, *memory, options);
  if (!files.splits()[split].alignments.empty())
    record["alignments"] = write_split_alignments(files, sides, split, options);
}

}  // namespace phraseq
