#include "core/score/contrastive/contrastive_options.h"

#include <algorithm>
#include <functional>

namespace phraseq::score {

void ContrastiveOptions::describe(OptionTable& table) {
  table.section("Contrastive evaluation");
  table
      .field("contrastive",
             contrastive,
             "How often is the reference more probable than a translation with an error? Sources, "
             "references and such translations between TABs, below a line with the columns' "
             "names.")
      .value_name("TSV");
  table.field("source-column", columns.source, "By default source, or the only source_….")
      .value_name("NAME");
  table
      .field(
          "reference-column", columns.reference, "By default reference, or the only reference_….")
      .value_name("NAME");
  table
      .field("contrastive-column",
             columns.contrastive,
             "By default contrastive, or the only contrastive_….")
      .value_name("NAME");
  table
      .field("group-by",
             columns.groups,
             "Columns by whose values accuracy is counted; by default category, if there is one.")
      .value_name("NAME...");
  table
      .field("distance-column",
             columns.distance,
             "A column of whole numbers that accuracy is counted by; by default distance, if there "
             "is one.")
      .value_name("NAME");
  table
      .field("tree-column",
             columns.tree,
             "A column of the sources' bracketed parse trees, for models that use them; by default "
             "tree, if there is one.")
      .value_name("NAME");
  table.field("distance-edges",
              distance_edges,
              "1,2,4 makes the distances below 1, 1, 2 to 3, and above 3.");
  table
      .field("against",
             against,
             "Further systems, each as --path has it, compared to the one of --path.")
      .value_name("FILE[:FILE]...");
  table.field("json", json, "The report as JSON.");
  table.field("plot", plot, "Also draw accuracy by distance (else by group), as SVG.")
      .value_name("FILE");
}

std::vector<std::string> ContrastiveOptions::problems() const {
  std::vector<std::string> found;
  const bool rising =
      std::adjacent_find(distance_edges.begin(), distance_edges.end(), std::greater_equal<>()) ==
      distance_edges.end();
  if (!rising)
    found.emplace_back("--distance-edges: each larger than the one before");
  if (!wanted() && (json || !plot.empty() || !against.empty()))
    found.emplace_back("--json, --plot and --against go with --contrastive");
  return found;
}

}  // namespace phraseq::score
