#include "tests/end_to_end/toy_corpus.h"

#include <array>
#include <string_view>

namespace phraseq::end_to_end {
namespace {

constexpr std::array<std::string_view, 10> kEnglish = {
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"};
constexpr std::array<std::string_view, 10> kGerman = {
    "null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun"};

/// Knuth's MMIX generator; the upper half of the state.
uint64_t draw(uint64_t& state) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return state >> 33;
}

}  // namespace

ToyText toy_text(int pairs, uint64_t seed) {
  ToyText text;
  for (int pair = 0; pair < pairs; ++pair) {
    const uint64_t words = 1 + draw(seed) % 7;
    for (uint64_t word = 0; word < words; ++word) {
      const uint64_t digit = draw(seed) % kEnglish.size();
      text.english.append(word == 0 ? "" : " ").append(kEnglish[digit]);
      text.german.append(word == 0 ? "" : " ").append(kGerman[digit]);
    }
    text.english += '\n';
    text.german += '\n';
  }
  return text;
}

Arguments toy_preprocess() {
  return words(
      "preprocess --source-lang en --target-lang de --destdir data-bin "
      "--trainpref train --validpref dev --testpref test");
}

Arguments toy_train(const std::string& save_dir, int updates) {
  return words(
             "train data-bin --arch transformer --dropout 0.1 "
             "--encoder-layers 1 --encoder-embed-dim 32 --encoder-ffn-embed-dim 48 "
             "--decoder-layers 1 --decoder-embed-dim 32 --decoder-ffn-embed-dim 48 "
             "--encoder-attention-heads 2 --decoder-attention-heads 2 "
             "--criterion label_smoothed_cross_entropy --label-smoothing 0.1 "
             "--optimizer adam --lr 0.01 --lr-scheduler inverse_sqrt --warmup-updates 20 "
             "--clip-norm 1.0 --max-tokens 400 --seed 7 --log-interval 1") +
         Arguments{"--save-dir", save_dir, "--max-update", std::to_string(updates)};
}

}  // namespace phraseq::end_to_end
