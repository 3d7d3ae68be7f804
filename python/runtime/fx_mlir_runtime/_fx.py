"""Compiled models through their C interface (fx/Runtime/model.h), by ctypes.

Takes the place of the extension of fx_mlir for the files that both packages have.
"""

from __future__ import annotations

import ctypes as C
import os
import struct
from collections.abc import Sequence
from typing import Any

from ._error import Error

_MAGIC, _ABI_VERSION = 0x314D5846, 4
_NAME = b"dltensor"

# The structures of fx/Runtime/model.h and dlpack.h.


class _Type(C.Structure):
    _fields_ = [("code", C.c_uint8), ("bits", C.c_uint8), ("lanes", C.c_uint16)]


class _Tensor(C.Structure):
    _fields_ = [
        ("data", C.c_void_p),
        ("device_type", C.c_int32),
        ("device_id", C.c_int32),
        ("ndim", C.c_int32),
        ("dtype", _Type),
        ("shape", C.POINTER(C.c_int64)),
        ("strides", C.POINTER(C.c_int64)),
        ("byte_offset", C.c_uint64),
    ]


class _ManagedTensor(C.Structure):
    pass


_Deleter = C.CFUNCTYPE(None, C.POINTER(_ManagedTensor))
_ManagedTensor._fields_ = [("tensor", _Tensor), ("context", C.c_void_p), ("deleter", _Deleter)]


class _ValueInfo(C.Structure):
    _fields_ = [
        ("name", C.c_char_p),
        ("kind", C.c_int32),
        ("leaf", C.c_int32),
        ("dtype", _Type),
        ("rank", C.c_int32),
        ("mutated", C.c_int32),
        ("sizes", C.POINTER(C.c_int64)),
        ("size_exprs", C.POINTER(C.c_char_p)),
    ]


class _ConditionInfo(C.Structure):
    _fields_ = [("text", C.c_char_p), ("code", C.c_char_p)]


class _StateInfo(C.Structure):
    _fields_ = [
        ("name", C.c_char_p),
        ("dtype", _Type),
        ("rank", C.c_int32),
        ("is_mutable", C.c_int32),
        ("is_settable", C.c_int32),
        ("sizes", C.POINTER(C.c_int64)),
    ]


class _ModelInfo(C.Structure):
    _fields_ = [
        ("name", C.c_char_p),
        ("producer", C.c_char_p),
        ("cpu", C.c_char_p),
        ("n_inputs", C.c_int32),
        ("n_outputs", C.c_int32),
        ("inputs", C.POINTER(_ValueInfo)),
        ("outputs", C.POINTER(_ValueInfo)),
        ("n_input_leaves", C.c_int32),
        ("n_conditions", C.c_int32),
        ("conditions", C.POINTER(_ConditionInfo)),
        ("n_states", C.c_int32),
        ("n_fallbacks", C.c_int32),
        ("states", C.POINTER(_StateInfo)),
        ("fallbacks", C.POINTER(C.c_char_p)),
        ("arena_bytes", C.c_int64),
        ("weight_bytes", C.c_uint64),
        ("report", C.c_char_p),
        ("target", C.c_char_p),
        ("draws_random", C.c_int32),
    ]


class _Method(C.Structure):
    _fields_ = [("name", C.c_char_p), ("info", C.POINTER(_ModelInfo))]


class _Callbacks(C.Structure):
    _fields_ = [
        ("struct_size", C.c_uint32),
        ("context", C.c_void_p),
        ("parallel_for", C.c_void_p),
        ("alloc", C.c_void_p),
        ("free", C.c_void_p),
        ("fallback", C.c_void_p),
        ("fallback_context", C.c_void_p),
        ("device", C.c_int32),
        ("fallback_on_device", C.c_int32),
        ("exchange_generator", C.c_void_p),
    ]


class _RunOptions(C.Structure):
    _fields_ = [
        ("struct_size", C.c_uint32),
        ("threads", C.c_int32),
        ("stream", C.c_void_p),
        ("flags", C.c_uint32),
    ]


class _Generator(C.Structure):
    _fields_ = [
        ("state", C.c_uint32 * 624),
        ("next", C.c_uint32),
        ("has_normal", C.c_uint32),
        ("normal", C.c_double),
    ]


_Inputs = C.POINTER(C.c_void_p)
_Error = (C.c_char_p, C.c_size_t)


