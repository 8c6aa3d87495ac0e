#include "core/data/joined/pair_data.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/data/joined/data_folders.h"
#include "core/data/joined/joined_corpus.h"
#include "core/data/joined/rotating_corpus.h"
#include "core/data/source_trees.h"
#include "core/options/option_text.h"
#include "core/plugin/component_call.h"

namespace phraseq {
namespace {

[[noreturn]] void reject_language_model() {
  throw UsageError(
      "the architecture is a language model, which would learn only from the targets: translation "
      "tasks need an architecture that reads the source",
      "Train it with --task language_modeling, or choose another --arch.");
}

}  // namespace

PairData::PairData(const TaskSetup& setup,
                   std::string loader,
                   std::vector<std::string> folders,
                   DataLoaderSetup loading,
                   int64_t upsample_primary)
    : loader_name_(std::move(loader)),
      folders_(std::move(folders)),
      sentences_{loading.source_vocabulary,
                 loading.target_vocabulary,
                 /*need_target=*/loading.target_vocabulary > 0,
                 /*need_alignment=*/loading.alignments},
      upsample_primary_(upsample_primary) {
  for (const std::string& folder : folders_) {
    loading.folder = folder;
    const Selection selection = setup.registry->select(DataLoader::kKind, loader_name_);
    if (setup.training_options != nullptr)
      take_own_values(*setup.training_options, *selection.options);
    component_ = selection.component;
    loaders_.push_back(create<DataLoader>(selection, loading));
  }
}

bool PairData::has_split_in(size_t folder, const std::string& split) const {
  return call_component(
      *component_, "has_split", [&] { return loaders_[folder]->has_split(split); });
}

bool PairData::has_split(const std::string& split) const { return has_split_in(0, split); }

std::unique_ptr<Corpus> PairData::open_split(size_t folder,
                                             const std::string& split,
                                             bool training,
                                             const PairReading& reading) const {
  auto corpus =
      call_component(*component_, "open", [&] { return loaders_[folder]->open(split, training); });
  LoaderCorpus::Sentences sentences = sentences_;
  if (!training)
    sentences.need_target = sentences.need_alignment = false;
  return std::make_unique<LoaderCorpus>(
      *component_, std::move(corpus), reading.conventions, reading.dictionaries, sentences);
}

std::unique_ptr<Corpus> PairData::open_training(size_t folder,
                                                const std::string& subset,
                                                const PairReading& reading) const {
  // Numbered parts are files: a loader for another format may have any split that is requested.
  const auto splits = training_splits(subset, [&](const std::string& split) {
    return has_files_of_split(folders_[folder], split) && has_split_in(folder, split);
  });
  if (splits.size() == 1)
    return open_split(folder, splits.front(), /*training=*/true, reading);
  std::vector<std::unique_ptr<Corpus>> parts;
  for (const std::string& split : splits)
    parts.push_back(open_split(folder, split, /*training=*/true, reading));
  return std::make_unique<JoinedCorpus>(std::move(parts), std::max<int64_t>(1, upsample_primary_));
}

std::unique_ptr<Corpus> PairData::open(const std::string& split,
                                       bool training,
                                       const PairReading& reading) const {
  if (training && !reading.conventions.reads_source)
    reject_language_model();
  if (!training)
    return open_split(0, split, training, reading);
  if (loaders_.size() == 1)
    return open_training(0, split, reading);
  std::vector<RotatingCorpus::Folder> folders;
  for (size_t i = 0; i < loaders_.size(); ++i) {
    folders.push_back(
        {folders_[i], [this, i, split, reading] { return open_training(i, split, reading); }});
  }
  return std::make_unique<RotatingCorpus>(std::move(folders));
}

}  // namespace phraseq
