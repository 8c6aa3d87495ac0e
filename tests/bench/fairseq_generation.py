"""A peer of the generation race: fairseq 0.12.2 with its own SequenceGenerator.

Loading is not timed; batches are sorted by length as `fairseq-generate` does. Needs fairseq, whose compiled extensions are
not used, torch and numpy; generation_peer.py has the arguments.
"""

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))
import fairseq_dataclasses  # noqa: E402, F401

import torch
from fairseq.data.data_utils import collate_tokens
from fairseq.data.dictionary import Dictionary
from fairseq.models.transformer import TransformerModel, base_architecture
from fairseq.sequence_generator import SequenceGenerator

import fairseq_data
import generation_peer

SHARED_OR_CONSTANT = ("decoder.embed_tokens.weight", "output_projection.weight", "version", "_float_tensor")


def load_model(arguments, dictionary):
    tensors = generation_peer.read_safetensors(arguments.weights)
    shape = generation_peer.shape_of(arguments, tensors)
    options = argparse.Namespace(
        share_all_embeddings=True, share_decoder_input_output_embed=True, max_source_positions=1024, max_target_positions=1024,
        encoder_embed_dim=shape.width, encoder_ffn_embed_dim=shape.inner, encoder_layers=shape.encoder_layers,
        encoder_attention_heads=shape.heads, decoder_layers=shape.decoder_layers, decoder_attention_heads=shape.heads)
    base_architecture(options)
    task = argparse.Namespace(source_dictionary=dictionary, target_dictionary=dictionary)
    model = TransformerModel.build_model(options, task)
    missing, _ = model.load_state_dict({name: torch.tensor(value) for name, value in tensors.items()}, strict=False)
    unset = [name for name in missing if not name.endswith(SHARED_OR_CONSTANT)]
    if unset:
        raise ValueError(f"{arguments.weights}: no tensor {', '.join(unset)}")
    for layer in model.encoder.layers:
        layer.load_to_BT = False  # a fast path of PyTorch 1.12 that later versions reject
    model.prepare_for_inference_(argparse.Namespace(generation=argparse.Namespace(beam=arguments.beam)))
    return model


def batches_of(sources, tokens):
    """Batches of indices of the sources, sorted by length, of at most `tokens` with padding; 0 = one sentence each."""
    batch = []
    for place in sorted(range(len(sources)), key=lambda place: len(sources[place])):
        if batch and (len(batch) + 1) * len(sources[place]) > tokens:
            yield batch
            batch = []
        batch.append(place)
    yield batch


def main():
    arguments = generation_peer.arguments_of(__doc__)
    torch.set_num_threads(arguments.threads)
    dictionary = Dictionary()
    for symbol in generation_peer.symbols_of(arguments)[fairseq_data.SPECIAL_SYMBOLS:]:
        dictionary.add_symbol(symbol)
    model = load_model(arguments, dictionary)
    lengths = {"max_len_a": 0, "max_len_b": 200}
    if arguments.length:
        lengths = {"max_len_a": 0, "max_len_b": arguments.length, "min_len": arguments.length}
    generator = SequenceGenerator([model], dictionary, beam_size=arguments.beam, **lengths)

    def translate(sources):
        hypotheses = [None] * len(sources)
        for batch in batches_of(sources, arguments.batch_tokens):
            tokens = collate_tokens([torch.tensor(list(sources[place])) for place in batch],
                                    fairseq_data.PAD, left_pad=True)
            sizes = torch.tensor([len(sources[place]) for place in batch])
            found = generator.generate([model], {"net_input": {"src_tokens": tokens, "src_lengths": sizes}})
            for place, ranked in zip(batch, found):
                hypotheses[place] = [dictionary[id] for id in ranked[0]["tokens"][:-1].tolist()]
        return hypotheses

    with torch.inference_mode():
        generation_peer.measure(arguments, translate, generation_peer.sentences_of(arguments))


if __name__ == "__main__":
    main()
