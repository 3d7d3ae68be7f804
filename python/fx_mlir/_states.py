"""The bytes of a graph's states."""

from __future__ import annotations

import os
import tempfile
import zlib

import torch
from torch.utils._python_dispatch import _disable_current_modes


class StateFile:
    """The storage of states: one file, each tensor contiguous at 64 bytes."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="fx-mlir-")
        self.path = os.path.join(self.folder.name, "weights.bin")
        self._known: dict[tuple, tuple[int, int, int]] = {}
        self._keep: list[torch.Tensor] = []

    def add(self, tensor: torch.Tensor) -> tuple[int, int, int]:
        """(offset, size, crc32); tied tensors share their bytes."""
        key = (tensor.data_ptr(), tuple(tensor.shape), tensor.stride(), tensor.dtype)
        if key in self._known and tensor.numel():
            return self._known[key]
        self._keep.append(tensor)  # or another may come to lie there
        # A backend runs under the mode of fake tensors, and these have their bytes.
        with _disable_current_modes():
            plain = tensor.detach().cpu().resolve_conj().resolve_neg().contiguous().reshape(-1)
            data = plain.view(torch.uint8).numpy().data if plain.numel() else memoryview(b"")
        with open(self.path, "ab") as file:
            file.write(b"\0" * (-file.tell() % 64))
            place = (file.tell(), len(data), zlib.crc32(data))
            file.write(data)
        self._known[key] = place
        return place
