#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/base/api.h"
#include "core/options/enum_name.h"

namespace phraseq {

/// The origin of the value of an option; `--print-config` and the run manifest show it.
enum class OptionOrigin { kDefault, kPreset, kConfigFile, kCheckpoint, kCommandLine };
PHRASEQ_API std::string_view to_string(OptionOrigin origin);

/// The name of an option with underscores, as in JSON, checkpoints and configuration files.
PHRASEQ_API std::string option_key(std::string_view name);
/// The name of an option with dashes, as on the command line.
PHRASEQ_API std::string option_name(std::string_view key);

/// The field of an option whose type is an enum, seen through the names of its values.
class PHRASEQ_API EnumTarget {
 public:
  virtual ~EnumTarget() = default;
  virtual std::string name() const = 0;
  /// Sets the value by name; the name is one of `names()`.
  virtual void set(std::string_view name) = 0;
  virtual std::vector<std::string> names() const = 0;
};

/// One described option: a name, a sentence of help, and the field of an options struct that holds
/// its value. The setters refine the description and return the field, so that they chain:
///
///     table.field("dropout", dropout, "Probability of zeroing an activation.").in(0.0, 1.0);
class PHRASEQ_API OptionField {
 public:
  using Target = std::variant<bool*,
                              int64_t*,
                              double*,
                              std::string*,
                              std::vector<int64_t>*,
                              std::vector<double>*,
                              std::vector<std::string>*,
                              std::shared_ptr<EnumTarget>>;

  OptionField(std::string_view long_name, Target value, std::string_view explanation)
      : name(long_name), help(explanation), target(std::move(value)) {}

  /// The allowed range of a number, including both ends.
  OptionField& in(double lowest, double highest);
  OptionField& at_least(double lowest);
  /// The only allowed strings.
  OptionField& one_of(std::initializer_list<std::string_view> values);
  /// A one-letter flag ("s" for -s), or one of several letters, like sacrebleu's (-tok).
  OptionField& short_flag(std::string_view flag);
  /// Another long name of the same option (fairseq's --max-sentences for --batch-size).
  OptionField& alias(std::string_view other);
  /// A name that this option had in an earlier version: accepted, but not shown in help or docs.
  OptionField& former_name(std::string_view other);
  /// A word that may be given instead of a whole number, such as "auto". It represents `number`,
  /// which is out of range.
  OptionField& word(std::string_view text, int64_t number);
  /// Sets the placeholder of the value in --help (FILE, N, DIR).
  OptionField& value_name(std::string_view text);
  /// Declares that the option is mandatory.
  OptionField& required();
  /// Lets the option take arguments without a flag, in the order of description; a vector takes all
  /// remaining ones.
  OptionField& positional();
  /// Declares that the option does not affect what a run computes (paths, logging, workers): a
  /// resumed run may change it freely.
  OptionField& harmless();
  /// Declares that the value is a file that the command writes: the command line is rejected if
  /// another option names the same file.
  OptionField& writes_file();
  /// Sets the value of the flag if it is given without one (fairseq's bare --remove-bpe).
  OptionField& bare_value(std::string_view value);

  /// True if the value is that of the option's `word`.
  bool holds_word() const;
  /// The choices that help, pages and messages list: all except "", which means no value.
  std::vector<std::string> named_choices() const;
  /// The value as it is written on the command line; `from_text` throws UsageError if the text is
  /// not a value of the type, is out of range, or is not one of the choices.
  std::string to_text() const;
  void from_text(std::string_view text, OptionOrigin new_origin);

  std::string name;
  std::string help;
  Target target;
  std::string section;
  std::string default_text;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices;
  std::vector<std::string> short_flags;
  std::vector<std::string> aliases;
  std::vector<std::string> former_names;
  std::string metavariable;
  std::string number_word;  ///< empty = none
  int64_t word_number = 0;
  std::string bare;
  bool is_required = false;
  bool is_positional = false;
  bool is_harmless = false;
  bool writes = false;  ///< writes_file() was called
  OptionOrigin origin = OptionOrigin::kDefault;

