"""Calls a compiled model through its C interface, with numpy arrays.

The structures mirror include/fx/Runtime/{dlpack,fallback,model}.h.
"""

import ctypes
from ctypes import (CFUNCTYPE, POINTER, Structure, Union, byref, c_char_p, c_double, c_int, c_int32,
                    c_int64, c_size_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p)

import numpy as np


class DLDevice(Structure):
    _fields_ = [("device_type", c_int), ("device_id", c_int32)]


class DLDataType(Structure):
    _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]


class DLTensor(Structure):
    _fields_ = [("data", c_void_p), ("device", DLDevice), ("ndim", c_int32), ("dtype", DLDataType),
                ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)),
                ("byte_offset", c_uint64)]


class DLManagedTensor(Structure):
    pass


DLManagedTensor._fields_ = [("dl_tensor", DLTensor), ("manager_ctx", c_void_p),
                            ("deleter", CFUNCTYPE(None, POINTER(DLManagedTensor)))]


class FXScalar(Structure):
    class Value(Union):
        _fields_ = [("i", c_int64), ("f", c_double)]

    _fields_ = [("kind", c_int32), ("value", Value)]


FallbackFn = CFUNCTYPE(c_int, c_void_p, c_char_p, c_int, POINTER(POINTER(DLTensor)), c_int,
                       POINTER(FXScalar), c_int, POINTER(POINTER(DLManagedTensor)), c_void_p,
                       c_size_t)
RangeFn = CFUNCTYPE(None, c_void_p, c_int64, c_int64)
ParallelFor = CFUNCTYPE(None, c_void_p, c_int64, c_int64, RangeFn, c_void_p)


class FXCallbacks(Structure):
    _fields_ = [("struct_size", c_uint32), ("context", c_void_p), ("parallel_for", ParallelFor),
                ("alloc", c_void_p), ("free", c_void_p), ("fallback", FallbackFn),
                ("fallback_context", c_void_p)]


class FXRunOptions(Structure):
    _fields_ = [("struct_size", c_uint32), ("threads", c_int32)]


class FXValueInfo(Structure):
    _fields_ = [("name", c_char_p), ("kind", c_int32), ("leaf", c_int32), ("dtype", DLDataType),
                ("rank", c_int32), ("mutated", c_int32), ("sizes", POINTER(c_int64)),
                ("size_exprs", POINTER(c_char_p))]


class FXConditionInfo(Structure):
    _fields_ = [("text", c_char_p), ("code", c_char_p)]


class FXStateInfo(Structure):
    _fields_ = [("name", c_char_p), ("dtype", DLDataType), ("rank", c_int32),
                ("is_mutable", c_int32), ("is_settable", c_int32), ("sizes", POINTER(c_int64))]


class FXModelInfo(Structure):
    _fields_ = [("name", c_char_p), ("producer", c_char_p), ("cpu", c_char_p),
                ("n_inputs", c_int32), ("n_outputs", c_int32), ("inputs", POINTER(FXValueInfo)),
                ("outputs", POINTER(FXValueInfo)), ("n_input_leaves", c_int32),
                ("n_conditions", c_int32), ("conditions", POINTER(FXConditionInfo)),
                ("n_states", c_int32), ("n_fallbacks", c_int32), ("states", POINTER(FXStateInfo)),
                ("fallbacks", POINTER(c_char_p)), ("arena_bytes", c_int64),
                ("weight_bytes", c_uint64), ("report", c_char_p), ("target", c_char_p),
                ("draws_random", c_int32)]


Create = CFUNCTYPE(c_void_p, POINTER(FXCallbacks), c_void_p, c_size_t)
Destroy = CFUNCTYPE(None, c_void_p)
Run = CFUNCTYPE(c_int, c_void_p, POINTER(POINTER(DLTensor)), c_int,
                POINTER(POINTER(DLManagedTensor)), c_int, POINTER(FXRunOptions), c_void_p, c_size_t)
RunInto = CFUNCTYPE(c_int, c_void_p, POINTER(POINTER(DLTensor)), c_int, POINTER(POINTER(DLTensor)),
                    c_int, POINTER(FXRunOptions), c_void_p, c_size_t)
GetState = CFUNCTYPE(c_int, c_void_p, c_int, POINTER(DLTensor))
SetStates = CFUNCTYPE(c_int, c_void_p, c_int, POINTER(c_char_p), POINTER(POINTER(DLTensor)),
                      c_void_p, c_size_t)


ShareStates = CFUNCTYPE(c_int, c_void_p, c_int, POINTER(c_char_p),
                        POINTER(POINTER(DLManagedTensor)), c_void_p, c_size_t)
Seed = CFUNCTYPE(None, c_void_p, c_uint64)


class FXModelApi(Structure):
    _fields_ = [("magic", c_uint32), ("abi_version", c_uint32), ("struct_size", c_uint64), ("info", POINTER(FXModelInfo)),
                ("create", Create), ("destroy", Destroy), ("run", Run), ("get_state", GetState),
                ("reset", Destroy), ("set_states", SetStates), ("seed", Seed),
                ("get_generator", c_void_p), ("set_generator", c_void_p), ("run_into", RunInto),
                ("take_profile", c_void_p), ("n_methods", c_int32), ("methods", c_void_p),
                ("get_method", c_void_p), ("share_states", ShareStates)]


_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
_KINDS = {0: "i", 1: "u", 2: "f", 5: "c"}


