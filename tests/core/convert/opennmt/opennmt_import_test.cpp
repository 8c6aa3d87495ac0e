#include "core/convert/opennmt/opennmt_import.h"

#include <algorithm>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/convert/opennmt/opennmt_options.h"
#include "tests/core/checkpoint/checkpoint_test_files.h"
#include "tests/core/convert/golden_torch_files.h"
#include "tests/core/io/temporary_folder.h"
#include "tests/support/file_content.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

using nlohmann::json;
using testing::golden_torch_file;
using ::testing::HasSubstr;
using testing::write_bytes;

const std::string kOpenNmtGolden = PHRASEQ_SOURCE_FOLDER "/tests/golden/opennmt/";

ForeignModel files_of(const std::string& model) {
  return {.weights = model, .source_lang = "xx", .target_lang = "yy"};
}

TEST(OpenNmtImport, ReadsOptionsAndVocabularies) {
  const ImportedModel plain = import_opennmt(files_of(kOpenNmtGolden + "plain.pt"));
  EXPECT_EQ(plain.options.at("pos"), "interleaved");
  EXPECT_EQ(plain.options.at("source_eos"), false);
  EXPECT_EQ(plain.options.at("start_token"), "bos");
  EXPECT_EQ(plain.options.at("attn_bias"), false);
  EXPECT_EQ(plain.options.at("max_source_positions"), 32);
  EXPECT_EQ(plain.texts.at("tokenizer"), "word");
  const auto target = Dictionary::parse(plain.texts.at("target_dictionary"), "dictionary");
  EXPECT_EQ(target.symbol(4), "t0");
  const ImportedModel tied = import_opennmt(files_of(kOpenNmtGolden + "tied.pt"));
  EXPECT_TRUE(tied.joined());
  EXPECT_EQ(tied.options.at("share_all_embeddings"), true);
  EXPECT_EQ(tied.options.at("attn_bias"), true);
  EXPECT_EQ(tied.options.at("activation_fn"), "gelu");
}

TEST(OpenNmtImport, KeepsTheSubwordModel) {
  ForeignModel files = files_of(kOpenNmtGolden + "plain.pt");
  files.sentencepiece = PHRASEQ_SOURCE_FOLDER "/tests/golden/hf_marian/source.spm";
  const ImportedModel model = import_opennmt(files);
  EXPECT_EQ(model.texts.at("tokenizer"), "sentencepiece");
  EXPECT_EQ(std::ranges::count(model.tensors, "blob.source_tokenizer", &TensorView::name), 1);
}

TEST(OpenNmtImport, KnowsItsCheckpointsFromThoseOfOtherToolkits) {
  EXPECT_TRUE(is_opennmt_checkpoint(kOpenNmtGolden + "plain.pt"));
  EXPECT_FALSE(is_opennmt_checkpoint(golden_torch_file("fairseq_cfg.pt")));
  EXPECT_FALSE(is_opennmt_checkpoint(kOpenNmtGolden + "source.txt"));
  EXPECT_FALSE(is_opennmt_checkpoint(kOpenNmtGolden + "missing.pt"));
}

std::string rejection_of(const std::function<void(json&)>& change) {
  json settings = {{"enc_hid_size", 8},
                   {"dec_hid_size", 8},
                   {"src_word_vec_size", 8},
                   {"tgt_word_vec_size", 8},
                   {"transformer_ff", 16},
                   {"heads", 2},
                   {"enc_layers", 1},
                   {"dec_layers", 1},
                   {"encoder_type", "transformer"}};
  change(settings);
  return message_of([&] { options_from_opennmt(settings, {}, "model.pt"); });
}

TEST(OpenNmtOptions, NameSettingsWithoutCounterpart) {
  EXPECT_EQ(rejection_of([](json&) {}), kNothingThrown);
  EXPECT_THAT(rejection_of([](json& s) { s["encoder_type"] = "brnn"; }),
              HasSubstr("encoder_type: \"brnn\""));
  EXPECT_THAT(rejection_of([](json& s) { s["max_relative_positions"] = -1; }),
              HasSubstr("max_relative_positions: -1"));
  EXPECT_THAT(rejection_of([](json& s) { s["copy_attn"] = true; }), HasSubstr("copy_attn: true"));
  EXPECT_THAT(rejection_of([](json& s) { s["pos_ffn_activation_fn"] = "silu"; }),
              HasSubstr("pos_ffn_activation_fn: silu"));
  EXPECT_THAT(rejection_of([](json& s) { s["heads"] = 3; }), HasSubstr("heads: 3 of width 8"));
  EXPECT_THAT(rejection_of([](json& s) { s["src_word_vec_size"] = 6; }),
              HasSubstr("src_word_vec_size: 6 instead of 8"));
  EXPECT_THAT(rejection_of([](json& s) { s.erase("transformer_ff"); }),
              HasSubstr("'transformer_ff' is missing"));
}

TEST(OpenNmtImport, RejectsOtherAndTruncatedFiles) {
  EXPECT_THAT(message_of([] { import_opennmt({.weights = kOpenNmtGolden + "plain.pt"}); }),
              HasSubstr("the languages are not recorded"));
  EXPECT_THAT(message_of([] { import_opennmt(files_of(golden_torch_file("fairseq_cfg.pt"))); }),
              HasSubstr("not a checkpoint of OpenNMT-py: it has no"));
  const TemporaryFolder folder;
  const std::string bytes = content_of(kOpenNmtGolden + "plain.pt");
  for (const size_t length : {size_t{0}, size_t{100}, bytes.size() / 2, bytes.size() - 1}) {
    write_bytes(folder.file("cut.pt"), bytes.substr(0, length));
    EXPECT_NE(message_of([&] { import_opennmt(files_of(folder.file("cut.pt"))); }), kNothingThrown)
        << length;
  }
}

}  // namespace
}  // namespace phraseq
