"""Races phraseq against PyTorch's eager Transformer (training), and CTranslate2, fairseq and Marian (generation).

All contestants of a race run one after another, in turns, on the same data and machine; a row's
figure is the median of its rounds. The figures are printed as tables, and written as JSON with --json.
"""

import argparse
import json
import os
import pathlib
import tempfile

import generation_race
import racing
import training_race


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--phraseq", required=True, help="the program to race")
    parser.add_argument("--data", help="a folder with data-bin/ (its sentence lengths are used), model.safetensors\n"
                                       "and options.json (a trained model of preset tiny to translate with)")
    for peer in ("ctranslate2", "fairseq", "marian"):
        parser.add_argument(f"--{peer}-python", help=f"a Python that has {peer}, for generation")
    parser.add_argument("--presets", nargs="*", default=list(training_race.PRESETS), choices=training_race.PRESETS,
                        help="presets of the training race; none = no training race")
    parser.add_argument("--no-generation", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--clock", default="wall", choices=["wall", "cpu"],
                        help="clock of the generation race; cpu = user time, for a busy machine, with --threads 1")
    parser.add_argument("--beams", nargs="*", type=int, default=[5, 1], help="beams of generation; 1 = greedy search")
    parser.add_argument("--training-precision", nargs="+", default=["fp32", "bf16"], choices=["fp32", "bf16"],
                        help="precisions of the training race; PyTorch takes minutes per update in bf16 on a "
                             "processor without instructions for it")
    parser.add_argument("--arithmetic", nargs="*", default=["fp32", "int8"], choices=["fp32", "bf16", "int8"],
                        help="arithmetic of phraseq in the generation race")
    parser.add_argument("--sentences", type=int, help="use at most this many sentences of the test set")
    parser.add_argument("--earlier-phraseq", help="another build of phraseq that also races, with fp32")
    parser.add_argument("--no-base", action="store_true", help="no generation with the untrained preset base")
    parser.add_argument("--json", help="write all figures to this file")
    return parser.parse_args()


def main():
    options = parse_arguments()
    results = {"machine": racing.machine(), "threads": options.threads, "rounds": options.rounds, "training": {}}
    print(f"{results['machine']}; {options.threads} threads, {options.rounds} rounds")
    with tempfile.TemporaryDirectory() as folder:
        for preset in options.presets:
            results["training"][preset] = training_race.run(preset, options, folder)
        if options.data and not options.no_generation:
            results["generation"] = generation_race.run_trained(options, folder)
        if not options.no_generation and not options.no_base:
            results["generation, base"] = generation_race.run_base(options, folder)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
