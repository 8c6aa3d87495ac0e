#include "core/conformance/data_loader_suite.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/conformance/fixtures/threads_agree.h"
#include "core/data/batching/batch_iterator.h"
#include "core/data/collate.h"
#include "core/data/data_loader.h"
#include "core/data/text/id_sequence.h"
#include "core/io/crc32c.h"
#include "core/text/dictionary.h"

namespace phraseq::conformance {
namespace {

constexpr int64_t kUnlistedWords = 1000;  // ids for words of a language without dictionary

/// Ids of a language's words.
class Words {
 public:
  Words(const std::string& folder, const std::string& language) {
    const std::string file = fmt::format("{}/dict.{}.txt", folder, language);
    if (std::filesystem::is_regular_file(file))
      dictionary_ = std::make_unique<Dictionary>(Dictionary::load(file));
  }

  int64_t size() const { return dictionary_ ? dictionary_->size() : kUnk + 1 + kUnlistedWords; }
  std::vector<int64_t> encode(const std::string& line) const {
    if (dictionary_)
      return dictionary_->encode(line);
    std::vector<int64_t> ids;
    std::string_view rest = line;
    while (!rest.empty()) {
      const std::string_view word = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(word.size() + 1, rest.size()));
      if (!word.empty())
        ids.push_back(kUnk + 1 + crc32c(std::as_bytes(std::span(word))) % kUnlistedWords);
    }
    ids.push_back(kEos);
    return ids;
  }

 private:
  std::unique_ptr<Dictionary> dictionary_;
};

/// The ids of a line as random segmentation could give them: a seed adds unknown words.
std::vector<int64_t> segmented_at_random(std::vector<int64_t> ids, std::optional<uint64_t> seed) {
  constexpr uint64_t kMostAdded = 5;
  if (seed)
    ids.insert(ids.end() - 1, mix_seeds(1, *seed) % kMostAdded, kUnk);
  return ids;
}

/// A loader and the corpus of its split.
struct OpenedLoader {
  OpenedLoader(const Selection& selection, const TrialData& data, bool sample = false)
      : source(std::make_shared<Words>(data.folder, data.source)),
        target(std::make_shared<Words>(data.folder, data.target)) {
    DataLoaderSetup setup;
    setup.folder = data.folder;
    setup.source_language = data.source;
    setup.target_language = data.target;
    setup.encode_source = [words = source](const std::string& line, std::optional<uint64_t> seed) {
      return segmented_at_random(words->encode(line), seed);
    };
    setup.encode_target = [words = target](const std::string& line, std::optional<uint64_t> seed) {
      return segmented_at_random(words->encode(line), seed);
    };
    setup.sample = sample;
    setup.source_vocabulary = source->size();
    setup.target_vocabulary = target->size();
    loader = create<DataLoader>(selection, setup);
    if (!loader->has_split(data.split)) {
      throw NotApplicable(
          fmt::format("it finds no split '{}' in {}: give data that it can read with --data "
                      "FOLDER, --source-lang, --target-lang and --split",
                      data.split,
                      data.folder));
    }
    corpus = loader->open(data.split, /*training=*/true);
    corpus->start_epoch(1);
  }

