#include "core/options/fairseq/hydra/hydra_command.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/io/temporary_folder.h"

namespace phraseq::fairseq {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;
using ::testing::UnorderedElementsAre;

class HydraCommands : public ::testing::Test {
 protected:
  /// Returns the arguments for the configuration `text` followed by `more` arguments.
  std::vector<std::string> read(const std::string& text, std::vector<std::string> more = {}) {
    folder_.write("main.yaml", text);
    more.insert(more.begin(), {"--config-dir", folder_.path(), "--config-name", "main"});
    return read_hydra_command(more).arguments;
  }

  void write(const std::string& group, const std::string& name, const std::string& text) {
    std::filesystem::create_directory(folder_.file(group));
    folder_.write(group + "/" + name, text);
  }

  TemporaryFolder folder_;
};

TEST_F(HydraCommands, BecomeTheFlagsOfFairseqTrain) {
  EXPECT_THAT(read("# @package _group_\n"
                   "common: {fp16: true, log_interval: 200}\n"
                   "task:\n  _name: translation\n  data: data-bin\n  source_lang: de\n"
                   "criterion:\n  _name: label_smoothed_cross_entropy\n  label_smoothing: 0.1\n"
                   "optimizer:\n  _name: adam\n  adam_betas: (0.9,0.98)\n"
                   "lr_scheduler:\n  _name: inverse_sqrt\n  warmup_init_lr: 1e-07\n"
                   "optimization:\n  lr: [0.0005]\n  update_freq:\n  - 4\n  - 2\n"
                   "model:\n  _name: transformer_iwslt_de_en\n"),
              UnorderedElementsAre("data-bin",
                                   "--fp16",
                                   "--log-interval=200",
                                   "--task=translation",
                                   "--source-lang=de",
                                   "--criterion=label_smoothed_cross_entropy",
                                   "--label-smoothing=0.1",
                                   "--optimizer=adam",
                                   "--adam-betas=(0.9,0.98)",
                                   "--lr-scheduler=inverse_sqrt",
                                   "--warmup-init-lr=1e-07",
                                   "--lr=0.0005",
                                   "--update-freq=4,2",
                                   "--arch=transformer_iwslt_de_en"));
}

TEST_F(HydraCommands, NameSettingsWithinSettingsWithBothNames) {
  EXPECT_THAT(read("model:\n  _name: transformer\n  encoder:\n    layers: 3\n    embed_dim: 64\n"),
              ElementsAre("--arch=transformer", "--encoder-embed-dim=64", "--encoder-layers=3"));
}

/// fairseq has --tpu, which phraseq does not have; --share-all-embeddings may be on in a preset.
TEST_F(HydraCommands, SwitchOffOnlyWhatPhraseqHas) {
  EXPECT_THAT(read("common: {tpu: false, seed: null}\n"
                   "model: {share_all_embeddings: false, encoder_layers: ???}\n"),
              ElementsAre("--share-all-embeddings=no"));
}

TEST_F(HydraCommands, TakeSettingsFromTheCommandLine) {
  EXPECT_THAT(read("task: {data: old}\noptimization: {max_update: 10, lr: [0.1]}\n",
                   {"task.data=/new/bin",
                    "+optimization.max_epoch=3",
                    "optimization.lr=[0.2,0.1]",
                    "--save-dir=here",
                    "--task.x=1"}),
              ElementsAre("/new/bin",
                          "--lr=0.2,0.1",
                          "--max-epoch=3",
                          "--max-update=10",
                          "--save-dir=here",
                          "--task.x=1"));
}

/// As in Hydra, where a dictionary on the command line changes the settings that it has.
TEST_F(HydraCommands, MergeDictionariesOfTheCommandLine) {
  EXPECT_THAT(
      read("model:\n  encoder: {layers: 2, embed_dim: 32}\n", {"model.encoder={layers: 3}"}),
      ElementsAre("--encoder-embed-dim=32", "--encoder-layers=3"));
}

/// fairseq writes all defaults of a model into its configurations.
TEST_F(HydraCommands, LeaveOutDefaultsOfWhatPhraseqDoesNotHave) {
  EXPECT_THAT(read("model:\n  character_embeddings: false\n  character_filters: '[(1, 64)]'\n"
                   "  decoder: {embed_dim: 64, input_dim: 64, output_dim: 64}\n"),
              ElementsAre("--decoder-embed-dim=64"));
  EXPECT_THAT(read("model: {no_token_positional_embeddings: no, encoder_embed_path: no}\n"),
              ElementsAre("--encoder-embed-path=no"));
}

TEST_F(HydraCommands, KeepTextsOfTheCommandLineAsTheyAre) {
  EXPECT_THAT(read("task: {data: 2014}\n", {"checkpoint.save_dir=001", "common.fp16=True"}),
              ElementsAre("2014", "--save-dir=001", "--fp16"));
}

TEST_F(HydraCommands, RemoveSettings) {
  const std::string text = "common: {seed: 1, fp16: true}\n";
  EXPECT_THAT(read(text, {"~common.seed"}), ElementsAre("--fp16"));
  EXPECT_THAT(read(text, {"~common.fp16=true"}), ElementsAre("--seed=1"));
}

TEST_F(HydraCommands, LeaveOtherArgumentsThatContainDotsAndEqualSigns) {
  EXPECT_THAT(read("common: {seed: 1}\n", {"./lr=1/bin", "--save-dir", "runs.d/lr=0.1", "a=b.c"}),
              ElementsAre("--seed=1", "./lr=1/bin", "--save-dir", "runs.d/lr=0.1", "a=b.c"));
}

TEST_F(HydraCommands, KeepAnAverageOnlyIfItIsStored) {
  EXPECT_THAT(read("ema: {store_ema: false, ema_decay: 0.9999}\n"), IsEmpty());
  EXPECT_THAT(read("ema: {store_ema: true, ema_decay: 0.9999}\n"),
              ElementsAre("--ema-decay=0.9999", "--store-ema"));
}

TEST_F(HydraCommands, ReadThePackagesOfFiles) {
  write("model", "named.yaml", "\n#@package _global_\ncommon: {seed: 7}\n");
  write("task", "own.yaml", "task:\n  _name: translation\n");
  write("dataset", "plain.yaml", "# a comment\nmax_tokens: 5\n");
  EXPECT_THAT(read("defaults:\n- model: named\n- task: own\n- dataset: plain\n"),
              UnorderedElementsAre("--seed=7", "--task=translation", "--max-tokens=5"));
}

TEST_F(HydraCommands, ReadTheFilesOfTheDefaults) {
  write("optimization", "long.yaml", "max_update: 100\nclip_norm: 1\n");
  write("model", "all.yaml", "# @package _global_\ncommon:\n  seed: 7\n");
  folder_.write("base.yaml", "common: {log_interval: 5}\n");
  const std::string own = "optimization: {max_update: 10}\n";
  const std::string defaults =
      "defaults:\n- base\n- optimization: long\n- model: all\n- task: null\n- optimizer: adam\n";
  EXPECT_THAT(
      read(defaults + own),
      UnorderedElementsAre(
          "--log-interval=5", "--seed=7", "--clip-norm=1", "--max-update=100", "--optimizer=adam"));
  EXPECT_THAT(read(defaults + "- _self_\n" + own), IsSupersetOf({"--max-update=10"}));
}

TEST_F(HydraCommands, ReplaceReferencesByTheirValues) {
  EXPECT_THAT(read("optimization: {max_update: 10, lr: [0.5]}\n"
                   "lr_scheduler: {total_num_update: '${optimization.max_update}'}\n"),
              UnorderedElementsAre("--max-update=10", "--lr=0.5", "--total-num-update=10"));
  EXPECT_THAT([&] { read("common: {seed: '${env:SEED}'}\n"); },
              ThrowsMessage<UsageError>(
                  AllOf(HasSubstr("main.yaml: '${env:SEED}' is not the name of another setting"),
                        HasSubstr("${group.name}"))));
  EXPECT_THAT([&] { read("common: {seed: '${common.seed}'}\n"); },
              ThrowsMessage<UsageError>(HasSubstr("refers to itself")));
  EXPECT_THAT([&] { read("model: {encoder: '${model}'}\n"); },
              ThrowsMessage<UsageError>(HasSubstr("'${model}' is a group of settings")));
  EXPECT_THAT([&] { read("optimization: {lr: ['${optimization.lr}']}\n"); },
              ThrowsMessage<UsageError>(HasSubstr("'lr' is not a list of single values")));
  EXPECT_THAT(read("optimization: {lr: ['${optimization.clip_norm}'], clip_norm: 1}\n"),
              UnorderedElementsAre("--clip-norm=1", "--lr=1"));
}

TEST_F(HydraCommands, LeaveOutTheGroupsOfOtherCommands) {
  EXPECT_THAT(read("_name: null\ngeneration: {beam: 5}\nhydra: {run: {dir: x}}\nbpe: null\n"
                   "bmuf: {block_lr: 1}\ncheckpoint: {checkpoint_suffix: ''}\n"),
              IsEmpty());
}

TEST_F(HydraCommands, LeaveOutHydrasOwnDefaults) {
  EXPECT_THAT(read("defaults:\n- override hydra/job_logging: none\n- hydra/launcher: slurm\n"
                   "- override optimizer: adam\n"),
              ElementsAre("--optimizer=adam"));
  EXPECT_THAT(read("defaults:\n- override /hydra/launcher: slurm\n- /optimizer: adam\n"),
              ElementsAre("--optimizer=adam"));
}

TEST_F(HydraCommands, ReplaceDefaultsByOverrides) {
  write("optimizer", "slow.yaml", "_name: sgd\nmomentum: 0.5\n");
  const std::string text = "defaults:\n- optimizer: slow\n- override optimizer: adam\n";
  EXPECT_THAT(read(text), ElementsAre("--optimizer=adam"));
  EXPECT_THAT(read("defaults:\n- override optimizer: slow\n", {"optimizer=adam"}),
              ElementsAre("--optimizer=adam"));
}

TEST_F(HydraCommands, TakeOneWordForTheNameOfAComponent) {
  EXPECT_THAT(read("criterion: cross_entropy\nmodel: transformer\n"),
              UnorderedElementsAre("--criterion=cross_entropy", "--arch=transformer"));
  EXPECT_THAT(read("optimizer: sgd\n", {"optimizer.momentum=0.5"}),
              UnorderedElementsAre("--optimizer=sgd", "--momentum=0.5"));
  folder_.write("more.yaml", "optimizer: {momentum: 0.5}\n");
  EXPECT_THAT(read("defaults:\n- _self_\n- more\noptimizer: sgd\n"),
              UnorderedElementsAre("--optimizer=sgd", "--momentum=0.5"));
  EXPECT_THAT([&] { read("common: word\n"); },
              ThrowsMessage<UsageError>(HasSubstr("main.yaml: 'common' has no settings")));
  EXPECT_THAT([&] { read("optimization: 7\n"); },
              ThrowsMessage<UsageError>(HasSubstr("main.yaml: 'optimization' has no settings")));
}

TEST_F(HydraCommands, TakeTheFolderFromEitherOfHydrasOptions) {
  folder_.write("other.yaml", "common: {seed: 5}\n");
  for (const char* option : {"--config-dir", "--config-path", "-cd", "-cp"}) {
    const std::vector<std::string> arguments = {option, folder_.path(), "-cn", "other"};
    EXPECT_THAT(read_hydra_command(arguments).arguments, ElementsAre("--seed=5")) << option;
  }
}

TEST_F(HydraCommands, RejectUnknownGroupsByName) {
  EXPECT_THAT([&] { read("optimisation: {lr: 1}\n"); },
              ThrowsMessage<UsageError>(AllOf(HasSubstr("main.yaml: 'optimisation' is not a group"),
                                              HasSubstr("optimization"))));
  EXPECT_THAT([&] { read("common: {seed: 1}\n", {"optimisation.lr=1"}); },
              ThrowsMessage<UsageError>(StartsWith("optimisation.lr=1: 'optimisation' is not")));
  EXPECT_THAT([&] { read("defaults: base\n"); },
              ThrowsMessage<UsageError>(HasSubstr("main.yaml: 'defaults' is not a list")));
  EXPECT_THAT([&] { read("- a\n"); },
              ThrowsMessage<UsageError>(HasSubstr("main.yaml: it has no settings")));
  EXPECT_THAT([&] { read("optimization: {lr: [[1]]}\n"); },
              ThrowsMessage<UsageError>(HasSubstr("'lr' is not a list of single values")));
  EXPECT_THAT([&] { read("common: {}\n", {"common.seed={"}); },
              ThrowsMessage<FormatError>(HasSubstr("common.seed")));
}

TEST_F(HydraCommands, ChooseComponentsOnTheCommandLine) {
  write("optimizer", "slow.yaml", "_name: sgd\nmomentum: 0.5\n");
  const std::string text = "defaults:\n  - optimizer: adam\noptimization: {lr: 0.1}\n";
  EXPECT_THAT(
      read(text, {"optimizer=slow", "model=transformer"}),
      UnorderedElementsAre("--lr=0.1", "--optimizer=sgd", "--momentum=0.5", "--arch=transformer"));
}

/// fairseq's own configurations are in folders:
/// config/model/transformer_lm/transformer_lm_gpt.yaml.
TEST_F(HydraCommands, ChooseFairseqsOwnConfigurationsWithTheirFolders) {
  write("model", "plain.yaml", "_name: transformer\n");
  EXPECT_THAT(read("common: {}\n", {"model=transformer_lm/transformer_lm_gpt"}),
              ElementsAre("--arch=transformer_lm_gpt"));
  EXPECT_THAT(read("defaults:\n- model: ./plain\n"), ElementsAre("--arch=transformer"));
}

TEST_F(HydraCommands, NeedNoConfiguration) {
  const std::vector<std::string> arguments = {
      "task.data=bin", "criterion=cross_entropy", "optimization.lr=[0.1]", "--save-dir", "runs.d"};
  const HydraCommand command = read_hydra_command(arguments);
  EXPECT_THAT(command.arguments,
              ElementsAre("bin", "--criterion=cross_entropy", "--lr=0.1", "--save-dir", "runs.d"));
  EXPECT_EQ(command.file, "the command line");
}

TEST_F(HydraCommands, AreOneRunEach) {
  for (const char* flag : {"-m", "--multirun"}) {
    EXPECT_THAT(
        [&] {
          read("common: {}\n", {flag, "optimization.lr=[0.1],[0.2]"});
        },
        ThrowsMessage<UsageError>(AllOf(HasSubstr(std::string(flag) + ": multirun is not"),
                                        HasSubstr("once for each combination"))));
  }
  const std::vector<std::string> without = {"data-bin", "-m"};
  EXPECT_EQ(read_hydra_command(without).arguments, without);
}

TEST_F(HydraCommands, AreOnlyThoseWithSettingsOfFairseq) {
  const std::vector<std::string> arguments = {
      "data-bin", "--config-dir", "x", "a.b=c", "--lr=1", "--restore-file", "model.pt"};
  EXPECT_EQ(read_hydra_command(arguments).arguments, arguments);
  EXPECT_THROW(read_hydra_command(std::vector<std::string>{"-cn", "missing"}), IoError);
  HydraOptions left;
  EXPECT_THAT(left.problems(), IsEmpty());
  left.config_dir = "x";
  EXPECT_THAT(left.problems(), ElementsAre(HasSubstr("give --config-name")));
}

}  // namespace
}  // namespace phraseq::fairseq
