// Import and export of Marian's models. tests/golden/marian has a model and the output of pymarian
// for it.

#include <filesystem>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/checkpoint/safetensors/float_values.h"
#include "core/convert/export_model.h"
#include "core/convert/marian/marian_settings.h"
#include "core/convert/marian/marian_vocabulary.h"
#include "core/convert/marian/npz_export.h"
#include "core/convert/marian/npz_file.h"
#include "core/convert/marian/npz_import.h"
#include "core/convert/torch/zip_writer.h"
#include "core/io/yaml/yaml_reader.h"
#include "tests/core/checkpoint/checkpoint_test_files.h"
#include "tests/core/convert/float_tensors.h"
#include "tests/core/io/temporary_folder.h"
#include "tests/support/file_content.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::ElementsAre;
using testing::float_tensors;
using ::testing::HasSubstr;
using testing::write_bytes;

const std::string kMarianGolden = PHRASEQ_SOURCE_FOLDER "/tests/golden/marian/";

ForeignModel golden_files() {
  return {.weights = kMarianGolden + "model.npz", .source_lang = "xx", .target_lang = "yy"};
}

std::string settings_of(const NpzFile& file) {
  const TensorView& array = file.arrays().at("special:model.yml");
  return {reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size()};
}

TEST(MarianNpzImport, TransposesMatricesAndPutsRowsIntoOurOrder) {
  const ImportedModel model = import_marian_npz(golden_files());
  EXPECT_EQ(model.architecture, "transformer");
  EXPECT_EQ(model.options.at("pos"), "tensor2tensor");
  const NpzFile file(kMarianGolden + "model.npz");
  const auto theirs = [&](const std::string& name) { return float_values(file.arrays().at(name)); };
  const auto ours = float_tensors(model);
  const auto& matrix = ours.at("decoder.layers.1.fc1.weight");  // [24, 16]
  const auto original = theirs("decoder_l2_ffn_W1");            // [16, 24]
  for (size_t out = 0; out < 24; ++out) {
    for (size_t in = 0; in < 16; ++in) EXPECT_EQ(matrix[out * 16 + in], original[in * 24 + out]);
  }
  EXPECT_EQ(ours.at("encoder.layers.0.self_attn.k_proj.bias"), theirs("encoder_l1_self_bk"));
  EXPECT_EQ(ours.at("decoder.layers.0.encoder_attn_layer_norm.weight"),
            theirs("decoder_l1_context_Wo_ln_scale"));

  const auto dictionary = Dictionary::parse(model.texts.at("target_dictionary"), "dictionary");
  const json symbols = parse_yaml(content_of(kMarianGolden + "vocab.target.yml"), "vocabulary");
  const auto embedding = theirs("decoder_Wemb"), bias = theirs("decoder_ff_logit_out_b");
  const auto& our_embedding = ours.at("decoder.embed_tokens.weight");
  for (const auto& [symbol, row] : symbols.items()) {
    const auto id = static_cast<size_t>(dictionary.id(symbol));
    EXPECT_EQ(our_embedding[id * 16 + 5], embedding[row.get<size_t>() * 16 + 5]) << symbol;
    EXPECT_EQ(ours.at("decoder.output_bias")[id], bias[row.get<size_t>()]) << symbol;
  }
  // Decoding starts from <s>, whose row is zeros and which is never produced.
  for (size_t i = 0; i < 32; ++i) EXPECT_EQ(our_embedding[i], 0) << i;
  EXPECT_EQ(ours.at("decoder.output_bias")[kBos], -1e9);
  EXPECT_EQ(ours.at("decoder.output_bias")[kPad], -1e9);
}

