#include "core/phrase_memory/table/word_aligner.h"

#include <cmath>
#include <map>
#include <random>

#include <boost/math/special_functions/digamma.hpp>
#include <gtest/gtest.h>

namespace phraseq {
namespace {

using boost::math::digamma;

/// Words with Zipf-like frequencies; some occur several times in a sentence.
NumberedText drawn_text(unsigned seed, size_t sentences, size_t words) {
  std::mt19937 generator(seed);
  NumberedText text;
  for (size_t i = 0; i < sentences; ++i) {
    std::string sentence;
    for (size_t length = generator() % 12; length > 0; --length)
      sentence += std::to_string(generator() % (1 + generator() % words)) + ' ';
    text.add(sentence);
  }
  return text;
}

/// θ by source word (null is the last one) and by target word, sorted by the number of the target
/// word.
using Theta = std::vector<std::map<uint32_t, double>>;

/// The expected links of target word i to null and to each source word.
std::vector<double> expected_links(const Theta& theta,
                                   const std::vector<uint32_t>& source,
                                   const std::vector<uint32_t>& target,
                                   size_t i,
                                   const WordAlignerSettings& settings) {
  const auto n = static_cast<double>(source.size());
  const double height = static_cast<double>(i + 1) / static_cast<double>(target.size());
  std::vector<double> links = {settings.null_share * theta.back().at(target[i])};
  double z = 0;
  for (size_t j = 1; j <= source.size(); ++j) {
    links.push_back(std::exp(-settings.tension * std::abs(height - static_cast<double>(j) / n)));
    z += links[j];
  }
  for (size_t j = 1; j <= source.size(); ++j)
    links[j] *= (1 - settings.null_share) / z * theta[source[j - 1]].at(target[i]);
  double sum = 0;
  for (const double link : links) sum += link;
  for (double& link : links) link /= sum;
  return links;
}

Theta maximized(const Theta& counts, double alpha) {
  Theta theta = counts;
  for (auto& row : theta) {
    double total = 0;
    for (const auto& [word, count] : row) total += count;
    total += alpha * static_cast<double>(row.size());
    for (auto& [word, value] : row) value = std::exp(digamma(value + alpha) - digamma(total));
  }
  return theta;
}

/// The expected counts under θ; without one, a count of 1 for each pair of words that occurs.
Theta counted(const NumberedText& source,
              const NumberedText& target,
              const WordAlignerSettings& settings,
              const Theta* theta) {
  Theta counts(source.words.size() + 1);
  for (size_t s = 0; s < source.sentences.size(); ++s) {
    const auto& words = source.sentences[s];
    for (size_t i = 0; i < target.sentences[s].size(); ++i) {
      std::vector<double> links(words.size() + 1, 1);
      if (theta != nullptr)
        links = expected_links(*theta, words, target.sentences[s], i, settings);
      for (size_t j = 0; j < links.size(); ++j) {
        double& count = counts[j == 0 ? source.words.size() : words[j - 1]][target.sentences[s][i]];
        count = theta == nullptr ? 1 : count + links[j];
      }
    }
  }
  return counts;
}

Theta learned(const NumberedText& source,
              const NumberedText& target,
              const WordAlignerSettings& settings) {
  Theta theta = counted(source, target, settings, nullptr);
  for (int64_t iteration = 0; iteration < settings.iterations; ++iteration)
    theta = maximized(counted(source, target, settings, &theta), settings.concentration);
  return theta;
}

TEST(WordAlignerTranslations, AreThoseOfAPlainImplementation) {
  const NumberedText source = drawn_text(1, 90, 150);
  const NumberedText target = drawn_text(2, 90, 200);
  const WordAlignerSettings settings{.iterations = 3};
  const WordAligner aligner(source, target, settings);
  const Theta expected = learned(source, target, settings);
  for (uint32_t word = 0; word <= source.words.size(); ++word) {
    for (uint32_t translation = 0; translation < target.words.size(); ++translation) {
      const auto known = expected[word].find(translation);
      const double theta = known == expected[word].end() ? 0 : known->second;
      ASSERT_NEAR(aligner.translation(word, translation), theta, 1e-12 * theta)
          << word << ' ' << translation;
    }
  }
}

}  // namespace
}  // namespace phraseq
