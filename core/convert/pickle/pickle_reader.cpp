#include "core/convert/pickle/pickle_reader.h"

#include <bit>
#include <cstring>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/base/text_fields.h"
#include "core/convert/pickle/allowed_globals.h"
#include "core/convert/pickle/pickle_opcode.h"
#include "core/text/unicode.h"

namespace phraseq {
namespace {

constexpr uint64_t kHighestProtocol = 5;

class PickleMachine {
 public:
  PickleMachine(std::string_view input, const std::string& where) : input_(input), where_(where) {
    if (input.size() > kMaxPickleBytes) {
      throw FormatError(fmt::format("{}: the pickle data are {} bytes long; at most {} are read",
                                    where,
                                    input.size(),
                                    kMaxPickleBytes));
    }
  }

  Pickle run() {
    for (;;) {
      opcode_at_ = position_;
      const auto opcode = static_cast<Opcode>(take(1)[0]);
      if (opcode == Opcode::kStop)
        break;
      if (!run_number(opcode) && !run_text(opcode) && !run_container(opcode) &&
          !run_stack(opcode) && !run_object(opcode))
        fail(fmt::format("unknown or unsupported opcode 0x{:02X}",
                         static_cast<unsigned char>(opcode)));
    }
    graph_.set_root(pop());
    return {std::move(graph_), position_};
  }

 private:
  [[noreturn]] void fail(std::string_view problem) const {
    throw FormatError(
        fmt::format("{}: damaged pickle data at byte {}: {}", where_, opcode_at_, problem));
  }

  // The input.

  std::string_view take(uint64_t count) {
    if (count > input_.size() - position_)
      fail("the data end within a value");
    const std::string_view taken = input_.substr(position_, static_cast<size_t>(count));
    position_ += taken.size();
    return taken;
  }

  /// A little-endian number of `bytes` bytes.
  uint64_t take_number(size_t bytes) {
    uint64_t value = 0;
    const std::string_view taken = take(bytes);
    for (size_t i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(taken[i]);
    return value;
  }

  std::string_view take_line() {
    const size_t end = input_.find('\n', position_);
    if (end == std::string_view::npos)
      fail("the data end within a line");
    const std::string_view line = take(end - position_);
    take(1);
    return line;
  }

  template <class Number>
  Number parse(std::string_view text, std::string_view what) const {
    const auto value = number_in<Number>(text);
    if (!value)
      fail(fmt::format("'{}' is not {}", excerpt(text), what));
    return *value;
  }

  // The stack. A pop never reaches below the newest mark.

  void push(PickleRef ref) { stack_.push_back(ref); }

  PickleRef push(PickleNode node) {
    if (graph_.size() == kMaxPickleValues)
      fail(fmt::format("more than {} values", kMaxPickleValues));
    push(graph_.add(std::move(node)));
    return stack_.back();
  }

  size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }

  PickleRef top() const {
    if (stack_.size() <= floor())
      fail("a value is missing on the stack");
    return stack_.back();
  }

  PickleRef pop() {
    const PickleRef ref = top();
    stack_.pop_back();
    return ref;
  }

