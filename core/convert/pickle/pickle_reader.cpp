#include "core/convert/pickle/pickle_reader.h"

#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text_fields.h"
#include "core/base/wording/message_text.h"
#include "core/convert/pickle/allowed_globals.h"
#include "core/convert/pickle/pickle_input.h"
#include "core/convert/pickle/pickle_opcode.h"
#include "core/convert/pickle/pickle_stack.h"
#include "core/convert/pickle/python_literals.h"

namespace phraseq {
namespace {

constexpr uint64_t kHighestProtocol = 5;

class PickleMachine {
 public:
  PickleMachine(std::string_view bytes, const std::string& where)
      : input_(bytes, where), stack_(input_) {}

  Pickle run() {
    for (;;) {
      const auto opcode = static_cast<Opcode>(input_.take_opcode());
      if (opcode == Opcode::kStop)
        break;
      if (!run_number(opcode) && !run_text(opcode) && !run_container(opcode) &&
          !run_stack(opcode) && !run_object(opcode))
        input_.fail(fmt::format("unknown or unsupported opcode 0x{:02X}",
                                static_cast<unsigned char>(opcode)));
    }
    graph_.set_root(stack_.pop());
    return {std::move(graph_), input_.position()};
  }

 private:
  template <class Number>
  Number parse(std::string_view text, std::string_view what) const {
    const auto value = number_in<Number>(text);
    if (!value)
      input_.fail(fmt::format("'{}' is not {}", excerpt(text), what));
    return *value;
  }

  PickleRef push(PickleNode node) {
    if (graph_.size() == kMaxPickleValues)
      input_.fail(fmt::format("more than {} values", kMaxPickleValues));
    stack_.push(graph_.add(std::move(node)));
    return stack_.top();
  }

  PickleNode& node(PickleRef ref) { return graph_.at(ref); }

  // Numbers and constants.

  bool push_integer(int64_t value, PickleKind kind = PickleKind::kInt) {
    push(PickleNode{.kind = kind, .integer = value});
    return true;
  }

  /// Two's complement, little-endian.
  bool push_long(std::string_view bytes) {
    if (bytes.size() > sizeof(int64_t)) {
      push(PickleNode{.kind = PickleKind::kLong, .text = bytes});
      return true;
    }
    uint64_t value =
        !bytes.empty() && static_cast<signed char>(bytes.back()) < 0 ? ~uint64_t{0} : 0;
    for (size_t i = bytes.size(); i-- > 0;)
      value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return push_integer(static_cast<int64_t>(value));
  }

  /// Protocol 0: "12", or "00" and "01" for False and True.
  bool push_integer_line(std::string_view line) {
    if (line == "00" || line == "01")
      return push_integer(line == "01" ? 1 : 0, PickleKind::kBool);
    if (line.ends_with('L'))
      line.remove_suffix(1);
    return push_integer(parse<int64_t>(line, "a whole number of 64 bits"));
  }

  bool push_float(double value) {
    push(PickleNode{.kind = PickleKind::kFloat, .number = value});
    return true;
  }

  bool run_number(Opcode opcode) {
    switch (opcode) {
      case Opcode::kNone:
        push(PickleNode{});
        return true;
      case Opcode::kNewTrue:
        return push_integer(1, PickleKind::kBool);
      case Opcode::kNewFalse:
        return push_integer(0, PickleKind::kBool);
      case Opcode::kBinInt:
        return push_integer(static_cast<int32_t>(input_.take_number(4)));
      case Opcode::kBinInt1:
        return push_integer(static_cast<int64_t>(input_.take_number(1)));
      case Opcode::kBinInt2:
        return push_integer(static_cast<int64_t>(input_.take_number(2)));
      case Opcode::kInt:
      case Opcode::kLong:
        return push_integer_line(input_.take_line());
      case Opcode::kLong1:
        return push_long(input_.take(input_.take_number(1)));
      case Opcode::kLong4:
        return push_long(input_.take(input_.take_number(4)));
      case Opcode::kFloat:
        return push_float(parse<double>(input_.take_line(), "a number"));
      case Opcode::kBinFloat:
        return push_float(input_.take_double());
      default:
        return false;
    }
  }

  // Text and bytes.

  bool push_text(std::string_view text, PickleKind kind = PickleKind::kString) {
    push(PickleNode{.kind = kind, .text = text});
    return true;
  }

