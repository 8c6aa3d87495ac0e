#include "core/convert/pickle/pickle_json.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/io/utf8.h"

namespace phraseq {
namespace {

using nlohmann::json;

constexpr int kMaxDepth = 100;
constexpr int64_t kMaxValues = 1'000'000;

std::string printable(std::string_view text) {
  return find_text_fault(text, ControlBytes::kAllow) ? escape_bytes(text) : std::string(text);
}

class JsonMaker {
 public:
  JsonMaker(const PickleGraph& graph, const std::string& where) : graph_(graph), where_(where) {}

  json make(PickleRef ref) {
    if (++values_ > kMaxValues)
      throw FormatError(fmt::format("{}: more than {} values in the options", where_, kMaxValues));
    if (++depth_ > kMaxDepth)
      throw FormatError(fmt::format("{}: options nested more than {} deep", where_, kMaxDepth));
    json made = make_node(ref);
    --depth_;
    return made;
  }

 private:
  json make_node(PickleRef ref) {
    const PickleNode& node = graph_.at(ref);
    switch (node.kind) {
      case PickleKind::kNone:
        return nullptr;
      case PickleKind::kBool:
        return node.integer != 0;
      case PickleKind::kInt:
        return node.integer;
      case PickleKind::kFloat:
        return node.number;
      case PickleKind::kString:
      case PickleKind::kBytes:
        return printable(node.text);
      case PickleKind::kList:
      case PickleKind::kTuple:
      case PickleKind::kSet:
        return make_list(node);
      case PickleKind::kDict:
        return make_object(ref);
      case PickleKind::kObject:
        return make_record(ref);
      case PickleKind::kLong:
      case PickleKind::kGlobal:
      case PickleKind::kPersistent:
        break;
    }
    return "<" + printable(node.text) + ">";
  }

  json make_list(const PickleNode& node) {
    json list = json::array();
    for (const PickleRef item : node.items) list.push_back(make(item));
    return list;
  }

  json make_object(PickleRef ref) {
    json object = json::object();
    for (const auto& [name, value] : graph_.entries(ref)) object[printable(name)] = make(value);
    return object;
  }

  /// The content of omegaconf's containers and the value of its leaves.
  json make_record(PickleRef ref) {
    for (const char* inner : {"_content", "_val"}) {
      if (const PickleRef found = graph_.find(ref, inner); found != kNoPickle)
        return make(found);
    }
    const PickleNode& node = graph_.at(ref);
    const std::string_view name = graph_.at(node.callable).text;
    if (node.state != kNoPickle || !node.items.empty() || name == "collections.OrderedDict")
      return make_object(ref);
    if (name.ends_with(".getattr"))  // a member of an enumeration by its name
      return make(graph_.argument(ref, 1));
    if (name.starts_with("fairseq.") && graph_.at(node.arguments).items.size() == 1)
      return make(graph_.argument(ref, 0));  // by its value
    return "<" + printable(name) + ">";
  }

  const PickleGraph& graph_;
  const std::string& where_;
  int depth_ = 0;
  int64_t values_ = 0;
};

}  // namespace

json json_of(const PickleGraph& graph, PickleRef ref, const std::string& where) {
  return JsonMaker(graph, where).make(ref);
}

}  // namespace phraseq
