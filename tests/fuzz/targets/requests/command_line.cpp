// A command line with options of all types: an argument per line of the input.

#include "core/options/command_line.h"

#include "core/options/option_table.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

using namespace phraseq;

enum class Color { kRed, kGreen };
constexpr EnumName<Color> kColors[] = {{"red", Color::kRed}, {"green", Color::kGreen}};

struct Values {
  bool flag = false;
  int64_t count = 1;
  double rate = 0.5;
  Color color = Color::kRed;
  std::string name;
  std::vector<int64_t> sizes;
  std::vector<double> rates;
  std::vector<std::string> files;
};

void describe(Values& values, OptionTable& table) {
  table.field("flag", values.flag, "A switch.").short_flag("f");
  table.field("count", values.count, "A number.").short_flag("n").in(0, 1000);
  table.field("rate", values.rate, "A rate.").in(0, 1);
  table.field("color", values.color, kColors, "A color.");
  table.field("name", values.name, "A name.").short_flag("s");
  table.field("sizes", values.sizes, "Sizes.").in(1, 9);
  table.field("rates", values.rates, "Rates.");
  table.field("files", values.files, "Files.").positional();
}

}  // namespace

PHRASEQ_FUZZ_TARGET(command_line) {
  const auto arguments = fuzz::arguments_of(fuzz::text_of(data, size));
  return fuzz::check([&] {
    Values values;
    OptionTable table;
    describe(values, table);
    peek_option(table, arguments, "name", "");
    peek_list(table, arguments, "files");
    parse_command_line(table, arguments);
    if (values.count < 0 || values.count > 1000 || !(values.rate >= 0 && values.rate <= 1))
      throw std::logic_error("a value out of its range was taken");
  });
}