  std::vector<PickleRef> pop_count(size_t count) {
    if (stack_.size() - floor() < count)
      fail("a value is missing on the stack");
    std::vector<PickleRef> values(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    return values;
  }

  std::vector<PickleRef> pop_to_mark() {
    if (marks_.empty())
      fail("a mark is missing on the stack");
    std::vector<PickleRef> values = pop_count(stack_.size() - marks_.back());
    marks_.pop_back();
    return values;
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

  double take_double() {
    uint64_t bits = 0;
    for (const char byte : take(sizeof(bits))) bits = bits << 8 | static_cast<unsigned char>(byte);
    return std::bit_cast<double>(bits);
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
        return push_integer(static_cast<int32_t>(take_number(4)));
      case Opcode::kBinInt1:
        return push_integer(static_cast<int64_t>(take_number(1)));
      case Opcode::kBinInt2:
        return push_integer(static_cast<int64_t>(take_number(2)));
      case Opcode::kInt:
      case Opcode::kLong:
        return push_integer_line(take_line());
      case Opcode::kLong1:
        return push_long(take(take_number(1)));
      case Opcode::kLong4:
        return push_long(take(take_number(4)));
      case Opcode::kFloat:
        return push_float(parse<double>(take_line(), "a number"));
      case Opcode::kBinFloat:
        return push_float(take_double());
      default:
        return false;
    }
  }

  // Text and bytes.

  bool push_text(std::string_view text, PickleKind kind = PickleKind::kString) {
    push(PickleNode{.kind = kind, .text = text});
    return true;
  }

  static int hexadecimal(char digit) {
    if (digit >= '0' && digit <= '9')
      return digit - '0';
    const auto letter = static_cast<char>(digit | 0x20);
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
  }

  /// The `count` hexadecimal digits of an escape.
  char32_t take_escape(std::string_view& text, size_t count) const {
    if (text.size() < count)
      fail("an escape sequence is cut off");
    char32_t value = 0;
    for (const char digit : text.substr(0, count)) {
      if (hexadecimal(digit) < 0)
        fail("an escape sequence is not hexadecimal");
      value = value * 16 + static_cast<char32_t>(hexadecimal(digit));
    }
    text.remove_prefix(count);
    if (value > 0x10FFFF)
      fail("an escape sequence is no character");
    return value;
  }

  /// Protocol 0: Latin-1 with \uXXXX and \UXXXXXXXX.
  std::string decode_raw_unicode(std::string_view text) const {
    std::string decoded;
    while (!text.empty()) {
      const char first = text[0];
      const size_t digits = text.starts_with("\\u") ? 4 : text.starts_with("\\U") ? 8 : 0;
      text.remove_prefix(digits > 0 ? 2 : 1);
      append_utf8(decoded,
                  digits > 0 ? take_escape(text, digits)
                             : static_cast<char32_t>(static_cast<unsigned char>(first)));
    }
    return decoded;
  }

  /// Protocol 0: Python's literal of a string, in quotation marks.
  std::string decode_literal(std::string_view text) const {
    if (text.size() < 2 || text.front() != text.back() || (text[0] != '\'' && text[0] != '"'))
      fail("a string is not in quotation marks");
    text = text.substr(1, text.size() - 2);
    std::string decoded;
    while (!text.empty()) {
      char next = text[0];
      text.remove_prefix(1);
      if (next == '\\' && !text.empty()) {
        const char kind = text[0];
        text.remove_prefix(1);
        next = kind == 'x' ? static_cast<char>(take_escape(text, 2)) : escaped(kind);
      }
      decoded.push_back(next);
    }
    return decoded;
  }

  char escaped(char kind) const {
    constexpr std::string_view kNames = "\\'\"ntr";
    constexpr std::string_view kMeanings = "\\'\"\n\t\r";
    const size_t found = kNames.find(kind);
    if (found == std::string_view::npos)
      fail("an unknown escape sequence");
    return kMeanings[found];
  }

  bool run_text(Opcode opcode) {
    switch (opcode) {
      case Opcode::kString:
        return push_text(graph_.keep(decode_literal(take_line())));
      case Opcode::kUnicode:
        return push_text(graph_.keep(decode_raw_unicode(take_line())));
      case Opcode::kBinString:
      case Opcode::kBinUnicode:
        return push_text(take(take_number(4)));
      case Opcode::kShortBinString:
      case Opcode::kShortBinUnicode:
        return push_text(take(take_number(1)));
      case Opcode::kBinUnicode8:
        return push_text(take(take_number(8)));
      case Opcode::kBinBytes:
        return push_text(take(take_number(4)), PickleKind::kBytes);
      case Opcode::kShortBinBytes:
        return push_text(take(take_number(1)), PickleKind::kBytes);
      case Opcode::kBinBytes8:
      case Opcode::kByteArray8:
        return push_text(take(take_number(8)), PickleKind::kBytes);
      default:
        return false;
    }
  }

  // Lists, tuples, sets and dictionaries.

  bool push_items(PickleKind kind, std::vector<PickleRef> items = {}) {
    if (kind == PickleKind::kDict && items.size() % 2 != 0)
      fail("a key without a value");
    push(PickleNode{.kind = kind, .items = std::move(items)});
    return true;
  }

  /// Adds to the value on the top of the stack, or to an object of a class of that kind.
  bool append(PickleKind kind, const std::vector<PickleRef>& items) {
    if (kind == PickleKind::kDict && items.size() % 2 != 0)
      fail("a key without a value");
    PickleNode& target = node(top());
    if (target.kind != kind && target.kind != PickleKind::kObject)
      fail("items are added to a value that is no container");
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
        return push_items(PickleKind::kList, pop_to_mark());
      case Opcode::kTuple:
        return push_items(PickleKind::kTuple, pop_to_mark());
      case Opcode::kDict:
        return push_items(PickleKind::kDict, pop_to_mark());
      case Opcode::kFrozenSet:
        return push_items(PickleKind::kSet, pop_to_mark());
      case Opcode::kTuple1:
        return push_items(PickleKind::kTuple, pop_count(1));
      case Opcode::kTuple2:
        return push_items(PickleKind::kTuple, pop_count(2));
      case Opcode::kTuple3:
        return push_items(PickleKind::kTuple, pop_count(3));
      case Opcode::kAppend:
        return append(PickleKind::kList, pop_count(1));
      case Opcode::kAppends:
        return append(PickleKind::kList, pop_to_mark());
      case Opcode::kSetItem:
        return append(PickleKind::kDict, pop_count(2));
      case Opcode::kSetItems:
        return append(PickleKind::kDict, pop_to_mark());
      case Opcode::kAddItems:
        return append(PickleKind::kSet, pop_to_mark());
      default:
        return false;
    }
  }

  // The stack and the memo.

  bool remember(uint64_t key) {
    memo_[key] = top();
    return true;
  }

