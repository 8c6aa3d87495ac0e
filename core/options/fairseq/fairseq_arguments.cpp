#include "core/options/fairseq/fairseq_arguments.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/options/argument_spelling.h"
#include "core/options/command_line.h"
#include "core/options/fairseq/fairseq_values.h"
#include "core/options/fairseq/flag_table.h"
#include "core/options/value_text.h"

namespace phraseq::fairseq {
namespace {

constexpr const char* kSentencePiece = "sentencepiece";

char letter_of(std::string_view command) {
  for (const std::string_view name :
       {"train", "generate", "interactive", "preprocess", "validate", "score", "eval-lm"}) {
    if (name == command)
      return name.front();
  }
  return '\0';
}

/// Whether two values are equal as numbers ("1.0" and "1") or as texts.
bool is_same_value(std::string_view a, std::string_view b) {
  const auto first = value_from_text<double>(a);
  const auto second = value_from_text<double>(b);
  return first && second ? *first == *second : a == b;
}

/// The option of a flag, or null.
const OptionField* find_field(OptionTable& table, const SplitFlag& flag) {
  if (!flag.one_dash)
    return table.find(flag.name);
  for (const OptionField& field : table.fields()) {
    const auto& names = field.short_flags;
    if (std::find(names.begin(), names.end(), flag.name) != names.end())
      return &field;
  }
  return nullptr;
}

bool is_described(OptionTable& table, const SplitFlag& flag) {
  const bool negated = flag.name.starts_with("no-") && table.find(flag.name.substr(3)) != nullptr;
  return find_field(table, flag) != nullptr || (negated && !flag.one_dash);
}

/// The flag as it was given: "--lr" or "-s".
std::string name_of(const SplitFlag& flag) { return (flag.one_dash ? "-" : "--") + flag.name; }

/// Converts the arguments in one pass.
class FlagConverter {
 public:
  FlagConverter(char command, OptionTable& table, std::span<const std::string> arguments)
      : command_(command), table_(table), arguments_(arguments) {}

  ConvertedArguments run() {
    while (next_ < arguments_.size()) {
      const std::string& argument = arguments_[next_++];
      if (argument == "--") {
        converted_.arguments.insert(converted_.arguments.end(),
                                    arguments_.begin() + std::ptrdiff_t(next_) - 1,
                                    arguments_.end());
        break;
      }
      if (!convert(argument))
        keep(argument);
    }
    return std::move(converted_);
  }

 private:
  /// Returns true if the argument was a flag that only fairseq has; its values have then been
  /// consumed as well.
  bool convert(const std::string& argument) {
    const SplitFlag split = split_flag(argument);
    if (split.name.empty())
      return false;
    const std::string name = name_of(split);
    const Flag* flag = find_flag(command_, name);
    if (is_described(table_, split) && !(flag != nullptr && is_read_as_fairseqs(split)))
      return convert_value(split);
    if (flag == nullptr)
      return false;
    if (flag->support == Support::kSame)
      return convert_name(*flag, split) || drop_subwords(split) || drop_unlimited(split);
    replace(*flag, name, value_of(*flag, split));
    return true;
  }

  /// Whether -s is a file, as in fairseq-score: in `score --fairseq -s FILE`. Otherwise, it has
  /// sacrebleu's meaning.
  bool is_read_as_fairseqs(const SplitFlag& split) {
    return command_ == 's' && split.one_dash && peek_flag(table_, arguments_, "fairseq");
  }

  /// Keeps an argument that is not a fairseq-only flag, with its value.
  void keep(const std::string& argument) {
    const SplitFlag split = split_flag(argument);
    if (split.name.empty() && command_ == 'i') {
      converted_.notes.push_back(fmt::format(
          "the data folder {} selects only the output format of fairseq: the checkpoint holds the "
          "dictionaries",
          argument));
      if (!has_format())
        converted_.arguments.emplace_back("--format=fairseq");
      return;
    }
    converted_.arguments.push_back(argument);
    const OptionField* field = find_field(table_, split);
    if (field != nullptr && !split.has_value)
      keep_values(*field);
  }

  /// Keeps the values of an option: yes or no for a switch, all arguments up to the next flag for a
  /// list.
  void keep_values(const OptionField& field) {
    const bool is_flag = std::holds_alternative<bool*>(field.target);
    if (is_flag && !(has_value_next() && value_from_text<bool>(arguments_[next_])))
      return;
    const bool is_list = std::holds_alternative<std::vector<std::string>*>(field.target);
    for (bool goes_on = true; goes_on && has_value_next(); goes_on = is_list)
      converted_.arguments.push_back(arguments_[next_++]);
  }

  bool has_format() const {
    const auto is_format = [](const std::string& argument) {
      return split_flag(argument).name == "format";
    };
    const auto& converted = converted_.arguments;
    return std::any_of(arguments_.begin(), arguments_.end(), is_format) ||
           std::any_of(converted.begin(), converted.end(), is_format);
  }

  bool has_value_next() const {
    return next_ < arguments_.size() && split_flag(arguments_[next_]).name.empty() &&
           arguments_[next_] != "--";
  }

