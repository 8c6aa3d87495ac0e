#include "core/convert/hf/marian_mt_import.h"

#include <filesystem>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/checkpoint/checkpoint_writer.h"
#include "core/checkpoint/safetensors/float_values.h"
#include "core/convert/hf/hf_config.h"
#include "core/convert/hf/marian_mt_config.h"
#include "core/convert/hf/marian_mt_export.h"
#include "tests/core/checkpoint/checkpoint_test_files.h"
#include "tests/core/convert/float_tensors.h"
#include "tests/core/convert/learned_positions.h"
#include "tests/core/io/temporary_folder.h"
#include "tests/support/file_content.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::float_tensors;
using ::testing::HasSubstr;
using testing::write_bytes;

constexpr const char* kGolden = PHRASEQ_SOURCE_FOLDER "/tests/golden/hf_marian";

json golden_json(const std::string& name) {
  return json::parse(content_of(std::string(kGolden) + "/" + name));
}

std::vector<double> row_of(const TensorView& matrix, int64_t row) {
  const auto values = float_values(matrix);
  const auto width = static_cast<std::ptrdiff_t>(matrix.shape[1]);
  return {values.begin() + row * width, values.begin() + (row + 1) * width};
}

TEST(MarianImport, PutsTheRowsOfTheVocabularyIntoOurOrder) {
  const ImportedModel model = import_marian_mt({.weights = kGolden});
  EXPECT_EQ(model.texts.at("source_language"), "xx");
  const json ids = golden_json("vocab.json");
  const auto ours = Dictionary::parse(model.texts.at("source_dictionary"), "dictionary");
  ASSERT_EQ(ours.size(), static_cast<int64_t>(ids.size()) + 1);  // and <s>

  const auto original = CheckpointFile::open(std::string(kGolden) + "/model.safetensors");
  const TensorView& matrix = *original.find("model.shared.weight");
  const auto bias = float_values(*original.find("final_logits_bias"));
  const auto found = float_tensors(model);
  const TensorView embedding{"",
                             DType::kF64,
                             {ours.size(), 16},
                             std::as_bytes(std::span(found.at("encoder.embed_tokens.weight")))};
  for (const auto& [symbol, id] : ids.items()) {
    const int64_t row = ours.id(symbol);
    EXPECT_EQ(row_of(embedding, row), row_of(matrix, id.get<int64_t>())) << symbol;
    EXPECT_EQ(found.at("decoder.output_bias")[static_cast<size_t>(row)], bias[id.get<size_t>()])
        << symbol;
  }
  // Decoding starts from <s>, which has Marian's row of <pad> and is never produced.
  EXPECT_EQ(row_of(embedding, kBos), row_of(matrix, ids["<pad>"].get<int64_t>()));
  EXPECT_EQ(found.at("decoder.output_bias")[kBos], -1e9);
}

TEST(MarianImport, ReadsBothFormatsOfTheWeights) {
  const TemporaryFolder folder;
  for (const auto& entry : fs::directory_iterator(kGolden)) {
    if (entry.path().filename() != "model.safetensors")
      fs::copy(entry.path(), folder.file(entry.path().filename().string()));
  }
  const auto from_pickle = float_tensors(import_marian_mt({.weights = folder.path()}));
  EXPECT_EQ(from_pickle, float_tensors(import_marian_mt({.weights = kGolden})));
  fs::resize_file(folder.file("pytorch_model.bin"), 5000);
  EXPECT_THROW(import_marian_mt({.weights = folder.path()}), FormatError);
}

TEST(MarianImport, KeepsTheTokensThatSelectATargetLanguage) {
  const TemporaryFolder folder;
  for (const auto& entry : fs::directory_iterator(kGolden))
    fs::copy(entry.path(), folder.file(entry.path().filename().string()));
  EXPECT_EQ(import_marian_mt({.weights = folder.path()}).texts.at("tokenizer_options"), "{}");
  const json original = golden_json("vocab.json");
  json ids = json::object();
  for (const auto& [symbol, id] : original.items()) ids[id == 5 ? ">>fra<<" : symbol] = id;
  write_bytes(folder.file("vocab.json"), ids.dump());
  EXPECT_EQ(json::parse(import_marian_mt({.weights = folder.path()}).texts.at("tokenizer_options")),
            json({{"language_token", true}}));
}

