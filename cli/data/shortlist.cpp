// phraseq shortlist: builds a table of the target words to which the words of a source sentence may
// be translated.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/support/write_result.h"
#include "core/base/error.h"
#include "core/base/wording/counted.h"
#include "core/phrase_memory/shortlist/lexical_table.h"
#include "core/phrase_memory/shortlist/shortlist_options.h"
#include "core/phrase_memory/table/phrase_table_builder.h"

namespace {

using namespace phraseq;

/// The number of source words that have translations. The entries are sorted by source word.
int64_t count_source_words(const std::vector<LexicalEntry>& entries) {
  int64_t count = 0;
  for (size_t i = 0; i < entries.size(); ++i)
    count += i == 0 || entries[i].source != entries[i - 1].source ? 1 : 0;
  return count;
}

int build(const ShortlistCommandOptions& options) {
  check_result_target(options.output);
  const Bitext bitext = read_bitext(options.source, options.target);
  const auto alignments = read_or_align(bitext, options.alignment, options.iterations);
  const auto entries = lexical_table(bitext, alignments, options.best);
  std::string text;
  for (const LexicalEntry& entry : entries) text += lexical_line(entry) + '\n';
  write_result(options.output, text);
  print_summary(options.output,
                fmt::format("{} of {} from {}",
                            counted(std::ssize(entries), "word pair"),
                            counted(count_source_words(entries), "source word"),
                            counted(std::ssize(alignments), "sentence pair")));
  return kExitOk;
}

int shortlist(std::span<const std::string> arguments) {
  ShortlistCommandOptions options;
  const bool has_work =
      begin_command(options,
                    {"shortlist",
                     "build --source FILE --target FILE --output FILE [OPTIONS]",
                     "Builds lexical shortlists: 'build' aligns the words of parallel text and "
                     "writes the probable translations of each source word. generate --shortlist "
                     "restricts the output vocabulary of each sentence to them."},
                    arguments);
  return has_work ? build(options) : kExitOk;
}

}  // namespace

int main(int argc, char** argv) { return phraseq::run_command("shortlist", argc, argv, shortlist); }
