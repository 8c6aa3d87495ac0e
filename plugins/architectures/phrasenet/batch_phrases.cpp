#include "plugins/architectures/phrasenet/batch_phrases.h"

#include <numeric>

#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/data/device/to_device.h"
#include "core/data/phrases/phrase_extras.h"

namespace phraseq::phrasenet {

BatchPhrases::BatchPhrases(const Batch& batch, int64_t slots)
    : batch_(batch),
      slots_(slots),
      first_slot_(phrase_numbers(batch, kPhraseSlotOffsets)),
      first_word_(phrase_numbers(batch, kPhraseWordOffsets)),
      words_(phrase_numbers(batch, kPhraseWords)) {
  for (int64_t sentence = 0; sentence < batch.sentences(); ++sentence) {
    if (count_of(sentence) > slots) {
      throw UsageError(fmt::format("phrasenet: a sentence has {} phrases, the model has {} slots",
                                   count_of(sentence),
                                   slots),
                       "Extract the phrases with the --pn-slots used in training.");
    }
  }
}

std::vector<int64_t> BatchPhrases::words(int64_t sentence, int64_t slot) const {
  if (slot >= count_of(sentence))
    return {};
  const int64_t place = first_slot_[sentence] + slot;
  return {words_.begin() + first_word_[place], words_.begin() + first_word_[place + 1]};
}

at::Tensor BatchPhrases::places() const {
  const at::Tensor places = at::full({batch_.sentences(), slots_}, count(), at::kLong);
  auto* const place = places.mutable_data_ptr<int64_t>();
  for (int64_t sentence = 0; sentence < batch_.sentences(); ++sentence)
    std::iota(place + sentence * slots_,
              place + sentence * slots_ + count_of(sentence),
              first_slot_[sentence]);
  return to_device(places, batch_.source.ids.device());
}

at::Tensor BatchPhrases::tags(at::ScalarType type) const {
  if (count() == 0)
    return {};
  const auto& offsets = batch_.source.offsets;
  const int64_t time = batch_.source.max_length();
  const auto& slot_of_token = phrase_numbers(batch_, kPhraseTags);
  const at::Tensor tags = at::zeros({batch_.sentences(), time, slots_}, at::kFloat);
  auto* const data = tags.mutable_data_ptr<float>();
  for (int64_t sentence = 0; sentence < batch_.sentences(); ++sentence) {
    for (int64_t row = offsets[sentence]; row < offsets[sentence + 1]; ++row) {
      if (slot_of_token[row] >= 0)
        data[(sentence * time + row - offsets[sentence]) * slots_ + slot_of_token[row]] = 1;
    }
  }
  return to_device(tags.to(type), batch_.source.ids.device());
}

at::Tensor BatchPhrases::present() const {
  const at::Tensor present = at::zeros({batch_.sentences(), slots_}, at::kBool);
  for (int64_t sentence = 0; sentence < batch_.sentences(); ++sentence)
    present[sentence].narrow(0, 0, count_of(sentence)).fill_(true);  // [slots of the sentence]
  return to_device(present, batch_.source.ids.device());
}

at::Tensor BatchPhrases::before_span_ends() const {
  const auto& slot_at = phrase_numbers(batch_, kPhraseSpanSlot);
  const auto& length_at = phrase_numbers(batch_, kPhraseSpanLength);
  const auto& offsets = batch_.target_in.offsets;
  const at::Tensor before = at::ones({batch_.target_in.tokens(), slots_}, at::kBool);
  for (int64_t sentence = 0; sentence < batch_.sentences(); ++sentence) {
    for (int64_t row = offsets[sentence]; row < offsets[sentence + 1]; ++row) {
      if (slot_at[row] < 0)
        continue;
      const int64_t after = row + length_at[row];
      before
          .select(1, slot_at[row])                          // [target tokens]
          .narrow(0, after, offsets[sentence + 1] - after)  // [tokens after the span]
          .fill_(false);
    }
  }
  return to_device(before, batch_.source.ids.device());
}

}  // namespace phraseq::phrasenet