class _Api(C.Structure):
    _fields_ = [
        ("magic", C.c_uint32),
        ("abi_version", C.c_uint32),
        ("struct_size", C.c_uint64),
        ("info", C.POINTER(_ModelInfo)),
        ("create", C.CFUNCTYPE(C.c_void_p, C.POINTER(_Callbacks), *_Error)),
        ("destroy", C.CFUNCTYPE(None, C.c_void_p)),
        ("run", C.CFUNCTYPE(C.c_int, C.c_void_p, _Inputs, C.c_int, _Inputs, C.c_int,
                            C.POINTER(_RunOptions), *_Error)),
        ("get_state", C.CFUNCTYPE(C.c_int, C.c_void_p, C.c_int, C.POINTER(_Tensor))),
        ("reset", C.CFUNCTYPE(None, C.c_void_p)),
        ("set_states", C.c_void_p),
        ("seed", C.CFUNCTYPE(None, C.c_void_p, C.c_uint64)),
        ("get_generator", C.CFUNCTYPE(None, C.c_void_p, C.POINTER(_Generator))),
        ("set_generator", C.CFUNCTYPE(None, C.c_void_p, C.POINTER(_Generator))),
        ("run_into", C.CFUNCTYPE(C.c_int, C.c_void_p, _Inputs, C.c_int, _Inputs, C.c_int,
                                 C.POINTER(_RunOptions), *_Error)),
        ("take_profile", C.c_void_p),
        ("n_methods", C.c_int32),
        ("methods", C.POINTER(_Method)),
        ("get_method", C.CFUNCTYPE(C.c_void_p, C.c_void_p, C.c_int)),
    ]


# Tensors. A capsule has no destructor here: Python code must not run in one, because an
# exception may be pending. So tensors of this module are handles, which become capsules
# when another library takes them.

_new = C.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = C.py_object, [C.c_void_p, C.c_char_p, C.c_void_p]
_get = C.PYFUNCTYPE(C.c_void_p, C.py_object, C.c_char_p)(("PyCapsule_GetPointer", C.pythonapi))


class _Handle:
    """Owns a DLManagedTensor."""

    def __init__(self, address: int) -> None:
        self.address = address

    def __del__(self) -> None:
        if self.address:
            managed = C.cast(self.address, C.POINTER(_ManagedTensor))
            managed.contents.deleter(managed)

    def __dlpack_device__(self) -> tuple[int, int]:
        tensor = C.cast(self.address, C.POINTER(_Tensor)).contents
        return tensor.device_type, tensor.device_id

    def __dlpack__(self, **options: Any) -> Any:
        """Returns a capsule, which the caller must pass on."""
        if not self.address:
            raise BufferError("expected a tensor that no library has taken")
        capsule = _new(self.address, _NAME, None)
        self.address = 0
        return capsule


def _address(tensor: Any) -> int:
    return tensor.address if isinstance(tensor, _Handle) else _get(tensor, _NAME)


#: The views that exist, by their addresses, with what they keep.
_views: dict[int, tuple] = {}


@_Deleter
def _delete_view(managed: Any) -> None:
    _views.pop(C.addressof(managed.contents), None)


def view_tensor(
    owner: Any,
    address: int,
    code: int,
    bits: int,
    shape: Sequence[int],
    strides: Sequence[int],
    device: tuple[int, int],
) -> Any:
    """Returns a tensor in the memory of `owner`. Strides count elements."""
    rank = len(shape)
    sizes, steps = (C.c_int64 * rank)(*shape), (C.c_int64 * rank)(*strides)
    managed = _ManagedTensor(
        _Tensor(address, *device, rank, _Type(code, bits, 1), sizes, steps, 0), None, _delete_view
    )
    _views[C.addressof(managed)] = (managed, sizes, steps, owner)
    return _Handle(C.addressof(managed))


def share_tensor(*arguments: Any) -> Any:
    """As view_tensor, but returns a capsule for another library."""
    return view_tensor(*arguments).__dlpack__()


def describe_tensor(capsule: Any) -> tuple:
    """Returns the address, dtype, sizes, strides in elements, and device of a tensor."""
    tensor = C.cast(_address(capsule), C.POINTER(_Tensor)).contents
    shape = tuple(tensor.shape[: tensor.ndim])
    strides, step = [0] * tensor.ndim, 1
    for d in reversed(range(tensor.ndim)):
        strides[d] = tensor.strides[d] if tensor.strides else step
        step *= shape[d]
    address = (tensor.data or 0) + tensor.byte_offset
    device = (tensor.device_type, tensor.device_id)
    return address, tensor.dtype.code, tensor.dtype.bits, shape, tuple(strides), device


# Models.


