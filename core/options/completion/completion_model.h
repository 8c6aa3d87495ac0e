#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/api.h"

namespace phraseq {

/// The completions that a shell offers for the value of an option.
enum class CompletedValue { kNone, kFile, kFolder, kWords, kNames };

/// An option in the form that the scripts need.
struct CompletedOption {
  std::vector<std::string> flags;  ///< "--arch", "-a"; the first is the main one
  std::string help;                ///< one line
  std::string value_name;          ///< FILE, N; empty = no value
  CompletedValue value = CompletedValue::kNone;
  std::vector<std::string> words;  ///< the completions of kWords
  std::string kind;                ///< for kNames: the kind of component, or "any"
  bool is_list = false;
  bool is_positional = false;
  bool is_switch = false;  ///< takes no value
};

/// A command, or a component with its presets: anything with options of its own.
struct CompletionScope {
  std::string kind;                ///< kind of the component; empty = a command
  std::vector<std::string> names;  ///< the command; the component and its presets
  std::string summary;
  std::vector<CompletedOption> options;
  /// The components whose options a command has unless others are selected, as "kind/name".
  std::vector<std::string> defaults;
};

/// All commands and options that can follow `phraseq`.
struct CompletionModel {
  std::vector<CompletionScope> commands;
  std::vector<CompletionScope> components;

  std::vector<std::string> kinds() const;
  /// All names of a kind, including presets; for "any", the names of all kinds.
  std::vector<std::string> names(std::string_view kind) const;
};

/// A command, from the output of option_json. Options of components that it describes by default
/// belong to these components: they are recognized by the section, "KIND NAME".
PHRASEQ_API CompletionScope completed_command(const nlohmann::json& described,
                                              const CompletionModel& components);
/// A component from its options; `names`: its own name and those of its presets.
PHRASEQ_API CompletionScope completed_component(const nlohmann::json& described,
                                                std::string kind,
                                                std::vector<std::string> names);
/// Decides which options take names of components. Call it after all scopes have been added.
PHRASEQ_API void mark_names(CompletionModel& model);

}  // namespace phraseq
