// Compares the multilingual task with fairseq's: tests/golden/fairseq_multilingual.

#include <filesystem>
#include <fstream>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/corpus/trees/subword_tree.h"
#include "core/data/multilingual/direction_tags.h"
#include "core/data/multilingual/directions.h"
#include "core/data/multilingual/tag_extras.h"
#include "core/text/dictionary.h"
#include "core/text/languages/language_pairs.h"
#include "tests/support/message_of.h"
#include "tests/tasks/task_fixture.h"

namespace phraseq {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Ids = std::vector<int64_t>;
using OptionList = std::vector<std::pair<std::string, std::string>>;

const char* const kGolden = PHRASEQ_SOURCE_FOLDER "/tests/golden/fairseq_multilingual";

/// fairseq's arguments as options.
OptionList options_of(const json& arguments) {
  OptionList options = {{"lang-pairs", "en-de,de-en,en-fr"}};
  for (const std::string argument : arguments) {
    if (argument.starts_with("--")) {
      options.emplace_back(argument.substr(2), "yes");
    } else {
      options.back().second = argument;
    }
  }
  return options;
}

class Multilingual : public phraseq::testing::TaskTest {
 protected:
  void SetUp() override {
    TaskTest::SetUp();
    load_plugin_file(registry_,
                     PHRASEQ_BUILD_FOLDER
                     "/lib/phraseq/libphraseq-translation_multi_simple_epoch.so");
    task_name_ = "translation_multi_simple_epoch";
    std::ifstream file(std::string(kGolden) + "/expected.json");
    expected_ = json::parse(file);
  }

  std::unique_ptr<Task> golden_task(const std::string& setting, const TaskState* state = nullptr) {
    TaskSetup setup;
    setup.data = state == nullptr ? std::string(kGolden) + "/data-bin" : "";
    setup.state = state;
    return make_task(setup, options_of(expected_.at("settings").at(setting).at("arguments")));
  }

  /// en has a=4 and b=5, followed by the tokens of de, en and fr. There are two sentences of en-de
  /// and one of fr-en.
  void write_pairs() {
    for (const char* name : {"dict.en.txt", "dict.de.txt", "dict.fr.txt"})
      write(name, "a 2\nb 1\n");
    write_indexed("train.en-de.en", 6, {{4, 5, 2}, {4, 2}});
    write_indexed("train.en-de.de", 6, {{5, 2}, {5, 5, 2}});
    write_indexed("train.fr-en.fr", 6, {{5, 4, 2}});
    write_indexed("train.fr-en.en", 6, {{4, 4, 2}});
  }

  /// Writes FOLDER/SOURCE-TARGET with dictionaries and one indexed sentence pair.
  void write_pair_folder(const std::string& folder, const LanguagePair& pair) {
    const std::string place = folder + "/" + pair.name();
    std::filesystem::create_directories(folder_ / place);
    for (const std::string& language : {pair.source, pair.target}) {
      write(place + "/dict." + language + ".txt", "a 2\nb 1\n");
      write_indexed(place + "/train." + pair.name() + "." + language, 6, {{4, 5, 2}});
    }
  }

  std::unique_ptr<Task> task_from(const std::vector<std::string>& folders,
                                  const std::string& pairs) {
    TaskSetup setup;
    for (const std::string& folder : folders)
      setup.data += (setup.data.empty() ? "" : ":") + path(folder);
    return make_task(setup, {{"lang-pairs", pairs}});
  }

