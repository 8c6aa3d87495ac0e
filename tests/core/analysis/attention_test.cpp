#include "core/analysis/attention.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/analysis/attention_map.h"
#include "core/analysis/attention_page.h"
#include "core/analysis/recorded_plot.h"
#include "core/base/error.h"
#include "tests/core/analysis/example.h"
#include "tests/support/xml.h"

namespace phraseq::analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_support::XmlCheck;

TEST(AttentionWeights, AreFoundByPlaceAndSortedByLayer) {
  RecordedSentence sentence = example_sentence();
  const auto cross = attention_weights(sentence, AttentionPlace::kCross);
  ASSERT_EQ(cross.size(), 2u);
  EXPECT_EQ(cross[0].layer, 1);
  EXPECT_EQ(cross[1].layer, 11);  // after layer 1, though "10" comes before "2" as text
  EXPECT_THAT(attention_weights(sentence, AttentionPlace::kEncoderSelf), IsEmpty());
  EXPECT_FLOAT_EQ(cross[0].at(1, 1, 1, 0, 2), 0.6F);
  EXPECT_FLOAT_EQ(cross[0].at(0, 0, 1, 1, 2), 0.3F);
  EXPECT_TRUE(cross[0].has_row(1, 1));
  EXPECT_FALSE(cross[0].has_row(1, 0));
}

TEST(AttentionWeights, RecordTheirNgrams) {
  RecordedSentence sentence = example_sentence();
  EXPECT_THAT(attention_weights(sentence, AttentionPlace::kCross)[0].key_ngrams, ElementsAre(1, 2));
  sentence.tensors[1].notes["key_ngrams"] = {2, 4};
  EXPECT_THAT(attention_weights(sentence, AttentionPlace::kCross)[0].key_ngrams, ElementsAre(2, 4));
}

TEST(AttentionWeights, OfAnotherShapeAreRejected) {
  RecordedSentence sentence = example_sentence();
  sentence.tensors[1].shape = {2, 2, 2, 6};
  try {
    attention_weights(sentence, AttentionPlace::kCross);
    FAIL() << "nothing was thrown";
  } catch (const FormatError& error) {
    EXPECT_THAT(error.message(),
                HasSubstr("decoder.layers.0.encoder_attn.weights: recorded with "
                          "shape [2, 2, 2, 6], expected [query kinds"));
  }
}

TEST(AttentionMap, PutsWordsBeforeBigramsAndOmitsWhatDoesNotExist) {
  const RecordedSentence sentence = example_sentence();
  const auto layers = attention_weights(sentence, AttentionPlace::kCross);
  const AttentionMap map(sentence, layers);
  const plot::HeatMap picture = map.draw(layers[0], kMeanOfHeads);
  EXPECT_EQ(picture.title, "Cross-attention, layer 1, mean over heads");
  EXPECT_EQ(picture.rows.title, "generated token");
  EXPECT_EQ(picture.columns.title, "source");
  EXPECT_THAT(picture.rows.labels, ElementsAre("das", "</s>", "das </s>"));
  EXPECT_THAT(picture.columns.labels, ElementsAre("the", "cat", "</s>", "the cat", "cat </s>"));
  ASSERT_EQ(picture.rows.groups.size(), 2u);
  EXPECT_EQ(picture.rows.groups[1].name, "bigrams");
  EXPECT_EQ(picture.rows.groups[1].size, 1u);
  EXPECT_EQ(picture.columns.groups[0].size, 3u);
  // Means of both heads, row by row: u0, u1, c1.
  EXPECT_THAT(
      picture.values,
      testing::Pointwise(
          testing::FloatNear(1e-6F),
          std::vector<double>{
              0.55, 0.05, 0.35, 0.05, 0, 0.05, 0.35, 0.05, 0.35, 0.2, 0.1, 0.1, 0.4, 0.2, 0.2}));
  EXPECT_EQ(map.draw(layers[0], 2).title, "Cross-attention, layer 1, head 2");
  EXPECT_NEAR(map.values(layers[0], 2)[0], 0.1, 1e-6);
  EXPECT_EQ(XmlCheck(heat_map(picture).document()).fault(), "");
}