  bool run_text(Opcode opcode) {
    switch (opcode) {
      case Opcode::kString:
        return push_text(graph_.keep(decode_literal(input_.take_line(), input_)));
      case Opcode::kUnicode:
        return push_text(graph_.keep(decode_raw_unicode(input_.take_line(), input_)));
      case Opcode::kBinString:
      case Opcode::kBinUnicode:
        return push_text(input_.take(input_.take_number(4)));
      case Opcode::kShortBinString:
      case Opcode::kShortBinUnicode:
        return push_text(input_.take(input_.take_number(1)));
      case Opcode::kBinUnicode8:
        return push_text(input_.take(input_.take_number(8)));
      case Opcode::kBinBytes:
        return push_text(input_.take(input_.take_number(4)), PickleKind::kBytes);
      case Opcode::kShortBinBytes:
        return push_text(input_.take(input_.take_number(1)), PickleKind::kBytes);
      case Opcode::kBinBytes8:
      case Opcode::kByteArray8:
        return push_text(input_.take(input_.take_number(8)), PickleKind::kBytes);
      default:
        return false;
    }
  }

  // Lists, tuples, sets and dictionaries.

  bool push_items(PickleKind kind, std::vector<PickleRef> items = {}) {
    if (kind == PickleKind::kDict && items.size() % 2 != 0)
      input_.fail("a key without a value");
    push(PickleNode{.kind = kind, .items = std::move(items)});
    return true;
  }

  /// Adds to the value on the top of the stack, or to an object of a class of that kind.
  bool append(PickleKind kind, const std::vector<PickleRef>& items) {
    if (kind == PickleKind::kDict && items.size() % 2 != 0)
      input_.fail("a key without a value");
    PickleNode& target = node(stack_.top());
    if (target.kind != kind && target.kind != PickleKind::kObject)
      input_.fail("items are added to a value that is not a container");
    target.items.insert(target.items.end(), items.begin(), items.end());
    return true;
  }

  bool run_container(Opcode opcode) {
    switch (opcode) {
      case Opcode::kEmptyList:
        return push_items(PickleKind::kList);
      case Opcode::kEmptyTuple:
        return push_items(PickleKind::kTuple);
      case Opcode::kEmptyDict:
        return push_items(PickleKind::kDict);
      case Opcode::kEmptySet:
        return push_items(PickleKind::kSet);
      case Opcode::kList:
        return push_items(PickleKind::kList, stack_.pop_to_mark());
      case Opcode::kTuple:
        return push_items(PickleKind::kTuple, stack_.pop_to_mark());
      case Opcode::kDict:
        return push_items(PickleKind::kDict, stack_.pop_to_mark());
      case Opcode::kFrozenSet:
        return push_items(PickleKind::kSet, stack_.pop_to_mark());
      case Opcode::kTuple1:
        return push_items(PickleKind::kTuple, stack_.pop_count(1));
      case Opcode::kTuple2:
        return push_items(PickleKind::kTuple, stack_.pop_count(2));
      case Opcode::kTuple3:
        return push_items(PickleKind::kTuple, stack_.pop_count(3));
      case Opcode::kAppend:
        return append(PickleKind::kList, stack_.pop_count(1));
      case Opcode::kAppends:
        return append(PickleKind::kList, stack_.pop_to_mark());
      case Opcode::kSetItem:
        return append(PickleKind::kDict, stack_.pop_count(2));
      case Opcode::kSetItems:
        return append(PickleKind::kDict, stack_.pop_to_mark());
      case Opcode::kAddItems:
        return append(PickleKind::kSet, stack_.pop_to_mark());
      default:
        return false;
    }
  }

  // The stack and the memo.

  bool remember(uint64_t key) {
    memo_[key] = stack_.top();
    return true;
  }

  bool recall(uint64_t key) {
    const auto found = memo_.find(key);
    if (found == memo_.end())
      input_.fail(fmt::format("value {} is used before it is stored", key));
    stack_.push(found->second);
    return true;
  }

  bool start_protocol() {
    if (const uint64_t protocol = input_.take_number(1); protocol > kHighestProtocol)
      input_.fail(fmt::format("protocol {}, newer than {}", protocol, kHighestProtocol));
    return true;
  }

  bool run_stack(Opcode opcode) {
    switch (opcode) {
      case Opcode::kProto:
        return start_protocol();
      case Opcode::kFrame:
        return input_.take(8).size() == 8;  // a hint for buffering
      case Opcode::kMark:
        stack_.mark();
        return true;
      case Opcode::kPop:
        stack_.drop();
        return true;
      case Opcode::kPopMark:
        stack_.pop_to_mark();
        return true;
      case Opcode::kDup:
        stack_.push(stack_.top());
        return true;
      case Opcode::kPut:
        return remember(parse<uint64_t>(input_.take_line(), "a number of the memo"));
      case Opcode::kBinPut:
        return remember(input_.take_number(1));
      case Opcode::kLongBinPut:
        return remember(input_.take_number(4));
      case Opcode::kMemoize:
        return remember(memo_.size());
      case Opcode::kGet:
        return recall(parse<uint64_t>(input_.take_line(), "a number of the memo"));
      case Opcode::kBinGet:
        return recall(input_.take_number(1));
      case Opcode::kLongBinGet:
        return recall(input_.take_number(4));
      default:
        return false;
    }
  }