  bool recall(uint64_t key) {
    const auto found = memo_.find(key);
    if (found == memo_.end())
      fail(fmt::format("value {} is used before it is stored", key));
    push(found->second);
    return true;
  }

  bool mark() {
    marks_.push_back(stack_.size());
    return true;
  }

  bool drop() {
    if (stack_.size() == floor() && !marks_.empty()) {
      marks_.pop_back();
    } else {
      pop();
    }
    return true;
  }

  bool start_protocol() {
    if (const uint64_t protocol = take_number(1); protocol > kHighestProtocol)
      fail(fmt::format("protocol {}, newer than {}", protocol, kHighestProtocol));
    return true;
  }

  bool run_stack(Opcode opcode) {
    switch (opcode) {
      case Opcode::kProto:
        return start_protocol();
      case Opcode::kFrame:
        return take(8).size() == 8;  // a hint for buffering
      case Opcode::kMark:
        return mark();
      case Opcode::kPop:
        return drop();
      case Opcode::kPopMark:
        pop_to_mark();
        return true;
      case Opcode::kDup:
        push(top());
        return true;
      case Opcode::kPut:
        return remember(parse<uint64_t>(take_line(), "a number of the memo"));
      case Opcode::kBinPut:
        return remember(take_number(1));
      case Opcode::kLongBinPut:
        return remember(take_number(4));
      case Opcode::kMemoize:
        return remember(memo_.size());
      case Opcode::kGet:
        return recall(parse<uint64_t>(take_line(), "a number of the memo"));
      case Opcode::kBinGet:
        return recall(take_number(1));
      case Opcode::kLongBinGet:
        return recall(take_number(4));
      default:
        return false;
    }
  }

  // Classes, calls and objects: recorded, never executed.

  PickleRef push_global(std::string_view module, std::string_view name) {
    if (!is_allowed_global(module, name)) {
      throw FormatError(
          fmt::format("{}: the pickle data refer to {}.{}, which is no part of a model",
                      where_,
                      excerpt(module),
                      excerpt(name)),
          "Nothing of the file was executed. If it is a checkpoint with components of your own, "
          "save its state dictionary and options alone.");
    }
    return push(PickleNode{.kind = PickleKind::kGlobal,
                           .text = graph_.keep(std::string(module).append(".").append(name))});
  }

  PickleRef push_named_global() {
    const std::string_view module = take_line();
    return push_global(module, take_line());
  }

  bool push_stacked_global() {
    const auto names = pop_count(2);
    for (const PickleRef name : names) {
      if (node(name).kind != PickleKind::kString)
        fail("the name of a class is no text");
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
      fail("a call of a value that is no class or function");
    if (node(arguments).kind != PickleKind::kTuple)
      fail("the arguments of a call are no tuple");
    if (!is_allowed_call(node(callable).text, subject_of(arguments))) {
      throw FormatError(fmt::format("{}: the pickle data call {}, which is no part of a model",
                                    where_,
                                    node(callable).text),
                        "Nothing of the file was executed.");
    }
    push(PickleNode{.kind = PickleKind::kObject, .callable = callable, .arguments = arguments});
    return true;
  }

  bool reduce() {
    const auto call = pop_count(2);
    return push_object(call[0], call[1]);
  }

  bool reduce_with_names() {
    const auto call = pop_count(3);
    if (node(call[2]).kind != PickleKind::kDict || !node(call[2]).items.empty())
      fail("an object is made with named arguments");
    return push_object(call[0], call[1]);
  }

  /// The arguments up to the mark; of the opcode OBJ the class is the first.
  bool make_instance(bool class_is_on_stack) {
    if (!class_is_on_stack) {
      const PickleRef callable = push_named_global();
      pop();
      push_items(PickleKind::kTuple, pop_to_mark());
      return push_object(callable, pop());
    }
    std::vector<PickleRef> items = pop_to_mark();
    if (items.empty())
      fail("an object without a class");
    const PickleRef callable = items.front();
    items.erase(items.begin());
    push_items(PickleKind::kTuple, std::move(items));
    return push_object(callable, pop());
  }

  bool build() {
    const PickleRef state = pop();
    if (node(top()).kind != PickleKind::kObject)
      fail("a state is set on a value that is no object");
    node(top()).state = state;
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
        return make_instance(false);
      case Opcode::kObj:
        return make_instance(true);
      case Opcode::kBuild:
        return build();
      case Opcode::kPersId:
        push_text(take_line());
        return push_persistent(pop());
      case Opcode::kBinPersId:
        return push_persistent(pop());
      default:
        return false;
    }
  }

  std::string_view input_;
  const std::string& where_;
  size_t position_ = 0;
  size_t opcode_at_ = 0;
  PickleGraph graph_;
  std::vector<PickleRef> stack_;
  std::vector<size_t> marks_;
  std::unordered_map<uint64_t, PickleRef> memo_;
};

}  // namespace

Pickle read_pickle(std::string_view input, const std::string& where) {
  return PickleMachine(input, where).run();
}

}  // namespace phraseq