  /// The value of a flag that has one, without consuming it.
  const std::string& peek_value(const SplitFlag& split) const {
    return value_follows(split) ? arguments_[next_] : split.value;
  }
  void skip_value(const SplitFlag& split) { next_ += value_follows(split) ? 1 : 0; }
  bool value_follows(const SplitFlag& split) const { return !split.has_value && has_value_next(); }

  /// Returns true if the argument was another name of an option of phraseq ("--wd"). Otherwise it
  /// belongs to a component that is not selected.
  bool convert_name(const Flag& flag, const SplitFlag& split) {
    const std::string name(flag.names.substr(0, flag.names.find(' ')));
    if (table_.find(name.substr(2)) == nullptr)
      return false;
    keep(split.has_value ? fmt::format("{}={}", name, split.value) : name);
    return true;
  }

  /// Returns true for `--bpe none` if no tokenizer with this option is selected, and for `--bpe
  /// sentencepiece` if it selects the tokenizer of this name.
  bool drop_subwords(const SplitFlag& split) {
    const std::string& value = peek_value(split);
    const bool selects = value == kSentencePiece && selects_subwords();
    if (split.name != "bpe" || (value != "none" && !selects))
      return false;
    skip_value(split);
    return true;
  }

  /// Returns true for `--sampling-topk -1`, fairseq's default, if no selected decoder has this
  /// option.
  bool drop_unlimited(const SplitFlag& split) {
    const auto value = value_from_text<double>(peek_value(split));
    if ((split.name != "sampling-topk" && split.name != "sampling-topp") || value != -1.0)
      return false;
    skip_value(split);
    return true;
  }

  /// Whether --bpe determines the tokenizer; `--tokenizer space` only separates words.
  bool selects_subwords() const {
    const std::string tokenizer = peek_option(arguments_, "tokenizer", "");
    return tokenizer.empty() || tokenizer == "space" || tokenizer == kSentencePiece;
  }

  /// Returns true if the value of a phraseq option was converted to phraseq's form, or rejected.
  bool convert_value(const SplitFlag& split) {
    const bool follows = !split.has_value && next_ < arguments_.size();
    const std::string& value = follows ? arguments_[next_] : split.value;
    const std::string_view rejection = rejection_of_value(split.name, value, table_);
    const auto ours = translated_value(split.name, value, table_, converted_.notes);
    if (rejection.empty() && !ours)
      return false;
    next_ += follows ? 1 : 0;
    if (!rejection.empty())
      converted_.problems.push_back(
          fmt::format("{} {} is not supported: {}", name_of(split), value, rejection));
    else if (!ours->empty())
      converted_.arguments.push_back(fmt::format("--{}={}", split.name, *ours));
    return true;
  }

  std::string value_of(const Flag& flag, const SplitFlag& split) {
    if (split.has_value || flag.values == Values::kNone)
      return split.value;
    std::string value;
    if (has_value_next())
      value = arguments_[next_++];
    while (flag.values == Values::kList && has_value_next()) ++next_;
    return value;
  }

  void replace(const Flag& flag, const std::string& name, const std::string& value) {
    switch (flag.support) {
      case Support::kSame:
        break;
      case Support::kRenamed:
        rename(flag, name, value);
        break;
      case Support::kNoEffect:
        converted_.notes.push_back(fmt::format("{} has no effect here: {}", name, flag.reason));
        break;
      case Support::kDefaultOnly:
        if (!is_same_value(value, flag.ours)) {
          converted_.problems.push_back(
              fmt::format("{} {} is not supported: {}", name, value, flag.reason));
        }
        break;
      case Support::kRejected:
        converted_.problems.push_back(fmt::format("{} is not supported: {}", name, flag.reason));
        break;
    }
  }

  /// Replaces a flag by phraseq's option. An option of a component that is not selected is reported
  /// under the given name.
  void rename(const Flag& flag, const std::string& name, const std::string& value) {
    const std::string ours = replacement(flag.ours, value);
    if (!flag.reason.empty() && table_.find(split_flag(ours).name) == nullptr)
      converted_.problems.push_back(fmt::format("{}: {}", name, flag.reason));
    else
      converted_.arguments.push_back(ours);
  }

  /// Replaces "{value}" and "{subset}" by the value of the flag and of --gen-subset.
  std::string replacement(std::string_view ours, const std::string& value) {
    return fmt::format(fmt::runtime(ours),
                       fmt::arg("value", value),
                       fmt::arg("subset", peek_option(table_, arguments_, "gen-subset", "test")));
  }

  char command_;
  OptionTable& table_;
  std::span<const std::string> arguments_;
  size_t next_ = 0;
  ConvertedArguments converted_;
};

}  // namespace

ConvertedArguments convert_flags(std::string_view command,
                                 OptionTable& table,
                                 std::span<const std::string> arguments) {
  const char letter = letter_of(command);
  if (letter == '\0')
    return {{arguments.begin(), arguments.end()}, {}, {}};
  return FlagConverter(letter, table, arguments).run();
}

}  // namespace phraseq::fairseq