def to_dltensor(array):
    """Returns a view of the array. The array must outlive the result."""
    n = array.ndim
    shape = (c_int64 * max(n, 1))(*array.shape)
    strides = (c_int64 * max(n, 1))(*[s // array.itemsize for s in array.strides])
    return DLTensor(array.ctypes.data, DLDevice(1, 0), n,
                    DLDataType(_CODES[array.dtype.kind], array.itemsize * 8, 1), shape, strides, 0)


def to_numpy(tensor):
    """Returns a copy of a contiguous tensor."""
    t = tensor.dtype
    dtype = np.dtype(bool) if t.code == 6 else np.dtype(f"{_KINDS[t.code]}{t.bits // 8}")
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    count = int(np.prod(shape, dtype=np.int64))
    if count == 0:
        return np.zeros(shape, dtype)
    data = ctypes.string_at(tensor.data, count * dtype.itemsize)
    return np.frombuffer(data, dtype).reshape(shape).copy()


class ModelError(Exception):
    pass


class Model:
    """One instance of a compiled model."""

    def __init__(self, path, fallback=None, parallel_for=None):
        self.lib = ctypes.CDLL(str(path))
        self.lib.fx_model_api.restype = POINTER(FXModelApi)
        self.api = self.lib.fx_model_api().contents
        self.info = self.api.info.contents
        self.callbacks = FXCallbacks(ctypes.sizeof(FXCallbacks))
        if fallback:
            self.callbacks.fallback = FallbackFn(fallback)
        if parallel_for:
            self.callbacks.parallel_for = ParallelFor(parallel_for)
        err = ctypes.create_string_buffer(512)
        self.instance = self.api.create(byref(self.callbacks), err, 512)
        if not self.instance:
            raise ModelError(err.value.decode())

    def __call__(self, *arrays, threads=1):
        tensors = [to_dltensor(a) for a in arrays]
        inputs = (POINTER(DLTensor) * max(len(tensors), 1))(*[ctypes.pointer(t) for t in tensors])
        n = self.info.n_outputs
        outputs = (POINTER(DLManagedTensor) * max(n, 1))()
        err = ctypes.create_string_buffer(1024)
        options = FXRunOptions(ctypes.sizeof(FXRunOptions), threads)
        if self.api.run(self.instance, inputs, len(tensors), outputs, n, byref(options), err, 1024):
            raise ModelError(err.value.decode())
        results = []
        for i in range(n):
            if not outputs[i]:
                results.append(None)
                continue
            results.append(to_numpy(outputs[i].contents.dl_tensor))
            outputs[i].contents.deleter(outputs[i])
        return results

    def run_into(self, outputs, *arrays, threads=1):
        """Runs the model and writes to the arrays `outputs`; null for those that are None."""
        tensors = [to_dltensor(a) for a in arrays]
        targets = [None if o is None else to_dltensor(o) for o in outputs]
        inputs = (POINTER(DLTensor) * max(len(tensors), 1))(*[ctypes.pointer(t) for t in tensors])
        pointers = (POINTER(DLTensor) * max(len(targets), 1))(
            *[None if t is None else ctypes.pointer(t) for t in targets])
        err = ctypes.create_string_buffer(1024)
        options = FXRunOptions(ctypes.sizeof(FXRunOptions), threads)
        if self.api.run_into(self.instance, inputs, len(tensors), pointers, len(targets),
                             byref(options), err, 1024):
            raise ModelError(err.value.decode())

    def states(self):
        return [self.info.states[i] for i in range(self.info.n_states)]

    def set_states(self, values):
        """Replaces the states by the arrays of a dict."""
        n = len(values)
        tensors = [to_dltensor(a) for a in values.values()]
        pointers = (POINTER(DLTensor) * max(n, 1))(*[ctypes.pointer(t) for t in tensors])
        names = (c_char_p * max(n, 1))(*[name.encode() for name in values])
        err = ctypes.create_string_buffer(1024)
        if self.api.set_states(self.instance, n, names, pointers, err, 1024):
            raise ModelError(err.value.decode())

    def share_states(self, values, on_delete):
        """Gives the arrays of a dict to the model; `on_delete` gets their names when it deletes
        them. The caller keeps the arrays."""
        n, kept = len(values), []
        for name, array in values.items():
            managed = DLManagedTensor(to_dltensor(array))
            managed.deleter = type(managed.deleter)(lambda _, name=name: on_delete(name))
            kept.append(managed)
        self.shared = getattr(self, "shared", []) + kept
        pointers = (POINTER(DLManagedTensor) * max(n, 1))(*[ctypes.pointer(t) for t in kept])
        names = (c_char_p * max(n, 1))(*[name.encode() for name in values])
        err = ctypes.create_string_buffer(1024)
        if self.api.share_states(self.instance, n, names, pointers, err, 1024):
            raise ModelError(err.value.decode())

    def address(self, name):
        for i in range(self.info.n_states):
            if self.info.states[i].name.decode() == name:
                tensor = DLTensor()
                assert self.api.get_state(self.instance, i, byref(tensor)) == 0
                return tensor.data
        raise KeyError(name)

    def state(self, name):
        for i in range(self.info.n_states):
            if self.info.states[i].name.decode() == name:
                tensor = DLTensor()
                assert self.api.get_state(self.instance, i, byref(tensor)) == 0
                return to_numpy(tensor)
        raise KeyError(name)

    def reset(self):
        self.api.reset(self.instance)

    def close(self):
        self.api.destroy(self.instance)
        self.instance = None
