#pragma once

namespace phraseq {

/// Names of extras of examples (Example::extras) that stand for language tokens.

/// The ids with which the translation begins, if there are any (--decoder-langtok).
inline constexpr const char* kPrefixExtra = "prefix";
/// One id: what the decoder is fed first, overriding the architecture's conventions
/// (--lang-tok-replacing-bos-eos). In a batch: one per sentence, [sentences] int64.
inline constexpr const char* kStartExtra = "start_tokens";
/// One id of the source that is not a word (--encoder-langtok).
inline constexpr const char* kSourceTagExtra = "source_tag";

}  // namespace phraseq
