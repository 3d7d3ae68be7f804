"""Passes values to compiled models and takes their results, as DLPack capsules.

Inputs are tensors of torch, NumPy arrays, other objects with `__dlpack__`, and Python
numbers. Nothing is copied. This module imports neither torch nor NumPy: values of theirs
only exist in processes that have imported them. The package fx_mlir_runtime has this
file, too: imports are relative.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

from . import _fx, _torch
from ._error import Error

# FXValueKind of fx/Runtime/model.h.
TENSOR, INT, FLOAT, BOOL, NONE = range(5)

#: The dtypes of DLPack, as pairs of a code and the bits of an element.
_DTYPES: dict[str, tuple[int, int]] = {
    "bool": (6, 8),
    "bfloat16": (4, 16),
    "float8_e4m3fn": (10, 8),
    "float8_e4m3fnuz": (11, 8),
    "float8_e5m2": (12, 8),
    "float8_e5m2fnuz": (13, 8),
    "float8_e8m0fnu": (14, 8),
    "complex32": (5, 32),
    "complex64": (5, 64),
    "complex128": (5, 128),
}
for _bits in (8, 16, 32, 64):
    _DTYPES |= {f"int{_bits}": (0, _bits), f"uint{_bits}": (1, _bits)}
    if _bits > 8:
        _DTYPES[f"float{_bits}"] = (2, _bits)
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}

#: The kinds of NumPy's dtypes.
_KINDS = {"bool": "b", "int": "i", "uint": "u", "float": "f", "complex": "c"}

#: The numbers of compiled models: 0-d tensors of these types.
_NUMBERS: dict[int, tuple[Any, str]] = {
    INT: (ctypes.c_int64, "int64"),
    FLOAT: (ctypes.c_double, "float64"),
    BOOL: (ctypes.c_bool, "bool"),
}

_CPU = 1  # kDLCPU

#: Makes a capsule for another library. The views of the extension are capsules.
_share = getattr(_fx, "share_tensor", _fx.view_tensor)


def _numpy_type(dtype: str, bits: int) -> str | None:
    """Returns NumPy's name of a dtype, such as "<f4", or None if NumPy does not have it."""
    kind = _KINDS.get(dtype.rstrip("0123456789"))
    if kind is None or dtype == "complex32":
        return None
    return f"{'|' if bits == 8 else '<'}{kind}{bits // 8}"


class _Memory:
    """The memory of a tensor for NumPy, whose arrays keep this object and thereby its owner."""

    def __init__(self, owner: Any, address: int, type: str, shape: tuple, strides: tuple) -> None:
        self._owner = owner
        self.__array_interface__ = {
            "version": 3,
            "data": (address, False),
            "typestr": type,
            "shape": shape,
            "strides": strides,
        }