TEST(MarianImport, OfAnExportedModelIsTheModel) {
  const TemporaryFolder folder;
  const ImportedModel model = import_marian_mt({.weights = kGolden});
  model.write(folder.file("m.safetensors"));
  export_to_marian_mt(ExportModel::open(folder.file("m.safetensors")), folder.file("hf"));
  const json tokenizer = json::parse(content_of(folder.file("hf/tokenizer_config.json")));
  EXPECT_EQ(tokenizer.at("bos_token"), "<s>");  // without it, transformers prints the start symbol
  const ImportedModel again = import_marian_mt({.weights = folder.file("hf")});
  EXPECT_EQ(float_tensors(again), float_tensors(model));
  EXPECT_EQ(again.texts, model.texts);
  json expected = model.options;
  for (const char* name : {"dropout", "attention_dropout", "activation_dropout"})
    expected[name] = 0.0;  // only used in training
  EXPECT_EQ(again.options, expected);
}

/// Gives the model learned positions and exports it for Hugging Face.
void export_learned_positions(const TemporaryFolder& folder, ImportedModel& model) {
  testing::use_learned_positions(model, 9);
  model.write(folder.file("m.safetensors"));
  export_to_marian_mt(ExportModel::open(folder.file("m.safetensors")), folder.file("hf"));
}

TEST(MarianImport, ReadsLearnedPositionsAsTheExportWritesThem) {
  const TemporaryFolder folder;
  ImportedModel model = import_marian_mt({.weights = kGolden});
  export_learned_positions(folder, model);
  const auto exported = CheckpointFile::open(folder.file("hf/model.safetensors"));
  const TensorView& table = *exported.find("model.encoder.embed_positions.weight");
  EXPECT_EQ(table.shape, (std::vector<int64_t>{9, 16}));
  EXPECT_EQ(float_values(table).front(), 2 * 16 / 1024.0);
  const ImportedModel again = import_marian_mt({.weights = folder.file("hf")});
  EXPECT_EQ(float_tensors(again), float_tensors(model));
  EXPECT_EQ(again.options.at("pos"), "learned");
  EXPECT_EQ(again.options.at("max_source_positions"), 9);
}

using EditTensors = std::function<void(std::vector<TensorView>& tensors)>;

/// Expects an error for a model with learned positions whose tensors were changed by `change`.
void expect_different_positions(const EditTensors& change) {
  const TemporaryFolder folder;
  ImportedModel model = import_marian_mt({.weights = kGolden});
  export_learned_positions(folder, model);
  const std::string path = folder.file("hf/model.safetensors");
  const auto exported = CheckpointFile::open(path);
  auto tensors = exported.tensors();
  change(tensors);
  write_checkpoint(folder.file("other.safetensors"), {{"format", "pt"}}, tensors);
  fs::rename(folder.file("other.safetensors"), path);
  EXPECT_THAT([&] { import_marian_mt({.weights = folder.file("hf")}); },
              ::testing::ThrowsMessage<FormatError>(
                  HasSubstr("encoder and decoder have different positions")));
}

TEST(MarianImport, RejectsPositionsThatDifferBetweenEncoderAndDecoder) {
  const std::vector<float> zeros(9 * 16, 0.0F);
  expect_different_positions([&](std::vector<TensorView>& tensors) {
    for (TensorView& tensor : tensors) {
      if (tensor.name == "model.encoder.embed_positions.weight")
        tensor.bytes = std::as_bytes(std::span(zeros));
    }
  });
}

/// A stack without a table has the sinusoids of Marian.
TEST(MarianImport, RejectsPositionsOfOneStackAlone) {
  expect_different_positions([](std::vector<TensorView>& tensors) {
    std::erase_if(tensors, [](const TensorView& tensor) {
      return tensor.name == "model.decoder.embed_positions.weight";
    });
  });
}

/// Imports the golden model with other settings; an entry that is null is removed.
ImportedModel import_with(const json& config_changes,
                          const json& generation,
                          const json& vocabulary = golden_json("vocab.json")) {
  const TemporaryFolder folder;
  fs::copy(kGolden, folder.file("hf"), fs::copy_options::recursive);
  json config = golden_json("config.json");
  config.merge_patch(config_changes);
  folder.write("hf/config.json", config.dump());
  folder.write("hf/generation_config.json", generation.dump());
  folder.write("hf/vocab.json", vocabulary.dump());
  return import_marian_mt({.weights = folder.file("hf")});
}

TEST(MarianImport, TakesTheFirstTokenFromTheGenerationConfiguration) {
  const int64_t eos = golden_json("config.json").at("eos_token_id");
  const json without = {{"decoder_start_token_id", nullptr}};
  EXPECT_EQ(import_with(without, json::object()).options.at("start_token"), "bos");  // <pad>
  EXPECT_EQ(import_with(without, {{"decoder_start_token_id", eos}}).options.at("start_token"),
            "eos");
}

