#include "plugins/architectures/phrasenet/presets.h"

#include "plugins/architectures/phrasenet/options.h"

namespace phraseq::phrasenet {
namespace {

void gate(PhraseNetOptions& o) { o = PhraseNetOptions(); }

void softmax(PhraseNetOptions& o) {
  gate(o);
  o.pn_variant = Variant::kSoftmax;
}

void tiny_gate(PhraseNetOptions& o) {
  gate(o);
  o.embed_dim = 128;
  o.hidden = o.gate_hidden = 192;
  o.init_deviation = 0.1;
}

void tiny_softmax(PhraseNetOptions& o) {
  tiny_gate(o);
  o.pn_variant = Variant::kSoftmax;
}

}  // namespace

std::vector<Preset> phrasenet_presets() {
  return {
      preset("phrasenet_gate", "620/1000, gate between words and slots", gate),
      preset("phrasenet_softmax", "620/1000, one softmax over words and phrases", softmax),
      preset("phrasenet_tiny_gate",
             "128/192, gate between words and slots",
             tiny_gate,
             small_corpus_training()),
      preset("phrasenet_tiny_softmax",
             "128/192, one softmax over words and phrases",
             tiny_softmax,
             small_corpus_training()),
  };
}

}  // namespace phraseq::phrasenet