class Tensor:
    """An output whose dtype NumPy does not have, such as bfloat16, or any output where NumPy
    is not installed. `numpy` converts it, and libraries take it by `from_dlpack`."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule
        address, code, bits, shape, strides, device = _fx.describe_tensor(capsule)
        self._address: int = address
        self._type: tuple[int, int] = (code, bits)
        self._device: tuple[int, int] = device
        self._strides: tuple[int, ...] = strides
        self.shape: tuple[int, ...] = shape

    @property
    def dtype(self) -> str:
        """The name of the dtype, as in torch."""
        return _NAMES[self._type]

    def __repr__(self) -> str:
        return f"<fx_mlir.Tensor {self.dtype} {list(self.shape)}>"

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device

    def __dlpack__(
        self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: Any = None
    ) -> Any:
        if copy or (dl_device is not None and tuple(dl_device) != self._device):
            raise BufferError("expected a request for the same memory, got one for a copy")
        return _share(
            self, self._address, *self._type, self.shape, self._strides, self._device
        )

    def numpy(self) -> Any:
        """Returns a NumPy array on the same memory. The dtypes that NumPy lacks are those of
        the package ml_dtypes."""
        import numpy

        if self._device[0] != _CPU:
            raise Error(f"expected a tensor on the CPU, got one on device type {self._device[0]}")
        type = _numpy_type(self.dtype, self._type[1])
        size = self._type[1] // 8
        strides = tuple(s * size for s in self._strides)
        if type is not None:
            return numpy.asarray(_Memory(self, self._address, type, self.shape, strides))
        special = _special_dtype(self.dtype)
        raw = f"{'|' if size == 1 else '<'}u{size}"
        return numpy.asarray(_Memory(self, self._address, raw, self.shape, strides)).view(special)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        array = self.numpy()
        if dtype is not None and array.dtype != dtype:
            if copy is False:
                raise ValueError(f"expected the dtype {array.dtype} without a copy, got {dtype}")
            return array.astype(dtype)
        return array.copy() if copy else array


def _special_dtype(name: str) -> Any:
    try:
        import ml_dtypes  # type: ignore[import-not-found]
    except ModuleNotFoundError:
        raise Error(
            f"NumPy has no dtype {name}: `pip install ml_dtypes`, or pass the tensor to from_dlpack"
        ) from None
    special = getattr(ml_dtypes, name, None)
    if special is None:
        raise Error(f"expected a dtype of NumPy or ml_dtypes, got {name}")
    return special


# Inputs.


def to_capsule(
    value: Any, kind: int, name: str, mutated: bool = False, on_gpu: bool = False
) -> Any:
    """Returns a DLPack capsule of a tensor, or of a number as a 0-d tensor."""
    torch = _torch.loaded()
    if torch is not None and isinstance(value, torch.Tensor):
        return _from_torch(torch, value, name, mutated, on_gpu)
    if kind in _NUMBERS and isinstance(value, (int, float)):
        return _from_number(value, kind, name)
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic):
        if kind in _NUMBERS:
            return to_capsule(value.item(), kind, name)
        value = numpy.asarray(value)
    if numpy is not None and isinstance(value, numpy.ndarray):
        return _from_numpy(value, name, mutated)
    if hasattr(value, "__dlpack__"):
        return _from_dlpack(value, name)
    want = "a number" if kind in _NUMBERS else "a tensor"
    raise Error(f"{name}: expected {want}, got {type(value).__qualname__}")


def _from_torch(torch: Any, value: Any, name: str, mutated: bool, on_gpu: bool) -> Any:
    if value.device.type != "cpu" and not (on_gpu and value.device.type == "cuda"):
        where = "the CPU or a CUDA device" if on_gpu else "the CPU"
        raise Error(f"{name}: expected a tensor on {where}, got one on {value.device}")
    if value.layout != torch.strided:
        raise Error(f"{name}: expected a strided tensor, got {value.layout}")
    if value.is_nested or value.is_quantized:
        kind_of = "nested" if value.is_nested else "quantized"
        raise Error(f"{name}: expected a plain tensor, got a {kind_of} one")
    value = value.detach()
    if value.is_conj() or value.is_neg():
        # PyTorch conjugates and negates lazily; a view with these bits cannot be mutated.
        if mutated:
            raise Error(f"{name}: expected a tensor to write to, got a lazy conjugate or negative")
        value = value.resolve_conj().resolve_neg()
    try:
        return torch.utils.dlpack.to_dlpack(value)
    except (BufferError, RuntimeError) as e:  # DLPack does not support the dtype or storage
        raise Error(f"{name}: {e}") from e


def _from_number(value: int | float, kind: int, name: str) -> Any:
    if kind == INT and isinstance(value, float):
        raise Error(f"{name}: expected an int, got {value}")
    if kind == INT and not -(2**63) <= value < 2**63:
        raise Error(f"{name}: expected an integer of 64 bits, got {value}")
    c_type, dtype = _NUMBERS[kind]
    try:
        cell = c_type(value)
    except OverflowError as e:
        raise Error(f"{name}: {e}") from e
    return _fx.view_tensor(cell, ctypes.addressof(cell), *_DTYPES[dtype], (), (), (_CPU, 0))


def _from_numpy(array: Any, name: str, mutated: bool) -> Any:
    try:
        return array.__dlpack__()
    except (BufferError, RuntimeError, TypeError):
        pass  # NumPy does not export read-only arrays, nor dtypes of ml_dtypes
    if mutated and not array.flags.writeable:
        raise Error(f"{name}: expected an array to write to, got a read-only one")
    dtype = _DTYPES.get(array.dtype.name)
    if dtype is None:
        raise Error(f"{name}: expected a dtype of DLPack, got {array.dtype}")
    if not array.dtype.isnative:
        raise Error(f"{name}: expected the byte order of this machine, got {array.dtype}")
    size = array.itemsize
    if any(stride % size for stride in array.strides):
        raise Error(f"{name}: expected strides in elements of {size} bytes, got {array.strides}")
    strides = tuple(stride // size for stride in array.strides)
    return _fx.view_tensor(array, array.ctypes.data, *dtype, array.shape, strides, (_CPU, 0))


def _from_dlpack(value: Any, name: str) -> Any:
    try:
        device = value.__dlpack_device__()
        if int(device[0]) != _CPU:
            raise Error(f"{name}: expected a tensor on the CPU, got one on device type {device[0]}")
        return value.__dlpack__()
    except (AttributeError, BufferError, RuntimeError, TypeError, ValueError) as e:
        if isinstance(e, Error):
            raise
        raise Error(f"{name}: {e}") from e


# Outputs.


def _number(capsule: Any, kind: int) -> Any:
    address, *_ = _fx.describe_tensor(capsule)
    return _NUMBERS[kind][0].from_address(address).value


def to_torch(capsule: Any, kind: int) -> Any:
    """Returns an output as a tensor of torch, or as a number."""
    if capsule is None:
        return None
    tensor = _torch.loaded().utils.dlpack.from_dlpack(capsule)
    return tensor if kind == TENSOR else tensor.item()


def to_array(capsule: Any, kind: int) -> Any:
    """Returns an output as a NumPy array, as a `Tensor` if that is not possible, or as a
    number."""
    if capsule is None:
        return None
    if kind in _NUMBERS:
        return _number(capsule, kind)
    tensor = Tensor(capsule)
    type = _numpy_type(tensor.dtype, tensor._type[1])
    if type is None or tensor._device[0] != _CPU:
        return tensor
    try:
        return tensor.numpy()
    except ModuleNotFoundError:
        return tensor


def is_torch(values: Any) -> bool:
    """Returns true if results for these inputs are tensors of torch: if one of them is, or if
    no tensor says what to return, and the process has torch."""
    torch = _torch.loaded()
    if torch is None:
        return False
    if any(isinstance(value, torch.Tensor) for value in values):
        return True
    return not any(hasattr(value, "__dlpack__") for value in values)
