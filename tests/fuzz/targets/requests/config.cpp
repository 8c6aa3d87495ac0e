// A configuration file with options of all types.

#include "core/options/command_line.h"
#include "core/options/option_table.h"
#include "tests/fuzz/fuzz_input.h"

PHRASEQ_FUZZ_TARGET(config) {
  using namespace phraseq;
  const fuzz::FileInMemory file(fuzz::text_of(data, size));
  return fuzz::check([&] {
    bool flag = false;
    int64_t count = 0;
    std::string name;
    std::vector<int64_t> list;
    OptionTable table;
    table.field("flag", flag, "A switch.");
    table.field("count", count, "A number.").in(0, 10'000);
    table.field("name", name, "A name.");
    table.field("list", list, "Numbers.");
    const std::vector<std::string> arguments = {"--config", file.path()};
    parse_command_line(table, arguments);
    if (count < 0 || count > 10'000)
      throw std::logic_error("a value out of its range was taken");
  });
}
