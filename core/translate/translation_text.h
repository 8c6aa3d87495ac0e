#pragma once

#include <string>

#include "core/base/api.h"
#include "core/data/task.h"
#include "core/options/option_table.h"
#include "core/translate/post_process.h"
#include "core/translate/translator.h"

namespace phraseq {

/// The formats of --format; kAuto depends on the input.
enum class OutputFormat { kPlain, kFairseq, kJsonl, kAuto };
/// The alignment that is printed: none, the best source token of each target token, or all weights.
enum class PrintAlignment { kNone, kHard, kSoft };

inline constexpr EnumName<OutputFormat> kOutputFormatNames[] = {{"plain", OutputFormat::kPlain},
                                                                {"fairseq", OutputFormat::kFairseq},
                                                                {"jsonl", OutputFormat::kJsonl}};
/// The same, and auto, for which the format depends on the input.
inline constexpr EnumName<OutputFormat> kAutoOutputFormatNames[] = {
    {"auto", OutputFormat::kAuto},
    {"plain", OutputFormat::kPlain},
    {"fairseq", OutputFormat::kFairseq},
    {"jsonl", OutputFormat::kJsonl}};
inline constexpr EnumName<PrintAlignment> kPrintAlignmentNames[] = {
    {"", PrintAlignment::kNone}, {"hard", PrintAlignment::kHard}, {"soft", PrintAlignment::kSoft}};

/// The output format of translations (docs/formats/output.md).
struct TranslationFormat {
  OutputFormat format = OutputFormat::kPlain;
  PostProcess post_process = PostProcess::kNotGiven;  ///< --remove-bpe: of symbols and of text
  PrintAlignment print_alignment = PrintAlignment::kNone;
};

/// The lines of one translation, each ending in '\n'.
///
/// plain: the best hypothesis as text. fairseq: S-, T- (with a reference), then H-, D-, P- (and A-)
/// for each hypothesis, scores in base 2. jsonl: one object with everything, natural logarithms.
PHRASEQ_API std::string translation_text(const Translation& translation,
                                         const Task& task,
                                         const TranslationFormat& format);

}  // namespace phraseq
