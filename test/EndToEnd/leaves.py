"""Reads and writes the files of fx-run: `in_<k>.npy` for the k-th leaf of the flattened (args,
kwargs), `out_<k>.npy` for the k-th leaf of the flattened user outputs.

Python int, float and bool leaves are 0-d int64, float64 and bool arrays; None
and str leaves have no file. Types that numpy lacks are raw bytes: bfloat16 V2,
the 8-bit floats V1, complex32 V4.
"""

import pathlib

import numpy as np
import torch
from torch.utils import _pytree as pytree

RAW = {
    torch.bfloat16: ("V2", torch.int16),
    torch.float8_e4m3fn: ("V1", torch.uint8),
    torch.float8_e4m3fnuz: ("V1", torch.uint8),
    torch.float8_e5m2: ("V1", torch.uint8),
    torch.float8_e5m2fnuz: ("V1", torch.uint8),
    torch.float8_e8m0fnu: ("V1", torch.uint8),
    torch.complex32: ("V4", torch.int32),
}


def to_array(leaf) -> np.ndarray | None:
    """Returns the array of a leaf, or None if the leaf has no file."""
    if leaf is None or isinstance(leaf, str):
        return None
    if isinstance(leaf, torch.Tensor):
        leaf = leaf.detach().cpu().resolve_conj().resolve_neg().contiguous()
        if leaf.dtype in RAW:
            kind, integer = RAW[leaf.dtype]
            if leaf.dtype is torch.complex32:
                leaf = torch.view_as_real(leaf).view(torch.int16).contiguous()
                return leaf.numpy().view(kind).reshape(leaf.shape[:-1])
            array = leaf.reshape(-1).view(integer).numpy()
            return array.view(kind).reshape(leaf.shape)
        return leaf.numpy()
    for kind, dtype in ((bool, np.bool_), (int, np.int64), (float, np.float64)):
        if isinstance(leaf, kind):
            return np.array(leaf, dtype=dtype)
    raise TypeError(f"no file for a leaf of {type(leaf)}")


def from_array(array: np.ndarray, like):
    """Converts an array that fx-run wrote to a leaf of the type of `like`."""
    if isinstance(like, torch.Tensor):
        if like.dtype in RAW:
            _, integer = RAW[like.dtype]
            size = array.dtype.itemsize
            assert array.dtype.kind == "V" and size == like.element_size(), array.dtype
            flat = np.frombuffer(array.tobytes(), dtype=f"i{size}" if size > 1 else "u1")
            return torch.from_numpy(flat.copy()).view(like.dtype).reshape(array.shape)
        return torch.from_numpy(np.array(array, order="C", copy=True))
    return array.item()


def save(folder: pathlib.Path, prefix: str, leaves: list) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for k, leaf in enumerate(leaves):
        array = to_array(leaf)
        if array is not None:
            np.save(folder / f"{prefix}_{k}.npy", array)


def save_inputs(folder: pathlib.Path, args: tuple, kwargs: dict) -> None:
    save(folder, "in", pytree.tree_leaves((args, kwargs)))


def save_outputs(folder: pathlib.Path, outputs) -> None:
    save(folder, "out", pytree.tree_leaves(outputs))


def load_outputs(folder: pathlib.Path, expected) -> list:
    """Returns the outputs in `folder`, with the types of the expected leaves."""
    result = []
    for k, like in enumerate(pytree.tree_leaves(expected)):
        path = folder / f"out_{k}.npy"
        if like is None or isinstance(like, str):
            assert not path.exists(), f"{path.name} for a leaf of {type(like)}"
            result.append(like)
        else:
            result.append(from_array(np.load(path), like))
    extra = folder / f"out_{len(result)}.npy"
    assert not extra.exists(), f"{extra.name} is one output too many"
    return result