TEST(MarianNpzImport, RejectsASubwordModelIfTheVocabulariesAreSubwordModels) {
  const std::string pieces = PHRASEQ_SOURCE_FOLDER "/tests/golden/hf_marian/source.spm";
  ForeignModel files = golden_files();
  files.vocabs = {pieces, pieces};
  files.sentencepiece = pieces;
  try {
    import_marian_npz(files);
    FAIL();
  } catch (const UsageError& problem) {
    EXPECT_THAT(problem.message(), HasSubstr("--sentencepiece is not used"));
  }
}

TEST(MarianNpzImport, FindsTheFilesOfAFolder) {
  const TemporaryFolder whole, folder;
  for (const char* name :
       {"model.npz", "model.npz.decoder.yml", "vocab.source.yml", "vocab.target.yml"})
    fs::copy(kMarianGolden + name, whole.file(name));
  const auto found =
      import_marian_npz({.weights = whole.path(), .source_lang = "xx", .target_lang = "yy"});
  EXPECT_EQ(found.texts, import_marian_npz(golden_files()).texts);
  fs::copy(kMarianGolden + "model.npz", folder.file("one.npz"));
  try {
    import_marian_npz({.weights = folder.path(), .source_lang = "xx", .target_lang = "yy"});
    FAIL();
  } catch (const UsageError& problem) {
    EXPECT_THAT(problem.what(), HasSubstr("Give --vocabs SOURCE TARGET."));
  }
  fs::copy(folder.file("one.npz"), folder.file("two.npz"));
  EXPECT_THROW(import_marian_npz({.weights = folder.path()}), UsageError);
}

TEST(MarianNpzExport, OfAnImportedModelIsTheOriginal) {
  const TemporaryFolder folder;
  import_marian_npz(golden_files()).write(folder.file("m.safetensors"));
  export_to_marian_npz(ExportModel::open(folder.file("m.safetensors")), folder.file("out"));
  const NpzFile original(kMarianGolden + "model.npz"), exported(folder.file("out/model.npz"));
  ASSERT_EQ(exported.arrays().size(), original.arrays().size());
  for (const auto& [name, array] : original.arrays()) {
    const TensorView& other = exported.arrays().at(name);
    if (!is_float(array.dtype))
      continue;
    EXPECT_EQ(other.shape, array.shape) << name;
    EXPECT_EQ(float_values(other), float_values(array)) << name;
  }
  for (const char* name : {"vocab.source.yml", "vocab.target.yml"}) {
    EXPECT_EQ(parse_yaml(content_of(folder.file(std::string("out/") + name)), name),
              parse_yaml(content_of(kMarianGolden + name), name));
  }
  const auto read = [](const NpzFile& file) {
    std::string text = settings_of(file);
    text.pop_back();
    return marian_settings_of(parse_yaml(text, "settings"), "settings").options;
  };
  EXPECT_EQ(read(exported), read(original));
  const auto again =
      import_marian_npz({.weights = folder.file("out"), .source_lang = "xx", .target_lang = "yy"});
  EXPECT_EQ(float_tensors(again), float_tensors(import_marian_npz(golden_files())));
}

/// The error for a model with the golden vocabularies.
std::string rejection_of_archive(const std::string& bytes) {
  const TemporaryFolder folder;
  write_bytes(folder.file("model.npz"), bytes);
  return message_of([&] {
    import_marian_npz(
        {.weights = folder.file("model.npz"),
         .vocabs = {kMarianGolden + "vocab.source.yml", kMarianGolden + "vocab.target.yml"},
         .source_lang = "xx",
         .target_lang = "yy"});
  });
}

/// The error for the golden model with other settings, without one array, or with one more.
std::string rejection(const std::string& find,
                      const std::string& replacement,
                      const std::string& without = "",
                      const std::string& with = "") {
  const NpzFile file(kMarianGolden + "model.npz");
  std::string settings = settings_of(file);
  if (const size_t at = settings.find(find); at != std::string::npos)
    settings.replace(at, find.size(), replacement);
  ZipWriter archive;
  for (const auto& [name, array] : file.arrays()) {
    TensorView written = array;
    if (name == "special:model.yml") {
      written.shape = {static_cast<int64_t>(settings.size())};
      written.bytes = std::as_bytes(std::span(settings));
    }
    if (name != without)
      archive.add(name + ".npy", to_npy(written));
    if (!with.empty() && name == "encoder_Wemb")
      archive.add(with + ".npy", to_npy(written));
  }
  return rejection_of_archive(archive.finish());
}

