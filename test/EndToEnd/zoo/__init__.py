"""Widely used model definitions, small and with random weights: those of the transformers package
and some written here. There is one file for each kind, which adds its entries with `define` or
`transformer`."""

from . import audio, decoders, encoders, handmade, multimodal, seq2seq, vision
from .entry import entries, get

__all__ = [
    "audio",
    "decoders",
    "encoders",
    "entries",
    "get",
    "handmade",
    "multimodal",
    "seq2seq",
    "vision",
]
