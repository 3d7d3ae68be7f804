"""Files of weights: safetensors and GGUF."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from fx_mlir import _fx, _torch
from fx_mlir._gguf import Binding, bindings
from fx_mlir._tensors import TENSOR, to_array, to_capsule, to_torch


class WeightFile(Mapping):
    """The tensors of a file by name: a `.safetensors` file, an index of shards or a folder with
    one of them, or a GGUF file with tensors of F32, F16, BF16, F64, I8 to I64, Q4_0, Q8_0, Q4_K
    and Q6_K. The file is mapped: a tensor is read when its name is looked up, as a tensor of torch
    if torch is loaded, else as a NumPy array. It must not be written to. Quantized blocks become
    float32.

    `metadata` has the numbers, truth values and texts of GGUF, or `__metadata__` of safetensors.
    `formats` has the format of each tensor, "float32" or "Q4_K", and `shapes` its sizes.
    """

    def __init__(self, path: str | os.PathLike) -> None:
        self._path = os.fspath(path)
        self._impl = _fx.WeightFile(self._path)
        self.metadata: dict[str, Any] = json.loads(self._impl.metadata())
        self.formats: dict[str, str] = {}
        self.shapes: dict[str, tuple[int, ...]] = {}
        self._index: dict[str, int] = {}
        for index, (name, format, sizes) in enumerate(self._impl.tensors()):
            self.formats[name] = format
            self.shapes[name] = sizes
            self._index[name] = index

    def __getitem__(self, name: str) -> Any:
        convert = to_array if _torch.loaded() is None else to_torch
        return convert(self._impl.read(self._index[name]), TENSOR)

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)

    def __repr__(self) -> str:
        return f"<fx_mlir.WeightFile {self._path!r}: {len(self)} tensors>"

    def load_into(self, impl: Any, strict: bool, names: Mapping[str, str] | None) -> None:
        """Replaces the weights of a model."""
        found: list[Binding] = [(name, tensor, 0, 0.0) for name, tensor in (names or {}).items()]
        if self._impl.is_gguf() and names is None:
            found = bindings(self._path, self.metadata, self)
        self._impl.load(impl, strict, found)


def load_tensors(impl: Any, tensors: Mapping[str, Any], strict: bool) -> None:
    """Replaces the weights of a model by copies of tensors."""
    detached = {
        name: value.detach() if hasattr(value, "detach") else value
        for name, value in tensors.items()
    }
    capsules = [to_capsule(value, TENSOR, name) for name, value in detached.items()]
    impl.load_tensors(list(detached), capsules, strict, [])
