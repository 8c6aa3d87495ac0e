#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// Where the value of an option came from; `--print-config` and the run manifest say it.
enum class OptionOrigin { kDefault, kPreset, kConfigFile, kCheckpoint, kCommandLine };
PHRASEQ_API std::string_view to_string(OptionOrigin origin);

/// One described option: a name, a sentence of help, and the field of an options struct that holds
/// its value. The setters refine the description and return the field, so that they chain:
///
///     v.field("dropout", dropout, "Probability of zeroing an activation.").in(0.0, 1.0);
class PHRASEQ_API OptionField {
 public:
  using Target = std::variant<bool*,
                              int64_t*,
                              double*,
                              std::string*,
                              std::vector<int64_t>*,
                              std::vector<double>*,
                              std::vector<std::string>*>;

  OptionField(std::string_view long_name, Target value, std::string_view explanation)
      : name(long_name), help(explanation), target(value) {}

  /// Legal range of a number, both ends included.
  OptionField& in(double lowest, double highest);
  OptionField& at_least(double lowest);
  /// The only legal strings.
  OptionField& one_of(std::initializer_list<std::string_view> values);
  /// A one-letter flag ("s" for -s) or several letters as sacrebleu's (-tok).
  OptionField& short_flag(std::string_view flag);
  /// Another long name that means the same (fairseq's --max-sentences for --batch-size).
  OptionField& alias(std::string_view other);
  /// What --help shows in place of the value (FILE, N, DIR).
  OptionField& value_name(std::string_view text);
  /// Must be given by the user.
  OptionField& required();
  /// Takes the arguments that stand without a flag, in the order of description; a vector takes the
  /// rest.
  OptionField& positional();
  /// Changes nothing that a run computes (paths, logging, workers): a resume may change it freely.
  OptionField& harmless();
  /// What the flag means when it is given without a value (fairseq's bare --remove-bpe).
  OptionField& bare_value(std::string_view value);

  /// The value as the command line would write it; `from_text` throws UsageError on anything that
  /// is not wholly a value of the type, or out of range, or not one of the choices.
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
  std::string metavariable;
  std::string bare;
  bool is_required = false;
  bool is_positional = false;
  bool is_harmless = false;
  OptionOrigin origin = OptionOrigin::kDefault;
};

/// All options of one run, gathered from the structs that own them.
///
/// A struct names each of its fields once, in `describe(OptionTable&)`. Everything else is made
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

  /// By name or alias; null when there is none.
  OptionField* find(std::string_view name);
  const std::deque<OptionField>& fields() const { return fields_; }
  std::deque<OptionField>& fields() { return fields_; }
  std::vector<std::string> names() const;

 private:
  OptionField& add(OptionField field);

  std::string section_;
  std::deque<OptionField> fields_;  // a deque: references stay good
};

/// The base of every options struct: defaults at the fields, one description.
struct PHRASEQ_API Options {
  virtual ~Options() = default;
  virtual void describe(OptionTable& table) = 0;
  /// Contradictions between fields, one sentence each; all are reported together.
  virtual std::vector<std::string> problems() const { return {}; }
};

}  // namespace phraseq