  json expected_;
};

TEST_F(Multilingual, HasTheTokensOfFairseqInEverySetting) {
  for (const auto& [setting, of_fairseq] : expected_.at("settings").items()) {
    const auto task = golden_task(setting);
    Ids all(static_cast<size_t>(task->source_dictionary().size()));
    for (int64_t id = 0; id < task->source_dictionary().size(); ++id)
      EXPECT_EQ(task->source_dictionary().symbol(id),
                of_fairseq.at("symbols").at(static_cast<size_t>(id)).get<std::string>())
          << setting;
    const auto corpus = task->open("train", /*training=*/true);
    int64_t at = 0;
    for (const std::string pair : {"en-de", "de-en", "en-fr"}) {
      for (const json& example : of_fairseq.at("examples").at(pair)) {
        const Batch batch = task->collate({corpus->get(at)});
        const auto list = [](const at::Tensor& ids) {
          return Ids(ids.const_data_ptr<int64_t>(), ids.const_data_ptr<int64_t>() + ids.numel());
        };
        EXPECT_EQ(list(batch.source.ids), example.at(0).get<Ids>()) << setting << pair;
        EXPECT_EQ(list(batch.target_in.ids), example.at(1).get<Ids>()) << setting << pair;
        EXPECT_EQ(list(batch.target_out), example.at(2).get<Ids>()) << setting << pair;
        EXPECT_EQ(corpus->source_length(at), batch.source.tokens());
        EXPECT_EQ(corpus->target_length(at), batch.target_in.tokens());
        ++at;
      }
    }
    EXPECT_EQ(at, corpus->size()) << setting;
  }
}

TEST_F(Multilingual, TranslatesInTheChosenDirectionWithACheckpointAlone) {
  const TaskState state = golden_task("source")->save();
  TaskSetup setup;
  setup.state = &state;
  const OptionList options = options_of(expected_.at("settings").at("source").at("arguments"));
  const auto several = make_task(setup, options);
  EXPECT_THAT(whole_message_of<UsageError>([&] { require_direction(*several, "model"); }),
              HasSubstr("model: the model translates in several directions: en-de, de-en, en-fr"));
  setup.source_language = "de";
  setup.target_language = "fr";  // not trained
  const auto task = make_task(setup, options);
  require_direction(*task, "model");
  EXPECT_EQ(task->target_language(), "fr");
  const Dictionary& dictionary = task->source_dictionary();
  const Example example = task->encode("de1 __en__ de2");
  EXPECT_THAT(
      example.source,
      ElementsAre(dictionary.id("__de__"), dictionary.id("de1"), kUnk, dictionary.id("de2"), kEos))
      << "text does not choose languages";
  const Ids prefix = {dictionary.id("__fr__")};
  EXPECT_EQ(example.extras.at(kPrefixExtra), prefix);
  EXPECT_EQ(task->text(example.source, PairSide::kSource), "de1 <unk> de2");
  EXPECT_EQ(task->symbols(example.source, PairSide::kSource), "__de__ de1 <unk> de2");
  EXPECT_EQ(task->symbols(Ids{prefix[0], dictionary.id("fr1"), kEos}, PairSide::kTarget), "fr1");
  EXPECT_EQ(task->encode("de1", "fr1").target, (Ids{prefix[0], dictionary.id("fr1"), kEos}));
  setup.target_language = "nl";
  EXPECT_THAT(whole_message_of<UsageError>([&] { make_task(setup, options); }),
              HasSubstr("'nl' is not a language of the model\n  Its languages are de, en, fr."));
}

TEST_F(Multilingual, RemovesTheTokensOfAllPairsThatItReads) {
  OptionList options = options_of(expected_.at("settings").at("source").at("arguments"));
  options.emplace_back("source-lang", "en");
  options.emplace_back("target-lang", "de");
  TaskSetup setup;
  setup.data = std::string(kGolden) + "/data-bin";
  const auto task = make_task(setup, options);
  EXPECT_EQ(task->target_language(), "de");
  const auto corpus = task->open("valid", /*training=*/false);
  ASSERT_EQ(corpus->parts().size(), 3U) << "not only those of the default direction";
  const Example example = corpus->get(corpus->parts()[2].begin);
  ASSERT_EQ(task->target_dictionary().symbol(example.target.front()), "__fr__");
  EXPECT_THAT(task->text(example.target, PairSide::kTarget), Not(HasSubstr("__")));
  EXPECT_THAT(task->symbols(example.target, PairSide::kTarget), Not(HasSubstr("__")));
  setup.source_language = "en";
  setup.target_language = "de";
  EXPECT_THAT(make_task(setup, options)->text(example.target, PairSide::kTarget),
              HasSubstr("__fr__"))
      << "if only one direction is read, as in fairseq";
}

TEST_F(Multilingual, ValidatesAllPairsOneAfterTheOther) {
  const auto corpus = golden_task("target")->open("valid", /*training=*/false);
  ASSERT_EQ(corpus->parts().size(), 3U);
  EXPECT_EQ(corpus->parts()[1].name, "de-en");
  EXPECT_EQ(corpus->parts()[1].begin, 3);
  EXPECT_EQ(corpus->parts()[2].end, 9);
}

TEST_F(Multilingual, WarnsWhereNothingTellsTheTarget) {
  TaskSetup setup;
  setup.data = std::string(kGolden) + "/data-bin";
  const auto warning = [&](OptionList options) {
    const auto task = make_task(setup, options);
    ::testing::internal::CaptureStderr();
    task->open("train", /*training=*/true);
    return ::testing::internal::GetCapturedStderr();
  };
  const std::pair<std::string, std::string> of_source = {"encoder-langtok", "src"};
  EXPECT_THAT(warning({{"lang-pairs", "en-de,de-en,en-fr"}, of_source}),
              HasSubstr("whether to translate en to de or to fr"));
  const char* const nothing = "no language token";
  EXPECT_THAT(warning({{"lang-pairs", "en-de,de-en"}, of_source}), Not(HasSubstr(nothing)));
  for (const auto& [name, value] :
       OptionList{{"decoder-langtok", "yes"}, {"encoder-langtok", "tgt"}})
    EXPECT_THAT(warning({{"lang-pairs", "en-de,en-fr"}, {name, value}}), Not(HasSubstr(nothing)));
}

TEST_F(Multilingual, FindsPairsInFoldersOfTheirNames) {
  write_pairs();
  const auto flat = task_from_folder({{"lang-pairs", "en-de,fr-en"}})->open("train", true);
  for (const char* pair : {"en-de", "fr-en"}) {
    std::filesystem::create_directory(folder_ / pair);
    for (const std::string& language :
         {std::string(pair).substr(0, 2), std::string(pair).substr(3)}) {
      write(std::string(pair) + "/dict." + language + ".txt", "a 2\nb 1\n");
      for (const char* end : {".idx", ".bin"}) {
        const std::string name = std::string("train.") + pair + "." + language + end;
        std::filesystem::rename(folder_ / name, folder_ / pair / name);
      }
    }
  }
  const auto nested = task_from_folder({{"lang-pairs", "en-de,fr-en"}})->open("train", true);
  ASSERT_EQ(nested->size(), 3);
  for (int64_t i = 0; i < 3; ++i) EXPECT_EQ(nested->get(i).source, flat->get(i).source);
}

TEST_F(Multilingual, ReadsRawTextOfEveryPair) {
  for (const char* pair : {"en-de", "de-fr"}) {
    std::filesystem::create_directory(folder_ / pair);
    for (const std::string& language :
         {std::string(pair).substr(0, 2), std::string(pair).substr(3)}) {
      write(std::string(pair) + "/dict." + language + ".txt", "a 2\nb 1\n");
      write(std::string(pair) + "/train." + language, "a b\nb\n");
    }
  }
  const auto task = task_from_folder({{"lang-pairs", "en-de,de-fr"}, {"encoder-langtok", "tgt"}});
  const auto corpus = task->open("train", true);
  ASSERT_EQ(corpus->size(), 4);
  EXPECT_THAT(corpus->get(2).source, ElementsAre(8, 4, 5, 2)) << "8 = __fr__";
  EXPECT_THAT(corpus->get(2).target, ElementsAre(4, 5, 2));
  EXPECT_THAT(whole_message_of<DataError>([&] {
                task_from_folder({{"lang-pairs", "en-de,fr-en"}});
              }),
              HasSubstr("no data of the pair fr-en; the folder has de-fr, en-de\n  Preprocess"));
}

TEST_F(Multilingual, NamesAMissingPairAlsoWhereTheMainFolderHasAllDictionaries) {
  for (const std::string language : {"en", "de", "fr"})
    write("dict." + language + ".txt", "a 2\nb 1\n");
  write_pair_folder(".", {"en", "de"});
  write_pair_folder(".", {"de", "fr"});
  EXPECT_EQ(task_from_folder({{"lang-pairs", "en-de,fr-de"}})->open("train", true)->size(), 2);
  EXPECT_THAT(whole_message_of<DataError>([&] {
                task_from_folder({{"lang-pairs", "en-de,fr-en"}});
              }),
              HasSubstr(folder_.string() +
                        ": no data of the pair fr-en; the folder has de-fr, en-de\n  Preprocess"));
  write("train.fr", "a b\n");
  write("train.en", "b\n");
  EXPECT_EQ(task_from_folder({{"lang-pairs", "en-de,fr-en"}})->open("train", true)->size(), 2)
      << "raw text in the main folder is data";
}

TEST_F(Multilingual, NamesADirectionOfWhichTheFolderHasNoData) {
  for (const std::string language : {"en", "de", "fr"})
    write("dict." + language + ".txt", "a 2\nb 1\n");
  write_pair_folder(".", {"en", "de"});
  write_pair_folder(".", {"de", "fr"});
  const OptionList options = {{"lang-pairs", "en-de,de-fr"}};
  const TaskState state = task_from_folder(options)->save();
  TaskSetup setup;
  setup.state = &state;
  setup.data = folder_.string();
  setup.source_language = "fr";
  setup.target_language = "en";
  EXPECT_THAT(whole_message_of<DataError>([&] { make_task(setup, options); }),
              HasSubstr("no data of the pair fr-en; the folder has de-fr, en-de\n"
                        "  Preprocess the pair into this folder, or choose another direction."));
  setup.source_language = "de";
  setup.target_language = "fr";
  EXPECT_EQ(make_task(setup, options)->open("train", true)->size(), 1);
}

TEST_F(Multilingual, UsesTheFoldersThatHaveAPair) {
  write_pair_folder("a", {"en", "de"});
  write_pair_folder("a", {"fr", "en"});
  write_pair_folder("b", {"en", "de"});
  write("b/dict.fr.txt", "a 2\nb 1\n");  // a dictionary alone is not data
  write("b/dict.en.txt", "a 2\nb 1\n");
  const auto task = task_from({"a", "b"}, "en-de,fr-en");
  const auto corpus = task->open("train", true);
  for (const int64_t epoch : {1, 2}) {
    corpus->start_epoch(epoch);
    EXPECT_EQ(corpus->size(), 2) << "fr-en is only in the first folder";
  }
}

TEST_F(Multilingual, SaysWhichOfSeveralFoldersHasAMissingPair) {
  write_pair_folder("a", {"en", "de"});
  write_pair_folder("b", {"fr", "en"});
  std::filesystem::create_directory(folder_ / "empty");
  const auto failure = [&](const std::vector<std::string>& folders, const std::string& pairs) {
    return whole_message_of<DataError>([&] { task_from(folders, pairs); });
  };
  EXPECT_THAT(failure({"a", "b"}, "en-de,fr-en"),
              HasSubstr(path("a") + ": no data of the pair fr-en; the folder has en-de; the pair " +
                        "is in " + path("b") + "\n  The first of several data folders must have"));
  EXPECT_THAT(failure({"a", "b"}, "en-de,de-fr"),
              HasSubstr(path("a") + ": no data of the pair de-fr; the folder has en-de\n  " +
                        "Preprocess the pair into " + path("a") + "/de-fr, or remove it"));
  EXPECT_THAT(
      failure({"a", "b"}, "en-de"),
      HasSubstr(path("b") + ": no data of any of the pairs en-de; the folder has fr-en\n  Remove"));
  EXPECT_THAT(failure({"a", "empty"}, "en-de"), HasSubstr("the folder has no language pair"));
  EXPECT_THAT(whole_message_of<IoError>([&] {
                task_from({"a", "nowhere"}, "en-de");
              }),
              HasSubstr(path("nowhere")));
}

TEST_F(Multilingual, SamplesByTheGivenWeights) {
  write_pairs();
  const auto size = [&](OptionList options) {
    options.emplace_back("lang-pairs", "en-de,fr-en");
    return task_from_folder(options)->open("train", true)->size();
  };
  EXPECT_EQ(size({{"sampling-method", "uniform"}}), 4);
  EXPECT_EQ(size({{"sampling-method", "uniform"}, {"virtual-epoch-size", "3"}}), 3);
  EXPECT_EQ(size({{"sampling-method", "RoundRobin"}}), 3);
  EXPECT_EQ(size({{"sampling-weights", "{'main:en-de': 4, 'fr-en': 1}"}}), 2);
  const auto refusal = [&](const std::string& weights) {
    return whole_message_of<UsageError>([&] { size({{"sampling-weights", weights}}); });
  };
  EXPECT_THAT(refusal("{\"en-de\": 4, \"de-fr\": 1}"),
              HasSubstr("--sampling-weights: no weight for fr-en; there are weights for de-fr, "
                        "en-de\n  Give a weight for each pair of --lang-pairs"));
  EXPECT_THAT(refusal("{}"), HasSubstr("no weight for en-de; there are weights for no pair"));
  EXPECT_THAT(
      refusal("{'en-de': 'much', 'fr-en': 1}"),
      HasSubstr("--sampling-weights: en-de: \"much\", expected a number\n  Expected a JSON"));
  EXPECT_THAT(refusal("en-de: 4"), HasSubstr("--sampling-weights: not JSON"));
  for (const std::string weight : {"0", "1e308"}) {
    EXPECT_THAT(whole_message_of<UsageError>([&] {
                  size({{"sampling-weights", "{'en-de': 1e100, 'fr-en': " + weight + "}"}});
                }),
                HasSubstr("expected a number above 0 and at most 1e+100"));
  }
}

TEST_F(Multilingual, TrainsPairsOfLanguagesWithHyphens) {
  write("dict.en.txt", "a 2\nb 1\n");
  write("dict.pt-BR.txt", "a 2\nb 1\n");
  write_indexed("train.en-pt-BR.en", 6, {{4, 5, 2}});
  write_indexed("train.en-pt-BR.pt-BR", 6, {{5, 2}});
  const auto task = task_from_folder({{"lang-pairs", "en-pt-BR"}});
  EXPECT_EQ(task->target_language(), "pt-BR");
  EXPECT_EQ(task->open("train", true)->size(), 1);
}

TEST_F(Multilingual, SaysWhatIsWrongWithTheData) {
  write_pairs();
  const auto failure = [&](const std::string& pairs) {
    return [this, pairs] { task_from_folder({{"lang-pairs", pairs}}); };
  };
  EXPECT_THAT(whole_message_of<UsageError>(failure("")), HasSubstr("--lang-pairs is missing"));
  EXPECT_THAT(whole_message_of<DataError>(failure("en-de,de-fr")),
              HasSubstr("no data of the pair de-fr"));
  EXPECT_THAT(whole_message_of<UsageError>([&] {
                task_from_folder({{"lang-pairs", "en-de"}, {"langs", "en,fr"}});
              }),
              HasSubstr("has the language 'de', which is not among the languages en, fr"));
  write("dict.fr.txt", "a 2\nc 1\n");
  EXPECT_THAT(
      whole_message_of<FormatError>(failure("en-de,fr-en")),
      HasSubstr("dict.fr.txt is not dict.en.txt: the first difference is id 5: 'c', expected "
                "'b'"));
}

TEST_F(Multilingual, DamagedStatesAreRefused) {
  const TaskState whole = golden_task("source")->save();
  const auto with = [&](const std::string& name, const std::string& text) {
    TaskState state = whole;
    state.texts[name] = text;
    return whole_message_of<FormatError>([&] { golden_task("source", &state); });
  };
  EXPECT_THAT(with("lang_pairs", "[[\"en\"]]"), HasSubstr("an entry that is not a pair"));
  EXPECT_THAT(with("languages", "{}"), HasSubstr("languages"));
  EXPECT_THAT(with("languages", "[\"en\"]"), HasSubstr("fewer than two"));
  EXPECT_THAT(with("models", "{\"en\": \"x\"}"), HasSubstr("blob.x, the model of en"));
  TaskState state = whole;
  state.texts.erase("languages");
  EXPECT_THAT(whole_message_of<FormatError>([&] { golden_task("source", &state); }),
              HasSubstr("do not contain 'languages'"));
}

TEST(DirectionTags, GiveTreesALeafForTheTokenBeforeTheWords) {
  const DirectionTags tags{.source = 9};
  const SubwordTree one = SubwordTree::decode(tags.tree({4}));  // a leaf of two subwords
  EXPECT_EQ(one.subwords, 3);
  EXPECT_EQ(one.nodes.front().children, 2);
  const SubwordTree two = SubwordTree::decode(tags.tree({5, 2, 4}));
  EXPECT_EQ(two.subwords, 4);
  EXPECT_EQ(two.nodes.front().children, 3);
  EXPECT_TRUE(tags.tree({}).empty()) << "not parsed";
}

}  // namespace
}  // namespace phraseq
