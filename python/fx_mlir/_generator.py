"""Lets compiled models use torch's random generator: its state is copied to the
model before a call and back after the call."""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Iterator
from typing import Any

import torch

# The layout of torch.get_rng_state: the seed, the number of words left plus
# one, a flag, the index of the next word, the words; then three doubles, of which
# the second is the second normal number of a pair, a flag that it is valid, and
# the same number and flag for float.
_HEAD, _WORDS, _TAIL = struct.Struct("<QiiQ"), 624, struct.Struct("<dddi4xfB3x")
_SIZE = _HEAD.size + 8 * _WORDS + _TAIL.size
# The end of FXGenerator of fx/Runtime/fallback.h, after the words: the index of
# the next word, a flag and the second normal number of a pair.
_OWN_TAIL = struct.Struct("<IId")


def _from_torch(state: bytes) -> bytes:
    _, left, _, _ = _HEAD.unpack_from(state)
    words = struct.unpack_from(f"<{_WORDS}Q", state, _HEAD.size)
    _, normal, _, has_normal, _, _ = _TAIL.unpack_from(state, _SIZE - _TAIL.size)
    return struct.pack(f"<{_WORDS}I", *words) + _OWN_TAIL.pack(
        _WORDS + 1 - left, has_normal, normal
    )


def _to_torch(own: bytes, before: bytes) -> bytes:
    seed, _, seeded, _ = _HEAD.unpack_from(before)
    words = struct.unpack_from(f"<{_WORDS}I", own)
    following, has_normal, normal = _OWN_TAIL.unpack_from(own, 4 * _WORDS)
    *_, single, has_single = _TAIL.unpack_from(before, _SIZE - _TAIL.size)
    return (
        _HEAD.pack(seed, _WORDS + 1 - following, seeded, following)
        + struct.pack(f"<{_WORDS}Q", *words)
        + _TAIL.pack(0.0, normal if has_normal else 0.0, 0.0, has_normal, single, has_single)
    )


@contextlib.contextmanager
def shared_generator(model: Any) -> Iterator[None]:
    """Lets the model draw from torch's generator."""
    before = torch.get_rng_state().numpy().tobytes()
    own = _from_torch(before)
    model.set_generator(own)
    try:
        yield
    finally:
        after = model.get_generator()
        if after != own:
            state = bytearray(_to_torch(after, before))
            torch.set_rng_state(torch.frombuffer(state, dtype=torch.uint8))