TEST(MarianNpzImport, NamesSettingsWithoutCounterpart) {
  EXPECT_EQ(rejection("", ""), kNothingThrown);
  EXPECT_THAT(rejection("type: \"transformer\"", "type: s2s"), HasSubstr("type: \"s2s\""));
  EXPECT_THAT(rejection("transformer-decoder-autoreg: \"self-attention\"",
                        "transformer-decoder-autoreg: average-attention"),
              HasSubstr("transformer-decoder-autoreg: \"average-attention\""));
  EXPECT_THAT(rejection("transformer-decoder-autoreg: \"self-attention\"",
                        "transformer-decoder-autoreg: rnn"),
              HasSubstr("dec-cell: \"gru\""));
  EXPECT_THAT(rejection("transformer-postprocess: \"dan\"", "transformer-postprocess: dhn"),
              HasSubstr("transformer-postprocess: 'dhn'"));
  EXPECT_THAT(rejection("transformer-no-projection: false", "transformer-no-projection: true"),
              HasSubstr("transformer-no-projection: true"));
  EXPECT_THAT(rejection("skip: false", "skip: false\nnovelty: 3"), HasSubstr("novelty: 3"));
  EXPECT_THAT(rejection("transformer-heads: 4", "transformer-heads: 5"),
              HasSubstr("dim-emb 16 is not a multiple of transformer-heads 5"));
  EXPECT_THAT(rejection("enc-depth: 2", "enc-depth: 3"),
              HasSubstr("there is no array 'encoder_l3_self_Wq'"));
  EXPECT_THAT(rejection("enc-depth: 2", "enc-depth: 1"),
              HasSubstr("arrays that are not supported:\n    encoder_l2_ffn_W1"));
}

TEST(MarianNpzImport, NamesMissingAndUnknownArrays) {
  EXPECT_THAT(rejection("", "", "decoder_l1_ffn_b2"),
              HasSubstr("there is no array 'decoder_l1_ffn_b2'"));
  EXPECT_THAT(rejection("", "", "special:model.yml"), HasSubstr("'special:model.yml'"));
  EXPECT_THAT(rejection("", "", "", "encoder_Wnew"), HasSubstr("encoder_Wnew"));
}

TEST(MarianNpzImport, NamesAVectorWithTheShapeOfAMatrix) {
  for (const std::string changed : {"decoder_ff_logit_out_b", "encoder_l1_ffn_ffn_ln_scale"}) {
    const NpzFile file(kMarianGolden + "model.npz");
    ZipWriter archive;
    for (const auto& [name, array] : file.arrays()) {
      TensorView written = array;
      if (name == changed)
        written.shape = {array.shape[1], 1};
      archive.add(name + ".npy", to_npy(written));
    }
    EXPECT_THAT(rejection_of_archive(archive.finish()), HasSubstr(changed + " is ["));
  }
}

