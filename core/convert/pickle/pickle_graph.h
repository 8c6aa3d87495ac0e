#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

enum class PickleKind : uint8_t {
  kNone,
  kBool,
  kInt,
  kLong,  ///< an integer of more than 64 bits: `text` has its bytes
  kFloat,
  kString,
  kBytes,
  kList,
  kTuple,
  kDict,
  kSet,
  kGlobal,      ///< a class or function by name; never looked up
  kObject,      ///< a call or an object as it was written; never executed
  kPersistent,  ///< what the program that wrote the file stores elsewhere: a tensor's storage
};

/// Number of a node in its graph.
using PickleRef = uint32_t;
inline constexpr PickleRef kNoPickle = 0xFFFFFFFF;

/// One value of a pickle. Which members are used depends on its kind.
struct PickleNode {
  PickleKind kind = PickleKind::kNone;
  int64_t integer = 0;              ///< kInt, kBool
  double number = 0;                ///< kFloat
  std::string_view text{};          ///< kString, kBytes, kLong; "module.name" of kGlobal
  std::vector<PickleRef> items{};   ///< of a list, tuple or set; of a dict, keys and values in turn
  PickleRef callable = kNoPickle;   ///< kObject: the class or function
  PickleRef arguments = kNoPickle;  ///< kObject: a tuple; kPersistent: the identifier
  PickleRef state = kNoPickle;      ///< kObject: the state from which its class would restore it
};

/// The values of a pickle as inert records. Values may be shared and may contain themselves.
/// `text` refers to the pickle's bytes, which outlive the graph.
class PHRASEQ_API PickleGraph {
 public:
  const PickleNode& at(PickleRef ref) const { return nodes_.at(ref); }
  PickleNode& at(PickleRef ref) { return nodes_.at(ref); }
  PickleRef root() const { return root_; }
  size_t size() const { return nodes_.size(); }

  PickleRef add(PickleNode node);
  std::string_view keep(std::string text);  ///< a text that is not in the pickle in this form
  void set_root(PickleRef root) { root_ = root; }

  /// Whether a value is an object made by `callable` ("collections.OrderedDict").
  bool is_object(PickleRef ref, std::string_view callable) const;
  /// Keys and values of a dict or of an object that acts as one (an OrderedDict; a Namespace: its
  /// state), text keys only; empty for anything else.
  std::vector<std::pair<std::string_view, PickleRef>> entries(PickleRef ref) const;
  /// The value of a text key; kNoPickle if there is none.
  PickleRef find(PickleRef ref, std::string_view key) const;
  /// A call's argument; kNoPickle if there are fewer.
  PickleRef argument(PickleRef object, size_t index) const;

 private:
  std::vector<PickleNode> nodes_;
  std::deque<std::string> texts_;
  PickleRef root_ = kNoPickle;
};

}  // namespace phraseq
