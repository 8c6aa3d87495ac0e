"""The programs of phraseq, a translation toolkit in C++, in a Python environment.

`phraseq.prefix` is the folder with bin/, lib/, include/ and the CMake package, the CMAKE_PREFIX_PATH of a plugin.
The commands of the environment (`phraseq`, `phraseq-train`, ...) start the programs in its bin/.
"""
import os
import sys
from importlib.util import find_spec

prefix = os.path.dirname(os.path.abspath(__file__))


def _torch_elsewhere():
    """The folder of LibTorch if it is not next to this package, or else None, as programs look there anyway."""
    if os.path.isdir(os.path.join(os.path.dirname(prefix), "torch", "lib")):
        return None
    torch = find_spec("torch")
    if torch is None:
        sys.exit("phraseq: error: this Python environment has no PyTorch, whose libraries phraseq uses.\n"
                 "  Install it: pip install 'torch==@torch@'")
    return os.path.join(os.path.dirname(torch.origin), "lib")


def main():
    """Replaces this process with the program that has the name of the command."""
    name = os.path.basename(sys.argv[0])
    program = os.path.join(prefix, "bin", name if name.startswith("phraseq") else "phraseq")
    torch = _torch_elsewhere()
    if torch is not None:
        paths = [torch, os.environ.get("LD_LIBRARY_PATH")]
        os.environ["LD_LIBRARY_PATH"] = ":".join(path for path in paths if path)
    os.execv(program, [program, *sys.argv[1:]])
