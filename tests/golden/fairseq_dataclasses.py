"""Lets fairseq 0.12.2 be imported by Python 3.11 and newer: import this module first.

Since Python 3.11 the defaults of a dataclass's fields have to be hashable. Those of fairseq and hydra are objects of
other dataclasses, which are hashable only when told so.
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
