#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/options/completion/completion_model.h"

/// Shell functions with a `case` for each command and component, as bash and zsh read them.
namespace phraseq {

/// The pattern of a scope: a component matches each of its names.
std::string case_pattern(const CompletionScope& scope);

/// The text of the function `name`, which begins with `setup` and contains a case written by `one`
/// for each scope.
std::string case_function(std::string_view name,
                          std::string_view setup,
                          const CompletionModel& model,
                          const std::function<std::string(const CompletionScope&)>& one);

/// The function _phraseq_names KIND, which returns the components and presets of a kind.
std::string names_function(const CompletionModel& model);

/// The function _phraseq_defaults SCOPE, which returns the components that a command uses by
/// default.
std::string defaults_function(std::string_view setup, const CompletionModel& model);

}  // namespace phraseq
