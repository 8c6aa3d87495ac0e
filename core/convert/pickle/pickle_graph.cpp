#include "core/convert/pickle/pickle_graph.h"

namespace phraseq {
namespace {

using Entries = std::vector<std::pair<std::string_view, PickleRef>>;

void add_entry(const PickleGraph& graph, Entries& found, PickleRef key, PickleRef value) {
  if (graph.at(key).kind == PickleKind::kString)
    found.emplace_back(graph.at(key).text, value);
}

/// Adds the entries of alternating keys and values.
void add_alternating(const PickleGraph& graph, Entries& found, const PickleNode& node) {
  for (size_t i = 0; i + 1 < node.items.size(); i += 2)
    add_entry(graph, found, node.items[i], node.items[i + 1]);
}

/// Adds the entries of a list of pairs. Protocols 0 and 1 write an OrderedDict as such a list.
void add_pairs(const PickleGraph& graph, Entries& found, PickleRef list) {
  if (list == kNoPickle || graph.at(list).kind != PickleKind::kList)
    return;
  for (const PickleRef pair : graph.at(list).items) {
    const PickleNode& node = graph.at(pair);
    const bool is_pair = node.kind == PickleKind::kList || node.kind == PickleKind::kTuple;
    if (is_pair && node.items.size() == 2)
      add_entry(graph, found, node.items[0], node.items[1]);
  }
}

}  // namespace

PickleRef PickleGraph::add(PickleNode node) {
  nodes_.push_back(std::move(node));
  return static_cast<PickleRef>(nodes_.size() - 1);
}

std::string_view PickleGraph::keep(std::string text) {
  return texts_.emplace_back(std::move(text));
}

bool PickleGraph::is_object(PickleRef ref, std::string_view callable) const {
  const PickleNode& node = at(ref);
  return node.kind == PickleKind::kObject && at(node.callable).text == callable;
}

Entries PickleGraph::entries(PickleRef ref) const {
  Entries found;
  const PickleNode& node = at(ref);
  if (node.kind == PickleKind::kDict)
    add_alternating(*this, found, node);
  if (node.kind != PickleKind::kObject)
    return found;
  if (is_object(ref, "collections.OrderedDict")) {
    add_pairs(*this, found, argument(ref, 0));
    add_alternating(*this, found, node);
  } else if (node.state != kNoPickle && at(node.state).kind == PickleKind::kDict) {
    add_alternating(*this, found, at(node.state));
  }
  return found;
}

PickleRef PickleGraph::find(PickleRef ref, std::string_view key) const {
  PickleRef found = kNoPickle;
  for (const auto& [name, value] : entries(ref)) {
    if (name == key)
      found = value;  // of two, the later one, as in Python
  }
  return found;
}

PickleRef PickleGraph::argument(PickleRef object, size_t index) const {
  const PickleNode& node = at(object);
  if (node.kind != PickleKind::kObject || node.arguments == kNoPickle)
    return kNoPickle;
  const auto& arguments = at(node.arguments).items;
  return index < arguments.size() ? arguments[index] : kNoPickle;
}

}  // namespace phraseq
