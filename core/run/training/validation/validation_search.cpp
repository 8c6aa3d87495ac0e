#include "core/run/training/validation/validation_search.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/wording/close_matches.h"
#include "core/io/json_reader.h"
#include "core/search/decoder.h"

namespace phraseq {
namespace {

constexpr const char* kOption = "--eval-bleu-args";

/// A JSON value as the command line would write it.
std::string text_of_json(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// Sets an option; returns the problem, or an empty string if there is none.
std::string set_option(OptionTable& table, const std::string& name, const nlohmann::json& value) {
  OptionField* const field = table.find(name);
  if (field == nullptr) {
    const std::string guess = did_you_mean(name, table.names());
    return fmt::format("unknown option '{}'{}{}", name, guess.empty() ? "" : "; ", guess);
  }
  try {
    field->from_text(text_of_json(value), OptionOrigin::kCommandLine);
    return {};
  } catch (const UsageError& failure) {
    return failure.message();
  }
}

std::vector<std::string> set_options(Options& options, const std::string& arguments) {
  OptionTable table;
  options.describe(table);
  std::vector<std::string> problems;
  const nlohmann::json values = parse_json(arguments, kOption);
  const JsonEntry entry(values, kOption);
  for (const auto& [name, value] : entry.object().items()) {
    if (const std::string problem = set_option(table, name, value); !problem.empty())
      problems.push_back(problem);
  }
  return problems.empty() ? options.problems() : problems;
}

}  // namespace

ValidationSearch validation_search(const Registry& registry, const std::string& arguments) {
  ValidationSearch search{registry.select(Decoder::kKind, "beam"), {}};
  try {
    for (const std::string& problem : set_options(*search.decoder.options, arguments))
      search.problems.push_back(fmt::format("{}: {}", kOption, problem));
  } catch (const FormatError& failure) {
    search.problems.push_back(failure.message() + "; expected a JSON object such as {\"beam\": 4}");
  }
  return search;
}

}  // namespace phraseq