TEST(AttentionMap, CallsRowsByTheDecodersInputWhenAsked) {
  RecordedSentence sentence = example_sentence();
  const auto layers = attention_weights(sentence, AttentionPlace::kCross);
  const auto picture = AttentionMap(sentence, layers, TargetLabels::kInput).draw(layers[0], 1);
  EXPECT_EQ(picture.rows.title, "decoder input");
  EXPECT_THAT(picture.rows.labels, ElementsAre("</s>", "das", "</s> das"));
  const std::string page = attention_page(sentence, {AttentionPlace::kCross}, TargetLabels::kInput);
  EXPECT_THAT(page, HasSubstr(">decoder input</text>"));
  EXPECT_THAT(page, Not(HasSubstr(">generated token</text>")));
  EXPECT_THAT(attention_page(sentence, {AttentionPlace::kCross}),
              HasSubstr(">generated token</text>"));
}

TEST(AttentionMap, CallsRowsOfAnEncoderByTheSource) {
  RecordedSentence sentence = example_sentence();
  sentence.tensors = {
      {"encoder.layers.0.self_attn.weights", {1, 1, 3, 1, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {}}};
  const auto layers = attention_weights(sentence, AttentionPlace::kEncoderSelf);
  const auto picture = AttentionMap(sentence, layers).draw(layers[0], 1);
  EXPECT_EQ(picture.rows.title, "source");
  EXPECT_THAT(picture.rows.labels, ElementsAre("the", "cat", "</s>"));
}

TEST(AttentionMap, ShowsAPartialWindowThatHasWeight) {
  RecordedSentence sentence = example_sentence();
  auto& tensor = sentence.tensors[1];
  tensor.values[3] = 0.25F;  // head 1, u0, bigrams, the first: "the" alone
  const auto layers = attention_weights(sentence, AttentionPlace::kCross);
  EXPECT_THAT(AttentionMap(sentence, layers).draw(layers[0], 1).columns.labels,
              ElementsAre("the", "cat", "</s>", "the", "the cat", "cat </s>"));
}

TEST(AttentionMap, HasNoGroupsWhereThereAreOnlyWords) {
  RecordedSentence sentence = example_sentence();
  sentence.tensors = {
      {"decoder.layers.0.self_attn.weights", {1, 1, 2, 1, 2}, {1, 0, 0.5, 0.5}, {}}};
  const auto layers = attention_weights(sentence, AttentionPlace::kDecoderSelf);
  const auto picture = AttentionMap(sentence, layers).draw(layers[0], 1);
  EXPECT_THAT(picture.rows.groups, IsEmpty());
  EXPECT_THAT(picture.rows.labels, ElementsAre("das", "</s>"));
  EXPECT_EQ(picture.columns.title, "decoder input");
  EXPECT_THAT(picture.columns.labels, ElementsAre("</s>", "das"));
  EXPECT_THAT(picture.values, ElementsAre(1, 0, 0.5, 0.5));
}

TEST(AttentionPage, LoadsNothingAndOffersLayersAndHeads) {
  const RecordedSentence sentence = example_sentence();
  const std::string page =
      attention_page(sentence, {AttentionPlace::kCross, AttentionPlace::kEncoderSelf});
  EXPECT_THAT(page, testing::StartsWith("<!DOCTYPE html>\n"));
  EXPECT_THAT(page, testing::EndsWith("</html>\n"));
  EXPECT_THAT(page, HasSubstr("<select><option>1</option><option selected>11</option></select>"));
  EXPECT_THAT(page,
              HasSubstr("<option selected>mean over heads</option><option>head 1</option><option>"
                        "head 2</option>"));
  EXPECT_THAT(page, HasSubstr("<script type=\"application/json\">[[[0.55,0.05,0.35,0.05,0,"));
  EXPECT_THAT(page, HasSubstr(">the cat</text>"));
  EXPECT_THAT(page, Not(HasSubstr("Encoder self-attention")));
  for (const char* loader : {"http", "src=", "<link", "url("})
    EXPECT_THAT(page, Not(HasSubstr(loader)));
}

TEST(RecordedJson, NestsValuesByShape) {
  const RecordedSentence sentence = example_sentence();
  const std::string line = recorded_json(sentence, {"phrase_weights", "transparent"});
  EXPECT_EQ(line.back(), '\n');
  const auto object = nlohmann::json::parse(line);
  const nlohmann::json expected = {
      {"id", 6},
      {"source", {"the", "cat", "</s>"}},
      {"target", {"</s>", "das"}},
      {"generated", {"das", "</s>"}},
      {"tensors",
       {{"encoder.phrase_generators.0.phrase_weights",
         {{"shape", {3}}, {"values", {0.25, 0.75, 1.0}}}},
        {"decoder.mixture.transparent_attention",
         {{"shape", {2, 1}}, {"notes", {{"levels", {0, 1}}}}, {"values", {{0.5}, {0.125}}}}}}}};
  EXPECT_EQ(object, expected);
  EXPECT_THAT(recorded_json(sentence, {}), HasSubstr("encoder_attn.weights"));
}

TEST(RecordedJson, HasNullWhereANumberIsNotFinite) {
  RecordedSentence sentence;
  sentence.tensors = {{"a.b", {2}, {std::nanf(""), 0.1F}, {}}};
  EXPECT_THAT(recorded_json(sentence, {}), HasSubstr("\"values\":[null,0.1]"));
}

TEST(RecordedMap, ShowsSeveralTensorsAsRows) {
  RecordedSentence sentence = example_sentence();
  auto map = recorded_map(sentence, {"phrase_weights"});
  EXPECT_EQ(map.title, "Sentence 7: encoder.phrase_generators.0.phrase_weights");
  EXPECT_THAT(map.columns.labels, ElementsAre("the", "cat", "</s>"));
  EXPECT_THAT(map.rows.labels, ElementsAre(""));
  EXPECT_THAT(map.values, ElementsAre(0.25, 0.75, 1.0));
  RecordedTensor second = sentence.tensors[2];
  second.name = "encoder.phrase_generators.10.phrase_weights";
  second.values = {0.5F, 0, 2};
  sentence.tensors.push_back(second);
  map = recorded_map(sentence, {"phrase_weights"});
  EXPECT_EQ(map.title, "Sentence 7: encoder.phrase_generators.*.phrase_weights");
  EXPECT_THAT(map.rows.labels, ElementsAre("0", "10"));
  EXPECT_THAT(map.values, ElementsAre(0.25, 0.75, 1.0, 0.5, 0, 2));
  EXPECT_EQ(map.lowest, 0);
  EXPECT_EQ(map.highest, 2);
  sentence.tensors[2].notes["phrase_lengths"] = {2, 1};
  map = recorded_map(sentence, {"phrase_weights"});
  ASSERT_EQ(map.columns.groups.size(), 2u);
  EXPECT_EQ(map.columns.groups[0].size, 2u);
  EXPECT_EQ(XmlCheck(heat_map(map).document()).fault(), "");
}

TEST(RecordedMap, ShowsOneMatrix) {
  const RecordedSentence sentence = example_sentence();
  const auto map = recorded_map(sentence, {"transparent"});
  EXPECT_THAT(map.rows.labels, ElementsAre("1", "2"));
  EXPECT_THAT(map.columns.labels, ElementsAre("1"));
}

TEST(RecordedMap, RejectsWhatOnePictureCannotShow) {
  const RecordedSentence sentence = example_sentence();
  EXPECT_THROW(recorded_map(sentence, {}), UsageError);
  EXPECT_THROW(recorded_map(sentence, {"nothing"}), UsageError);
}

}  // namespace
}  // namespace phraseq::analysis
