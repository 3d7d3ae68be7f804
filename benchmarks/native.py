"""Runs a compiled model in this process, with ctypes bindings of the C interface of
include/fx/Runtime/model.h. torch tensors are passed through DLPack."""

import ctypes as C
import pathlib

import torch

#: FXRunFlag: do not wait for the GPU; outputs on the host; launch kernels one by one.
ASYNC, HOST_OUTPUTS, NO_GRAPHS = 1, 2, 4
#: The FX_MODEL_ABI_VERSION that the structures below belong to.
ABI_VERSION = 4


class DLDataType(C.Structure):
    _fields_ = [("code", C.c_uint8), ("bits", C.c_uint8), ("lanes", C.c_uint16)]


class DLTensor(C.Structure):
    _fields_ = [
        ("data", C.c_void_p),
        ("device_type", C.c_int32),
        ("device_id", C.c_int32),
        ("ndim", C.c_int32),
        ("dtype", DLDataType),
        ("shape", C.POINTER(C.c_int64)),
        ("strides", C.POINTER(C.c_int64)),
        ("byte_offset", C.c_uint64),
    ]


class ModelInfo(C.Structure):
    _fields_ = [
        ("name", C.c_char_p),
        ("producer", C.c_char_p),
        ("cpu", C.c_char_p),
        ("n_inputs", C.c_int32),
        ("n_outputs", C.c_int32),
        ("inputs", C.c_void_p),
        ("outputs", C.c_void_p),
        ("n_input_leaves", C.c_int32),
        ("n_conditions", C.c_int32),
        ("conditions", C.c_void_p),
        ("n_states", C.c_int32),
        ("n_fallbacks", C.c_int32),
        ("states", C.c_void_p),
        ("fallbacks", C.c_void_p),
        ("arena_bytes", C.c_int64),
        ("weight_bytes", C.c_uint64),
        ("report", C.c_char_p),
    ]


class RunOptions(C.Structure):
    _fields_ = [
        ("struct_size", C.c_uint32),
        ("threads", C.c_int32),
        ("stream", C.c_void_p),
        ("flags", C.c_uint32),
    ]


_create = C.CFUNCTYPE(C.c_void_p, C.c_void_p, C.c_char_p, C.c_size_t)
_destroy = C.CFUNCTYPE(None, C.c_void_p)
_run = C.CFUNCTYPE(
    C.c_int,
    C.c_void_p,
    C.POINTER(C.POINTER(DLTensor)),
    C.c_int,
    C.POINTER(C.c_void_p),
    C.c_int,
    C.POINTER(RunOptions),
    C.c_char_p,
    C.c_size_t,
)


class ModelApi(C.Structure):
    _fields_ = [
        ("magic", C.c_uint32),
        ("abi_version", C.c_uint32),
        ("struct_size", C.c_uint64),
        ("info", C.POINTER(ModelInfo)),
        ("create", _create),
        ("destroy", _destroy),
        ("run", _run),
        ("get_state", C.c_void_p),
        ("reset", C.c_void_p),
        ("set_states", C.c_void_p),
    ]


CODES = {
    torch.float16: (2, 16),
    torch.float32: (2, 32),
    torch.float64: (2, 64),
    torch.bfloat16: (4, 16),
    torch.int8: (0, 8),
    torch.int16: (0, 16),
    torch.int32: (0, 32),
    torch.int64: (0, 64),
    torch.uint8: (1, 8),
    torch.bool: (6, 8),
    torch.float8_e4m3fn: (10, 8),
}
_capsule = C.pythonapi.PyCapsule_New
_capsule.restype = C.py_object
_capsule.argtypes = [C.c_void_p, C.c_char_p, C.c_void_p]


class Model:
    """A compiled model without fallbacks. It is called with its flat tensors. Those of a
    model for a GPU are on device 0 or on the host; the outputs are on the device if an
    input is. Without `cuda_graphs` kernels are launched one by one."""

    def __init__(self, path: pathlib.Path, threads: int = 1):
        library = C.CDLL(str(pathlib.Path(path).resolve()))
        library.fx_model_api.restype = C.POINTER(ModelApi)
        self.api = library.fx_model_api().contents
        if self.api.magic != 0x314D5846 or self.api.abi_version != ABI_VERSION:
            raise RuntimeError(
                f"{path}: expected a model of version {ABI_VERSION},"
                f" got magic {self.api.magic:#x}, version {self.api.abi_version}"
            )
        self.info = self.api.info.contents
        if self.info.n_fallbacks:
            raise RuntimeError(f"{path}: {self.info.n_fallbacks} operators fall back")
        self.cuda_graphs = True
        self.options = RunOptions(C.sizeof(RunOptions), threads)
        self.error = C.create_string_buffer(1024)
        self.instance = self.api.create(None, self.error, len(self.error))
        if not self.instance:
            raise RuntimeError(self.error.value.decode())

    def __call__(self, *tensors: torch.Tensor) -> list[torch.Tensor]:
        count = len(tensors)
        inputs = (DLTensor * count)()
        pointers = (C.POINTER(DLTensor) * count)()
        keep = []
        for k, tensor in enumerate(tensors):
            rank = tensor.dim()
            shape = (C.c_int64 * rank)(*tensor.shape)
            strides = (C.c_int64 * rank)(*tensor.stride())
            keep += [shape, strides]
            kind = 2 if tensor.is_cuda else 1
            inputs[k] = DLTensor(
                tensor.data_ptr(), kind, 0, rank, DLDataType(*CODES[tensor.dtype], 1)
            )
            inputs[k].shape, inputs[k].strides = shape, strides
            pointers[k] = C.pointer(inputs[k])
        outputs = (C.c_void_p * self.info.n_outputs)()
        self.options.flags = HOST_OUTPUTS
        if any(tensor.is_cuda for tensor in tensors):
            self.options.flags = ASYNC
            self.options.stream = torch.cuda.current_stream().cuda_stream
        if not self.cuda_graphs:
            self.options.flags |= NO_GRAPHS
        if self.api.run(
            self.instance,
            pointers,
            count,
            outputs,
            len(outputs),
            C.byref(self.options),
            self.error,
            len(self.error),
        ):
            raise RuntimeError(self.error.value.decode())
        return [torch.from_dlpack(_capsule(out, b"dltensor", None)) for out in outputs]

    def __del__(self):
        if getattr(self, "instance", None):
            self.api.destroy(self.instance)