  /// True unless the value is the default or comes from a preset.
  bool is_given() const {
    return origin != OptionOrigin::kDefault && origin != OptionOrigin::kPreset;
  }
};

/// All options of one run, collected from the structs that own them.
///
/// A struct names each of its fields once, in `describe(OptionTable&)`. Everything else is derived
/// from the table: parsing, --help, --config files, --print-config, validation, the checkpoint's
/// record, the difference shown on resume, and the generated documentation.
class PHRASEQ_API OptionTable {
 public:
  /// Starts a section: the heading in --help and in the documentation ("transformer", "Data" …).
  void section(std::string_view title);

  OptionField& field(std::string_view name, bool& value, std::string_view help);
  OptionField& field(std::string_view name, int64_t& value, std::string_view help);
  OptionField& field(std::string_view name, double& value, std::string_view help);
  OptionField& field(std::string_view name, std::string& value, std::string_view help);
  OptionField& field(std::string_view name, std::vector<int64_t>& value, std::string_view help);
  OptionField& field(std::string_view name, std::vector<double>& value, std::string_view help);
  OptionField& field(std::string_view name, std::vector<std::string>& value, std::string_view help);

  /// Finds an option by name or alias; null if there is none.
  OptionField* find(std::string_view name);
  const OptionField* find(std::string_view name) const;
  const std::deque<OptionField>& fields() const { return fields_; }
  std::deque<OptionField>& fields() { return fields_; }
  std::vector<std::string> names() const;

  /// Adds an enum, by the names of its values:
  ///
  ///     enum class OnBadLine { kError, kSkip };
  ///     inline constexpr EnumName<OnBadLine> kOnBadLine[] = {{"error", OnBadLine::kError}, …};
  ///     table.field("on-bad-line", on_bad_line, kOnBadLine, "What to do with a line that …");
  template <class Enum, size_t kCount>
  requires std::is_enum_v<Enum> OptionField& field(std::string_view name,
                                                   Enum& value,
                                                   const EnumName<Enum> (&names)[kCount],
                                                   std::string_view help);

 private:
  OptionField& add(OptionField field);

  std::string section_;
  std::deque<OptionField> fields_;  // a deque: references stay valid
};

/// An EnumTarget for a variable and the names of the enum's values, which must outlive it.
template <class Enum, size_t kCount>
class NamedEnum final : public EnumTarget {
 public:
  NamedEnum(Enum& value, const EnumName<Enum> (&names)[kCount]) : value_(value), names_(names) {}

  std::string name() const override { return std::string(enum_name(names_, value_)); }
  void set(std::string_view name) override { value_ = enum_value(names_, name).value_or(value_); }
  std::vector<std::string> names() const override {
    std::vector<std::string> all;
    for (const auto& entry : names_) all.emplace_back(entry.name);
    return all;
  }

 private:
  Enum& value_;
  const EnumName<Enum> (&names_)[kCount];
};

template <class Enum, size_t kCount>
requires std::is_enum_v<Enum> OptionField& OptionTable::field(std::string_view name,
                                                              Enum& value,
                                                              const EnumName<Enum> (&names)[kCount],
                                                              std::string_view help) {
  auto target = std::make_shared<NamedEnum<Enum, kCount>>(value, names);
  const auto choices = target->names();
  OptionField& added = add(OptionField(name, std::move(target), help));
  added.choices = choices;
  return added;
}

/// The base of every options struct: fields with defaults, and one description.
struct PHRASEQ_API Options {
  virtual ~Options() = default;
  virtual void describe(OptionTable& table) = 0;
  /// Contradictions between fields, one sentence each; all are reported together.
  virtual std::vector<std::string> problems() const { return {}; }
  /// A sentence for each changed field that has no effect with the others. `train` logs them as
  /// warnings. These are not problems: checkpoints may record them.
  virtual std::vector<std::string> without_effect() const { return {}; }
};

}  // namespace phraseq
