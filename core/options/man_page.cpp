#include "core/options/man_page.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/text_fields.h"
#include "core/options/option_help.h"
#include "phraseq/abi_stamp.h"

namespace phraseq {
namespace {

/// Escapes text for roff: escape characters, lines that begin with a control character, and
/// hyphens, so that flags can be copied.
std::string roff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool begins_line = result.empty() || result.back() == '\n';
    if (begins_line && (c == '.' || c == '\''))
      result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  return result;
}

std::string upper_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = is_ascii_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
  return result;
}

std::string entry(const OptionField& field) {
  const std::string details = details_text(field);
  return fmt::format(".TP\n.B {}\n{}{}{}\n",
                     roff(flags_text(field)),
                     roff(field.help),
                     details.empty() ? "" : " ",
                     roff(details));
}

std::string first_sentence(std::string_view text) {
  return std::string(text.substr(0, text.find_first_of(".;:\n")));
}

}  // namespace

std::string man_page(const OptionTable& table,
                     std::string_view name,
                     std::string_view usage,
                     std::string_view description) {
  const std::string program = name.empty() ? "phraseq" : fmt::format("phraseq-{}", name);
  std::string page = fmt::format(
      ".TH {} 1 \"\" \"phraseq {}\" \"phraseq\"\n", roff(upper_case(program)), PHRASEQ_VERSION);
  page += fmt::format(".SH NAME\n{} \\- {}\n", roff(program), roff(first_sentence(description)));
  page += fmt::format(
      ".SH SYNOPSIS\n.B phraseq{}{}\n{}\n", name.empty() ? "" : " ", roff(name), roff(usage));
  page += fmt::format(".SH DESCRIPTION\n{}\n", roff(description));
  std::string section;
  bool is_first = true;
  for (const OptionField& field : table.fields()) {
    if (is_first || field.section != section) {
      section = field.section;
      page += fmt::format(".SH {}\n", section.empty() ? "OPTIONS" : roff(upper_case(section)));
      is_first = false;
    }
    page += entry(field);
  }
  return page;
}

}  // namespace phraseq
