"""Writes the states of a graph to a file."""

from __future__ import annotations

import os
import tempfile
import zlib

import torch
from torch.utils._python_dispatch import _disable_current_modes


class StateFile:
    """A temporary file with the bytes of states. Each tensor is contiguous and aligned
    to 64 bytes."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="fx-mlir-")
        self.path = os.path.join(self.folder.name, "weights.bin")
        self._known: dict[tuple, tuple[int, int, int]] = {}
        self._keep: list[torch.Tensor] = []

    def add(self, tensor: torch.Tensor) -> tuple[int, int, int]:
        """Adds a tensor and returns its (offset, size, crc32). Tied tensors share their
        bytes."""
        key = (tensor.data_ptr(), tuple(tensor.shape), tensor.stride(), tensor.dtype)
        if key in self._known and tensor.numel():
            return self._known[key]
        self._keep.append(tensor)  # so that no other tensor gets the same data_ptr
        # A backend runs under a FakeTensorMode, but these tensors are real.
        with _disable_current_modes():
            plain = tensor.detach().cpu().resolve_conj().resolve_neg().contiguous().reshape(-1)
            data = plain.view(torch.uint8).numpy().data if plain.numel() else memoryview(b"")
        with open(self.path, "ab") as file:
            file.write(b"\0" * (-file.tell() % 64))
            place = (file.tell(), len(data), zlib.crc32(data))
            file.write(data)
        self._known[key] = place
        return place
