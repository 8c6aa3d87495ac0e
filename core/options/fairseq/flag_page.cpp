#include "core/options/fairseq/flag_page.h"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/text_fields.h"
#include "core/options/fairseq/flag_table.h"

namespace phraseq::fairseq {
namespace {

constexpr const char* kIntroduction = R"(# Flags of fairseq

All flags of fairseq 0.12.2's commands for translation, and what the commands of phraseq do with them:

* **same**: an option of phraseq with this name. Differences in behavior and defaults are listed in
  [Coming from fairseq](coming_from_fairseq.md).
* **replaced**: an option of phraseq with another name is used.
* **no effect**: accepted, with one line on standard error.
* **only VALUE**: accepted with this value, fairseq's default, which changes nothing; other values are rejected.
* **rejected**: it would change the result and is not supported. The error gives the reason.

Options of a component, for example `--adam-betas`, exist when the component is selected. This page is generated from
`core/options/fairseq/flag_table.cpp`.
)";

std::string_view command_name(char letter) {
  switch (letter) {
    case 't':
      return "train";
    case 'g':
      return "generate";
    case 'i':
      return "interactive";
    case 'p':
      return "preprocess";
    case 'v':
      return "validate";
    case 'e':
      return "eval-lm";
    default:
      return "score";
  }
}

std::string commands_text(const Flag& flag) {
  std::vector<std::string_view> names;
  for (const char letter : flag.commands) names.push_back(command_name(letter));
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string names_text(std::string_view names) {
  return fmt::format("`{}`", fmt::join(split_text(names, " "), "` `"));
}

/// The answer, with the condition under which it holds.
std::string with_condition(const std::string& answer, const Flag& flag) {
  return flag.reason.empty() ? answer : fmt::format("{}; {}", answer, flag.reason);
}

std::string answer_text(const Flag& flag) {
  switch (flag.support) {
    case Support::kSame:
      return with_condition("same", flag);
    case Support::kRenamed:
      return with_condition(fmt::format("replaced by `{}`", flag.ours), flag);
    case Support::kNoEffect:
      return fmt::format("no effect: {}", flag.reason);
    case Support::kDefaultOnly:
      return fmt::format("only `{}`: {}", flag.ours, flag.reason);
    case Support::kRejected:
      break;
  }
  return fmt::format("rejected: {}", flag.reason);
}

}  // namespace

std::string flag_page() {
  std::string page = kIntroduction;
  page += "\n| flag | commands | phraseq |\n|---|---|---|\n";
  for (const Flag& flag : flags()) {
    page += fmt::format(
        "| {} | {} | {} |\n", names_text(flag.names), commands_text(flag), answer_text(flag));
  }
  return page;
}

}  // namespace phraseq::fairseq
