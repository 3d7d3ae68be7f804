"""Post-training quantization."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from fx_mlir import _torch
from fx_mlir._error import Error
from fx_mlir._module import Module, import_

if TYPE_CHECKING:
    import pathlib

# The dtypes of .npy files. Other dtypes are written as raw bytes, which fx-run reads.
_DESCRIPTIONS = {
    "bool": "|b1",
    "uint8": "|u1",
    "int8": "|i1",
    "uint16": "<u2",
    "int16": "<i2",
    "uint32": "<u4",
    "int32": "<i4",
    "uint64": "<u8",
    "int64": "<i8",
    "float16": "<f2",
    "float32": "<f4",
    "float64": "<f8",
    "complex64": "<c8",
    "complex128": "<c16",
}


def _write_npy(path: pathlib.Path, tensor: Any) -> None:
    """Writes a tensor as a .npy file. numpy could do this, but is not a dependency."""
    import ctypes
    import struct

    tensor = tensor.detach().cpu().resolve_conj().resolve_neg().contiguous()
    description = _DESCRIPTIONS.get(str(tensor.dtype).removeprefix("torch."), f"|V{tensor.element_size()}")
    header = f"{{'descr': '{description}', 'fortran_order': False, 'shape': {tuple(tensor.shape)}, }}"
    header = header.ljust(-(len(header) + 11) % 64 + len(header)) + "\n"
    data = ctypes.string_at(tensor.data_ptr(), tensor.nbytes) if tensor.nbytes else b""
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def _write_sample(folder: pathlib.Path, sample: Any) -> None:
    """Writes the leaves of the arguments to files that are numbered as for fx-run."""
    import torch
    from torch.utils import _pytree as pytree

    args, kwargs = sample, dict[str, Any]()
    if isinstance(sample, torch.Tensor):
        args = (sample,)
    elif isinstance(sample, tuple) and len(sample) == 2 and isinstance(sample[0], tuple) and isinstance(sample[1], dict):
        args, kwargs = sample
    if not isinstance(args, tuple):
        raise TypeError(f"expected a sample to be a tuple of arguments, got {type(args).__qualname__}")
    folder.mkdir()
    for k, leaf in enumerate(pytree.tree_leaves((args, kwargs))):
        if leaf is None or isinstance(leaf, str):
            continue
        if isinstance(leaf, (bool, int, float)):
            kind = torch.bool if isinstance(leaf, bool) else torch.int64 if isinstance(leaf, int) else torch.float64
            leaf = torch.tensor(leaf, dtype=kind)
        if not isinstance(leaf, torch.Tensor):
            raise TypeError(f"expected tensors and numbers in a sample, got {type(leaf).__qualname__}")
        _write_npy(folder / f"in_{k}.npy", leaf)


def _names(option: str, names: Sequence[str]) -> str:
    """Returns a list of names as the text of a pass option."""
    import re

    if isinstance(names, str):
        raise TypeError(f"expected a list of names as {option}, got a str")
    for name in names:
        if not re.fullmatch(r"[\w.-]+", name):
            raise Error(f"expected a name in {option}, got {name!r:.80}")
    return f"{option}={','.join(names)}" if names else ""


def quantize(
    source: Any,
    samples: Iterable[Any] = (),
    *,
    mode: str = "static",
    observer: str = "histogram",
    symmetric: bool = False,
    per_tensor: bool = False,
    rounding: str = "nearest",
    weight_bits: int = 8,
    group_size: int = 0,
    ops: Sequence[str] = (),
    skip: Sequence[str] = (),
    min_sqnr: float = 0.0,
    min_gain: float = 1.0,
    peak: float = 100.0,
    bandwidth: float = 20.0,
    integer_ratio: float = 4.0,
) -> Module:
    """Quantizes a model after training (docs/Quantization.md has the options).

    `source` is an argument of `import_` and does not change. Each sample is a tuple of
    arguments, a pair of such a tuple and a dict of keyword arguments, or one tensor.
    The result can be compiled, and exported as an archive. Its `report` gives the
    error of each layer on the samples, or the reason why the layer stays in float.
    """
    import json
    import pathlib
    import tempfile

    _torch.require("quantize")
    module = import_(source).clone()
    with tempfile.TemporaryDirectory(prefix="fx-mlir-") as name:
        folder = pathlib.Path(name)
        (folder / "samples").mkdir()
        count = 0
        for sample in samples:
            _write_sample(folder / "samples" / f"{count:08}", sample)
            count += 1
        options = [
            _names("mode", [mode]),
            _names("observer", [observer]),
            _names("rounding", [rounding]),
            f"symmetric={int(bool(symmetric))}",
            f"per-tensor={int(bool(per_tensor))}",
            f"weight-bits={int(weight_bits)}",
            f"group-size={int(group_size)}",
            _names("ops", ops),
            _names("skip", skip),
            f"min-sqnr={float(min_sqnr)}",
            f"min-gain={float(min_gain)}",
            f"peak={float(peak)}",
            f"bandwidth={float(bandwidth)}",
            f"integer-ratio={float(integer_ratio)}",
            f"report={folder / 'report.json'}",
            f"samples={folder / 'samples'}" if count else "",
        ]
        module.run(f"fx-quantize{{{' '.join(filter(None, options))}}}")
        module.report = json.loads((folder / "report.json").read_text())
    return module