def _check_whole(path: str) -> None:
    """Raises Error if the file is no ELF file, or shorter than its headers say: accesses beyond
    the end of a mapped file would end the process with a signal."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            header = file.read(64)
            if header[:5] != b"\x7fELF\2" or len(header) < 64:
                raise Error(f"{path}: expected a compiled model, got no 64-bit ELF shared object")
            (offset,) = struct.unpack_from("<Q", header, 32)
            entry, count = struct.unpack_from("<HH", header, 54)
            file.seek(offset if offset < size else size)
            segments = file.read(entry * count)
    except OSError as e:
        raise Error(f"{path}: cannot open: {e.strerror}") from None
    end = offset + entry * count
    if entry == 56 and len(segments) == entry * count:
        for k in range(count):
            begin, _, _, length = struct.unpack_from("<QQQQ", segments, k * entry + 8)
            end = max(end, begin + length)
    if end > size:
        raise Error(f"{path}: cannot be loaded: expected at least {end} bytes, got {size}")


def _text(value: bytes | None) -> str:
    return (value or b"").decode(errors="backslashreplace")


class Model:
    """A loaded model with one instance of its state. The library stays loaded: outputs may
    outlive the model, and its code frees them."""

    def __init__(self, path: str, device: int) -> None:
        self._instance: int | None = None
        # The model that a method belongs to.
        self._whole: Model | None = None
        _check_whole(path)
        try:
            library = C.CDLL(os.path.abspath(path), mode=os.RTLD_NOW | os.RTLD_LOCAL)
        except OSError as e:
            raise Error(f"{path}: cannot be loaded: {str(e).splitlines()[0]}") from None
        try:
            get = library.fx_model_api
        except AttributeError:
            raise Error(f"{path}: expected a compiled model, got another shared object") from None
        get.restype = C.POINTER(_Api)
        known = get()
        if not known or known.contents.magic != _MAGIC:
            raise Error(f"{path}: expected a compiled model, got something else")
        if known.contents.abi_version != _ABI_VERSION:
            raise Error(
                f"{path}: expected version {_ABI_VERSION} of the model interface, "
                f"got {known.contents.abi_version}"
            )
        self._api = _Api()
        C.memmove(C.byref(self._api), known, min(C.sizeof(_Api), known.contents.struct_size))
        self._info = self._api.info.contents
        if self._info.n_fallbacks:
            raise Error(
                f"{path}: expected a model without operators on ATen, got "
                f"{self._info.n_fallbacks}; the package fx_mlir runs it"
            )
        self._callbacks = _Callbacks(struct_size=C.sizeof(_Callbacks), device=device)
        error = C.create_string_buffer(512)
        self._instance = self._api.create(C.byref(self._callbacks), error, len(error))
        if not self._instance:
            raise Error(f"{path}: {_text(error.value)}")

    @staticmethod
    def load(path: str, device: int, calls_python: bool) -> Model:
        return Model(path, device)

    def methods(self) -> list[str]:
        """Returns the names of the methods."""
        if not self._api.get_method:  # a model of an older fx-mlir
            return ["forward"]
        return [_text(m.name) for m in self._api.methods[: self._api.n_methods]]

    def method(self, index: int) -> Model:
        """Returns the model as one of its methods. It shares the states of the model."""
        method = Model.__new__(Model)
        method._whole, method._api = self, self._api
        method._info = self._api.methods[index].info.contents
        method._instance = self._api.get_method(self._instance, index)
        return method

    def __del__(self) -> None:
        if self._instance and self._whole is None:
            self._api.destroy(self._instance)

    def run(self, inputs: Sequence[Any], threads: int, stream: int, flags: int) -> list:
        outputs = (C.c_void_p * self._info.n_outputs)()
        self._call(self._api.run, inputs, outputs, threads, stream, flags)
        return [_Handle(address) if address else None for address in outputs]

    def run_into(self, inputs: Sequence[Any], outputs: Sequence[Any], threads: int) -> None:
        if not self._api.run_into:
            raise Error("expected a model of a newer fx-mlir, which can write to given outputs")
        targets = (C.c_void_p * len(outputs))()
        for k, output in enumerate(outputs):
            # The tensor is the first member of a managed tensor.
            targets[k] = None if output is None else _address(output)
        self._call(self._api.run_into, inputs, targets, threads, 0, 0)

    def _call(self, fn: Any, inputs: Sequence[Any], outputs: Any, *options: int) -> None:
        given = (C.c_void_p * len(inputs))(*(_address(tensor) for tensor in inputs))
        settings = _RunOptions(C.sizeof(_RunOptions), *options)
        error = C.create_string_buffer(1024)
        if fn(self._instance, given, len(given), outputs, len(outputs), C.byref(settings), error,
              len(error)):
            raise Error(_text(error.value))

    def reset(self) -> None:
        self._api.reset(self._instance)

    def seed(self, seed: int) -> None:
        self._api.seed(self._instance, seed)

    def get_generator(self) -> bytes:
        generator = _Generator()
        self._api.get_generator(self._instance, C.byref(generator))
        return bytes(generator)

    def set_generator(self, state: bytes) -> None:
        self._api.set_generator(self._instance, C.byref(_Generator.from_buffer_copy(state)))

    def report(self) -> str:
        return _text(self._info.report)

    def info(self) -> dict:
        info = self._info
        return {
            "name": _text(info.name),
            "producer": _text(info.producer),
            "cpu": _text(info.cpu),
            "target": None if info.target is None else _text(info.target),
            "n_input_leaves": info.n_input_leaves,
            "arena_bytes": info.arena_bytes,
            "weight_bytes": info.weight_bytes,
            "n_fallbacks": info.n_fallbacks,
            "draws_random": bool(info.draws_random),
            "inputs": [_describe(v) for v in info.inputs[: info.n_inputs]],
            "outputs": [_describe(v) for v in info.outputs[: info.n_outputs]],
            "states": [_text(s.name) for s in info.states[: info.n_states]],
            "conditions": [_text(c.text) for c in info.conditions[: info.n_conditions]],
        }


def _describe(value: _ValueInfo) -> dict:
    return {
        "name": _text(value.name),
        "kind": value.kind,
        "leaf": value.leaf,
        "mutated": bool(value.mutated),
        "sizes": [_text(text) for text in value.size_exprs[: value.rank]],
    }
