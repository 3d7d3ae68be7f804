"""Tests the Python package with tensors and streams of a device, for test_gpu_streams.py. PyTorch
does not know the emulated GPU, so its tensors are mocked, and tensors of the device are created by
hand:

    python gpu_package.py MODEL.so DRIVER.so

The model is that of test/Cuda/streams.c.
"""

import ctypes as C
import sys
from types import SimpleNamespace
from unittest import mock

import fx_mlir
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

ASYNC, HOST_OUTPUTS, NO_GRAPHS = 1, 2, 4


def check_options(path: str) -> None:
    """Checks that the model gets PyTorch's current stream of its device, and what the call waits
    for."""
    asked = []

    def current_stream(device):
        asked.append(device)
        return SimpleNamespace(cuda_stream=0x5000)

    here = torch.ones(4, 8)
    with FakeTensorMode():
        there = torch.ones(4, 8, device="cuda:1")
    with mock.patch("torch.cuda.current_stream", current_stream):
        for graphs, flag in ((True, 0), (False, NO_GRAPHS)):
            model = fx_mlir.load(path, device=1, cuda_graphs=graphs)._flat
            assert model._options([here, here]) == (0, HOST_OUTPUTS | flag)
            assert not asked
            assert model._options([there, there]) == (0x5000, ASYNC | flag)
            assert model._options([here, there]) == (0x5000, ASYNC | flag)
            assert asked == [1, 1]
            # PyTorch could otherwise reuse the pinned memory during the copy.
            with mock.patch("torch.Tensor.is_pinned", lambda self: True):
                assert model._options([here, there]) == (0x5000, flag)
            asked.clear()


class DataType(C.Structure):
    _fields_ = [("code", C.c_uint8), ("bits", C.c_uint8), ("lanes", C.c_uint16)]


class Managed(C.Structure):
    """DLManagedTensor."""

    _fields_ = [("data", C.c_uint64), ("device_type", C.c_int32), ("device_id", C.c_int32),
                ("ndim", C.c_int32), ("dtype", DataType), ("shape", C.POINTER(C.c_int64)),
                ("strides", C.c_void_p), ("byte_offset", C.c_uint64), ("context", C.c_void_p),
                ("deleter", C.c_void_p)]


new_capsule = C.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = C.py_object, [C.c_void_p, C.c_char_p, C.c_void_p]
get_pointer = C.pythonapi.PyCapsule_GetPointer
get_pointer.restype, get_pointer.argtypes = C.c_void_p, [C.py_object, C.c_char_p]


class Driver:
    """The driver's functions, which must all succeed."""

    def __init__(self, path):
        self.library = C.CDLL(path)

    def __getattr__(self, name):
        function = getattr(self.library, name)

        def call(*args):
            code = function(*args)
            assert code == 0, f"{name}: error {code}"

        return call


def check_streams(path: str, driver: Driver) -> None:
    """Passes capsules of the device on a stream. The outputs are complete in the order of that
    stream, and a stream that does not wait for it sees the previous contents."""
    model = fx_mlir.load(path)._flat.impl
    context, stream, other = C.c_void_p(), C.c_void_p(), C.c_void_p()
    driver.cuDevicePrimaryCtxRetain(C.byref(context), 0)
    driver.cuCtxPushCurrent_v2(context)
    driver.cuStreamCreate(C.byref(stream), 1)
    driver.cuStreamCreate(C.byref(other), 1)
    shape, keep = (C.c_int64 * 2)(4, 8), []

    def on_device(value):
        data, here = C.c_uint64(), torch.full((4, 8), value)
        driver.cuMemAlloc_v2(C.byref(data), C.c_size_t(128))
        driver.cuMemcpyHtoDAsync_v2(data, C.c_void_p(here.data_ptr()), C.c_size_t(128), stream)
        managed = Managed(data.value, 2, 0, 2, DataType(2, 32, 1), shape)
        keep.append(managed)
        return new_capsule(C.addressof(managed), b"dltensor", None)

    def on_host(capsule, of):
        managed = Managed.from_address(get_pointer(capsule, b"dltensor"))
        assert (managed.device_type, managed.device_id) == (2, 0)
        here = torch.zeros(4, 8)
        driver.cuMemcpyDtoHAsync_v2(C.c_void_p(here.data_ptr()), C.c_uint64(managed.data),
                                    C.c_size_t(128), of)
        driver.cuStreamSynchronize(of)
        return here

    for k in range(4):
        inputs = [on_device(float(k)), on_device(3.0)]
        output, = model.run(inputs, 1, stream.value, ASYNC)
        want = torch.full((4, 8), 8.0 * k + 10)
        assert not torch.equal(on_host(output, other), want)
        assert torch.equal(on_host(output, stream), want)
        del output
    popped = C.c_void_p()
    driver.cuCtxPopCurrent_v2(C.byref(popped))
    assert popped.value == context.value


def main() -> None:
    check_options(sys.argv[1])
    check_streams(sys.argv[1], Driver(sys.argv[2]))


if __name__ == "__main__":
    main()