TEST(MarianImport, TakesAListOfOneAsASpecialToken) {
  const int64_t eos = golden_json("config.json").at("eos_token_id");
  const json config = {{"eos_token_id", json::array({eos})}};
  EXPECT_EQ(import_with(config, {{"eos_token_id", eos}}).options,
            import_with(json::object(), json::object()).options);
  EXPECT_THROW(import_with({{"eos_token_id", json::array({eos, eos + 1})}}, json::object()),
               UsageError);
}

/// If both were produced, the softmax would count the row twice.
TEST(MarianImport, NeverProducesPaddingThatIsAnotherSymbol) {
  const int64_t eos = golden_json("config.json").at("eos_token_id");
  const json config = {
      {"pad_token_id", eos}, {"decoder_start_token_id", eos}, {"bad_words_ids", nullptr}};
  json vocabulary = golden_json("vocab.json");
  vocabulary["padding"] = vocabulary["<pad>"];
  vocabulary.erase("<pad>");
  const auto values = float_tensors(import_with(config, json::object(), vocabulary));
  EXPECT_EQ(values.at("decoder.output_bias")[kPad], -1e9);
  EXPECT_GT(values.at("decoder.output_bias")[kEos], -1e3);
}

std::string rejection_of_config(const json& changes) {
  json config = golden_json("config.json");
  config.update(changes);
  try {
    options_from_marian_config(config, "config.json");
    return "accepted";
  } catch (const UsageError& problem) {
    return problem.message();
  } catch (const FormatError& problem) {
    return problem.message();
  }
}

TEST(MarianConfig, IsRejectedByNameIfASettingHasNoCounterpart) {
  EXPECT_EQ(rejection_of_config({{"normalize_before", false}, {"activation_function", "silu"}}),
            "accepted");
  EXPECT_THAT(rejection_of_config({{"normalize_before", true}}),
              HasSubstr("normalize_before = true"));
  EXPECT_THAT(rejection_of_config({{"activation_function", "gelu_new"}}),
              HasSubstr("activation_function = \"gelu_new\""));
  EXPECT_THAT(rejection_of_config({{"bad_words_ids", {{5}}}}), HasSubstr("bad_words_ids = [[5]]"));
  EXPECT_THAT(rejection_of_config({{"model_type", "bart"}}),
              HasSubstr("models of the type 'bart' cannot be imported"));
}

TEST(MarianConfig, NamesAValueOfAnotherType) {
  EXPECT_THAT(rejection_of_config({{"d_model", "wide"}}), HasSubstr("d_model: \"wide\""));
  EXPECT_THAT(rejection_of_config({{"max_position_embeddings", 1.5}}),
              HasSubstr("max_position_embeddings: 1.5, expected a whole number"));
  EXPECT_THAT(rejection_of_config({{"scale_embedding", "yes"}}),
              HasSubstr("scale_embedding: \"yes\", expected true or false"));
  EXPECT_EQ(rejection_of_config({{"scale_embedding", nullptr}}), "accepted");
}

TEST(GenerationSettings, NameATokenThatConfigJsonContradicts) {
  EXPECT_EQ(message_of<FormatError>([] {
              with_generation_settings({{"eos_token_id", 0}}, {{"eos_token_id", 2}}, "g.json");
            }),
            "g.json: eos_token_id is 2, but it is 0 in config.json");
}

std::string rejection_of_vocabulary(const json& vocabulary, HfSpecialIds ids = {0, 2, 2}) {
  return message_of<FormatError>([&] { read_hf_vocabulary(vocabulary, ids, "vocab.json"); });
}

TEST(HfVocabulary, NeedsIdsWithoutGapsAndTheSpecialSymbols) {
  EXPECT_EQ(rejection_of_vocabulary({{"</s>", 0}, {"<unk>", 1}, {"<pad>", 2}}), kNothingThrown);
  EXPECT_THAT(rejection_of_vocabulary({{"</s>", 0}, {"<unk>", 1}, {"<pad>", 3}}),
              HasSubstr("<pad>: 3, expected a whole number, 0 to 2"));
  EXPECT_THAT(rejection_of_vocabulary({{"</s>", 0}, {"<unk>", 1}, {"<pad>", 1}}),
              HasSubstr("two symbols have the id 1"));
  EXPECT_THAT(rejection_of_vocabulary({{"</s>", 0}, {"x", 1}, {"<pad>", 2}}),
              HasSubstr("no symbol <unk>"));
  EXPECT_THAT(rejection_of_vocabulary({{"</s>", 0}, {"<unk>", 1}, {"<pad>", 2}}, {0, 7, 7}),
              HasSubstr("pad_token_id is 7, but there are 3 symbols"));
  EXPECT_THAT(rejection_of_vocabulary({{"</s>", 0}, {"<unk>", 1}, {"<pad>", 2}, {"a\nb", 3}}),
              HasSubstr("cannot be a symbol"));
}

}  // namespace
}  // namespace phraseq