  // Classes, calls and objects: recorded, never executed.

  PickleRef push_global(std::string_view module, std::string_view name) {
    if (!is_allowed_global(module, name)) {
      throw FormatError(
          fmt::format("{}: the pickle data refer to {}.{}, which is not part of a model",
                      input_.where(),
                      excerpt(module),
                      excerpt(name)),
          "Nothing in the file was executed. If it is a checkpoint with components of your own, "
          "save only its state dictionary and options.");
    }
    return push(PickleNode{.kind = PickleKind::kGlobal,
                           .text = graph_.keep(std::string(module).append(".").append(name))});
  }

  PickleRef push_named_global() {
    const std::string_view module = input_.take_line();
    return push_global(module, input_.take_line());
  }

  bool push_stacked_global() {
    const auto names = stack_.pop_count(2);
    for (const PickleRef name : names) {
      if (node(name).kind != PickleKind::kString)
        input_.fail("the name of a class is not a string");
    }
    push_global(node(names[0]).text, node(names[1]).text);
    return true;
  }

  std::string_view subject_of(PickleRef arguments) {
    const auto& items = node(arguments).items;
    const bool is_global = !items.empty() && node(items[0]).kind == PickleKind::kGlobal;
    return is_global ? node(items[0]).text : std::string_view();
  }

  bool push_object(PickleRef callable, PickleRef arguments) {
    if (node(callable).kind != PickleKind::kGlobal)
      input_.fail("a call of a value that is not a class or function");
    if (node(arguments).kind != PickleKind::kTuple)
      input_.fail("the arguments of a call are not a tuple");
    if (!is_allowed_call(node(callable).text, subject_of(arguments))) {
      throw FormatError(fmt::format("{}: the pickle data call {}, which is not part of a model",
                                    input_.where(),
                                    node(callable).text),
                        "Nothing in the file was executed.");
    }
    push(PickleNode{.kind = PickleKind::kObject, .callable = callable, .arguments = arguments});
    return true;
  }

  bool reduce() {
    const auto call = stack_.pop_count(2);
    return push_object(call[0], call[1]);
  }

  bool reduce_with_names() {
    const auto call = stack_.pop_count(3);
    if (node(call[2]).kind != PickleKind::kDict || !node(call[2]).items.empty())
      input_.fail("an object is made with named arguments");
    return push_object(call[0], call[1]);
  }

  /// The arguments up to the mark; of the opcode OBJ the class is the first.
  bool make_instance(bool class_is_on_stack) {
    if (!class_is_on_stack) {
      const PickleRef callable = push_named_global();
      stack_.pop();
      push_items(PickleKind::kTuple, stack_.pop_to_mark());
      return push_object(callable, stack_.pop());
    }
    std::vector<PickleRef> items = stack_.pop_to_mark();
    if (items.empty())
      input_.fail("an object without a class");
    const PickleRef callable = items.front();
    items.erase(items.begin());
    push_items(PickleKind::kTuple, std::move(items));
    return push_object(callable, stack_.pop());
  }

  bool build() {
    const PickleRef state = stack_.pop();
    if (node(stack_.top()).kind != PickleKind::kObject)
      input_.fail("a state is set on a value that is not an object");
    node(stack_.top()).state = state;
    return true;
  }

  bool push_persistent(PickleRef identifier) {
    push(PickleNode{.kind = PickleKind::kPersistent, .arguments = identifier});
    return true;
  }

  bool run_object(Opcode opcode) {
    switch (opcode) {
      case Opcode::kGlobal:
        push_named_global();
        return true;
      case Opcode::kStackGlobal:
        return push_stacked_global();
      case Opcode::kReduce:
      case Opcode::kNewObj:
        return reduce();
      case Opcode::kNewObjEx:
        return reduce_with_names();
      case Opcode::kInst:
        return make_instance(/*class_is_on_stack=*/false);
      case Opcode::kObj:
        return make_instance(/*class_is_on_stack=*/true);
      case Opcode::kBuild:
        return build();
      case Opcode::kPersId:
        push_text(input_.take_line());
        return push_persistent(stack_.pop());
      case Opcode::kBinPersId:
        return push_persistent(stack_.pop());
      default:
        return false;
    }
  }

  PickleInput input_;
  PickleGraph graph_;
  PickleStack stack_;
  std::unordered_map<uint64_t, PickleRef> memo_;
};

}  // namespace

Pickle read_pickle(std::string_view input, const std::string& where) {
  return PickleMachine(input, where).run();
}

}  // namespace phraseq
