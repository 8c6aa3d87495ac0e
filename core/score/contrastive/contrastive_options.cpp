#include "core/score/contrastive/contrastive_options.h"

#include <algorithm>
#include <functional>

#include "core/plot/plot_file.h"

namespace phraseq::score {
namespace {

void describe_texts(OptionTable& table, ContrastiveOptions& o) {
  table.section("Contrastive evaluation");
  table
      .field("contrastive",
             o.contrastive,
             "Contrastive evaluation: report how often the reference is more probable than a "
             "contrastive translation with an error. TSV has columns of sources, references and "
             "contrastive translations, separated by TABs; its first line names them.")
      .value_name("TSV");
  table
      .field("source-column",
             o.columns.source,
             "Column of the sources; default: source, or the only column source_….")
      .value_name("NAME");
  table
      .field("reference-column",
             o.columns.reference,
             "Column of the references; default: reference, or the only column reference_….")
      .value_name("NAME");
  table
      .field("contrastive-column",
             o.columns.contrastive,
             "Column of the contrastive translations; default: contrastive, or the only column "
             "contrastive_….")
      .value_name("NAME");
}

void describe_annotations(OptionTable& table, ContrastiveOptions& o) {
  table
      .field("group-by",
             o.columns.groups,
             "Columns to group the accuracy by; default: category, if it exists.")
      .value_name("NAME...");
  table
      .field("distance-column",
             o.columns.distance,
             "Column of integers to group the accuracy by; default: distance, if it exists.")
      .value_name("NAME");
  table
      .field("tree-column",
             o.columns.tree,
             "Column of bracketed parse trees of the sources, for models that use trees; default: "
             "tree, if it exists.")
      .value_name("NAME");
}

void describe_report(OptionTable& table, ContrastiveOptions& o) {
  table.field("distance-edges",
              o.distance_edges,
              "Edges of the distance groups: 1,2,4 gives the groups <1, 1, 2-3 and >=4.");
  table
      .field("against",
             o.against,
             "Additional models to compare with that of --path; same syntax as --path.")
      .value_name("FILE[:FILE]...");
  table.field("json", o.json, "Write the report as JSON.");
  table.field("plot", o.plot, "Also plot the accuracy by distance (or else by group), as SVG.")
      .value_name("FILE.svg")
      .writes_file();
}

}  // namespace

void ContrastiveOptions::describe(OptionTable& table) {
  describe_texts(table, *this);
  describe_annotations(table, *this);
  describe_report(table, *this);
}

std::vector<std::string> ContrastiveOptions::problems() const {
  std::vector<std::string> found;
  const bool rising =
      std::adjacent_find(distance_edges.begin(), distance_edges.end(), std::greater_equal<>()) ==
      distance_edges.end();
  if (!rising)
    found.emplace_back("--distance-edges: expected increasing numbers");
  const bool names_columns =
      !columns.groups.empty() ||
      !(columns.source + columns.reference + columns.contrastive + columns.distance + columns.tree)
           .empty();
  const bool has_edges = distance_edges != ContrastiveOptions().distance_edges;
  if (!wanted() && (json || !plot.empty() || !against.empty() || names_columns || has_edges))
    found.emplace_back(
        "--json, --plot, --against, --group-by, --distance-edges and columns require "
        "--contrastive");
  if (const auto problem = phraseq::plot::plot_file_problem(plot))
    found.push_back(*problem);
  return found;
}

}  // namespace phraseq::score
