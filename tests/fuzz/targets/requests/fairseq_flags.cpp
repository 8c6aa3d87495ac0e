// A command line of fairseq, one argument per line of the input, for each command that accepts
// them.

#include "core/options/command_line.h"
#include "core/options/fairseq/fairseq_arguments.h"
#include "core/options/option_table.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

using namespace phraseq;

void convert(std::string_view command, const std::vector<std::string>& arguments) {
  int64_t updates = 1;
  double rate = 0.5;
  std::vector<std::string> files;
  OptionTable table;
  table.field("max-update", updates, "A number.");
  table.field("lr", rate, "A rate.");
  table.field("data", files, "Files.").positional();
  const auto converted = fairseq::convert_flags(command, table, arguments);
  if (converted.problems.empty())
    parse_command_line(table, converted.arguments);
}

}  // namespace

PHRASEQ_FUZZ_TARGET(fairseq_flags) {
  const auto arguments = fuzz::arguments_of(fuzz::text_of(data, size));
  for (const char* command : {"train", "generate", "preprocess", "score", "validate"})
    fuzz::check([&] { convert(command, arguments); });
  return 0;
}