TEST(MarianVocabulary, ReadsTheThreeKindsOfFiles) {
  const TemporaryFolder folder;
  write_bytes(folder.file("v.yml"), "</s>: 0\n<unk>: 1\n\"a b\": 3\nc: 2\n");
  const auto yaml = read_marian_vocabulary(folder.file("v.yml"), 4);
  EXPECT_EQ(yaml.dictionary.symbol(4), "c");
  EXPECT_THAT(yaml.rows, ElementsAre(-1, -1, 0, 1, 2, 3));
  write_bytes(folder.file("v.txt"), "</s>\n<unk>\na\nb\n");
  EXPECT_EQ(read_marian_vocabulary(folder.file("v.txt"), 3).dictionary.size(), 5);
  const auto pieces =
      read_marian_vocabulary(PHRASEQ_SOURCE_FOLDER "/tests/golden/hf_marian/source.spm", 60);
  EXPECT_EQ(pieces.rows[kEos], 0);
  EXPECT_EQ(pieces.rows[kUnk], 1);
  // The names of the first two symbols in Nematus.
  write_bytes(folder.file("old.json"), R"({"eos": 0, "UNK": 1, "a": 2})");
  EXPECT_THAT(read_marian_vocabulary(folder.file("old.json"), 3).rows,
              ElementsAre(-1, -1, 0, 1, 2));
}

std::string rejection_of_vocabulary(const std::string& name, const std::string& text) {
  const TemporaryFolder folder;
  write_bytes(folder.file(name), text);
  return message_of([&] { read_marian_vocabulary(folder.file(name), 4); });
}

TEST(MarianVocabulary, RejectsWhatDoesNotFit) {
  EXPECT_THAT(rejection_of_vocabulary("v.yml", "</s>: 0\n<unk>: 1\na: 2\n"),
              HasSubstr("3 symbols, but the model has 4"));
  EXPECT_THAT(rejection_of_vocabulary("v.yml", "</s>: 0\n<unk>: 1\na: 2\nb: 2\n"),
              HasSubstr("two symbols have the id 2"));
  EXPECT_THAT(rejection_of_vocabulary("v.yml", "</s>: 0\n<unk>: 1\na: 2\nb: 4\n"),
              HasSubstr("no symbol has the id 3"));
  EXPECT_THAT(rejection_of_vocabulary("v.yml", "a: 0\nb: 1\nc: 2\nd: 3\n"),
              HasSubstr("no symbol </s>"));
  EXPECT_THAT(rejection_of_vocabulary("v.yml", "</s>: 0\n<unk>: 1\n<s>: 2\nd: 3\n"),
              HasSubstr("a symbol <s>"));
  EXPECT_THAT(rejection_of_vocabulary("v.fsv", "x"), HasSubstr("factored"));
  EXPECT_THAT(rejection_of_vocabulary("v.spm", "x"), HasSubstr("not a SentencePiece model"));
}

TEST(MarianNpzExport, WritesNoOtherSubwordsThanThoseOfSentencePiece) {
  const TemporaryFolder folder;
  ImportedModel model = import_marian_npz(golden_files());
  model.texts["tokenizer"] = "bpe";
  model.add_tensor("blob.source_tokenizer", DType::kU8, {2}, "{}");
  model.write(folder.file("m.safetensors"));
  export_to_marian_npz(ExportModel::open(folder.file("m.safetensors")), folder.file("out"));
  EXPECT_TRUE(fs::exists(folder.file("out/vocab.source.yml")));
  EXPECT_FALSE(fs::exists(folder.file("out/source.spm")));
}

TEST(MarianNpzExport, NamesWhatMarianCannotExpress) {
  const TemporaryFolder folder;
  ImportedModel model = import_marian_npz(golden_files());
  model.options["pos"] = "fairseq";
  model.options["norm_eps"] = 1e-5;
  model.options["start_token"] = "eos";
  model.write(folder.file("m.safetensors"));
  try {
    export_to_marian_npz(ExportModel::open(folder.file("m.safetensors")), folder.file("out"));
    FAIL();
  } catch (const UsageError& problem) {
    EXPECT_THAT(problem.message(), HasSubstr("pos = fairseq"));
    EXPECT_THAT(problem.message(), HasSubstr("norm_eps = 1e-05"));
    EXPECT_THAT(problem.message(), HasSubstr("a start symbol whose embedding is not zero"));
  }
  EXPECT_FALSE(fs::exists(folder.file("out")));
}

}  // namespace
}  // namespace phraseq