  std::shared_ptr<Words> source, target;
  std::unique_ptr<DataLoader> loader;
  std::shared_ptr<Corpus> corpus;
};

std::string fault_of_side(const std::vector<int64_t>& ids, int64_t length, int64_t vocabulary) {
  if (static_cast<int64_t>(ids.size()) != length)
    return fmt::format("get() returns {} ids, but the reported length is {}", ids.size(), length);
  return fault_of_ids(ids, vocabulary);
}

Findings loaded_sentences(const Selection& selection, const TrialData& data) {
  Findings findings;
  const OpenedLoader opened(selection, data);
  const Corpus& corpus = *opened.corpus;
  if (corpus.size() < 1)
    return {"the split is empty"};
  for (int64_t i = 0; i < corpus.size() && findings.size() < 3; ++i) {
    const Example example = corpus.get(i);
    const auto note = [&](const char* side, const std::string& fault) {
      if (!fault.empty())
        findings.push_back(fmt::format("sentence {}, {}: {}", i + 1, side, fault));
    };
    note("number", example.id == i ? "" : fmt::format("Example::id is {}, not {}", example.id, i));
    note("source", fault_of_side(example.source, corpus.source_length(i), opened.source->size()));
    note("target", fault_of_side(example.target, corpus.target_length(i), opened.target->size()));
  }
  return findings;
}

Findings fingerprints(const Selection& selection, const TrialData& data) {
  const OpenedLoader first(selection, data);
  const OpenedLoader second(selection, data);
  if (first.corpus->fingerprint().empty())
    return {"fingerprint() is empty: resuming a run could not detect changed data"};
  if (first.corpus->fingerprint() != second.corpus->fingerprint())
    return {"fingerprint() differs each time the same data are opened: no run could be resumed"};
  return {};
}

Findings loaded_from_threads(const Selection& selection, const TrialData& data) {
  constexpr int64_t kMaxSentences = 500;
  constexpr int kRounds = 20;
  const OpenedLoader opened(selection, data);
  const auto count = static_cast<size_t>(std::min(kMaxSentences, opened.corpus->size()));
  const auto ids = [&](size_t i) { return opened.corpus->get(static_cast<int64_t>(i)).source; };
  if (threads_agree(count, kRounds, ids))
    return {};
  return {
      "threads that read different sentences concurrently get different data than a single thread: "
      "get() may not write to members (buffers, file positions)"};
}

/// Compares the size with the number of pairs, which is known for generated text.
Findings complete(const Selection& selection, const TrialData& data) {
  if (data.pairs == 0)
    throw NotApplicable("the number of pairs in --data is not known");
  const OpenedLoader opened(selection, data);
  if (opened.corpus->size() == data.pairs)
    return {};
  return {
      fmt::format("the split has {} pairs, but size() is {}: report data that cannot be used, "
                  "and do not drop the end of a file. A loader that selects pairs must have an "
                  "option that keeps all of them; give it with --set",
                  data.pairs,
                  opened.corpus->size())};
}

std::vector<Example> examples_of_epoch(Corpus& corpus, int64_t epoch) {
  corpus.start_epoch(epoch);
  std::vector<Example> examples;
  for (int64_t i = 0; i < corpus.size(); ++i) examples.push_back(corpus.get(i));
  return examples;
}

bool have_same_ids(const std::vector<Example>& some, const std::vector<Example>& others) {
  return std::ranges::equal(some, others, [](const Example& one, const Example& other) {
    return one.source == other.source && one.target == other.target;
  });
}

Findings random_segmentation(const Selection& selection, const TrialData& data) {
  try {
    const OpenedLoader opened(selection, data, /*sample=*/true);
    const auto first = examples_of_epoch(*opened.corpus, 1);
    if (have_same_ids(examples_of_epoch(*opened.corpus, 2), first)) {
      return {
          "with DataLoaderSetup::sample, two epochs have the same sentences: give encode_source "
          "and encode_target a seed that depends on the epoch, or throw a UsageError from open()"};
    }
    if (!have_same_ids(examples_of_epoch(*opened.corpus, 1), first)) {
      return {
          "with DataLoaderSetup::sample, an epoch has other sentences the second time: the seed "
          "may depend only on DataLoaderSetup::seed, the epoch and the sentence"};
    }
  } catch (const UsageError&) {  // the loader says that it cannot segment at random
  }
  return {};
}

BatchIterator batch_iterator(const OpenedLoader& opened) {
  BatchingOptions options;
  options.max_tokens = 20;
  return BatchIterator(
      opened.corpus, options, [](const auto& examples) { return collate_pairs(examples, {}); });
}

/// The sentences of every batch up to the epoch's end.
std::vector<std::vector<int64_t>> rest_of_epoch(BatchIterator& iterator) {
  std::vector<std::vector<int64_t>> ids;
  while (auto batch = iterator.next()) ids.push_back(batch->sentence_ids);
  return ids;
}

Findings none_dropped(const Selection& selection, const TrialData& data) {
  const OpenedLoader opened(selection, data);
  BatchIterator iterator = batch_iterator(opened);
  std::map<int64_t, int> seen;
  for (const auto& batch : rest_of_epoch(iterator)) {
    for (const int64_t id : batch) ++seen[id];
  }
  const int64_t expected = opened.corpus->size() - iterator.skipped().total();
  if (static_cast<int64_t>(seen.size()) != expected) {
    return {fmt::format("an epoch delivers {} of {} sentences ({} skipped for a reason)",
                        seen.size(),
                        opened.corpus->size(),
                        iterator.skipped().total())};
  }
  for (const auto& [id, times] : seen) {
    if (times != 1)
      return {fmt::format("sentence {} occurs {} times in an epoch", id + 1, times)};
  }
  return {};
}

Findings going_on(const Selection& selection, const TrialData& data) {
  const OpenedLoader first(selection, data);
  BatchIterator unbroken = batch_iterator(first);
  unbroken.next();
  const auto position = unbroken.position();
  const auto expected = rest_of_epoch(unbroken);

  const OpenedLoader second(selection, data);
  BatchIterator resumed = batch_iterator(second);
  resumed.restore(position);
  if (rest_of_epoch(resumed) == expected)
    return {};
  return {"after the position is saved and restored, the batches differ"};
}

}  // namespace

std::vector<Check> data_loader_suite(const Selection& selection, const TrialData& data) {
  const auto check = check_maker(selection, data);
  return {
      check("sentences have their index, their length and valid ids", loaded_sentences),
      check("the same data has the same fingerprint", fingerprints),
      check("the corpus contains every pair of the files", complete),
      check("text is segmented at random, or a request for it is rejected", random_segmentation),
      check("threads can read concurrently", loaded_from_threads),
      check("an epoch delivers every sentence once", none_dropped),
      check("iteration continues with the same batches from a saved position", going_on)};
}

}  // namespace phraseq::conformance
