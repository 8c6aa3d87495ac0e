"""Import this module first to import fairseq 0.12.2 with Python 3.11 and newer.

Since Python 3.11, the defaults of a dataclass's fields must be hashable. Those of fairseq and hydra are objects of
other dataclasses, which are hashable only if that is requested.
"""
import dataclasses

plain_dataclass = dataclasses.dataclass


def dataclass(cls=None, **options):
    if cls is None:
        return lambda later: dataclass(later, **options)
    if not options.get("frozen") and "__hash__" not in vars(cls):
        options.setdefault("unsafe_hash", True)
    return plain_dataclass(cls, **options)


dataclasses.dataclass = dataclass
