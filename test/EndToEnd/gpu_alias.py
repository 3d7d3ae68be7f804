"""Runs a model of two tensors of 6 x 8 floats, of which it writes the second one, on the emulated
device. A tensor that is passed twice is refused. For test_gpu_branches.py:

    python gpu_alias.py MODEL.so DRIVER.so OUTPUTS.pt
"""

import ctypes as C
import sys

import fx_mlir
import torch
from gpu_package import ASYNC, DataType, Driver, Managed, get_pointer, new_capsule

SHAPE = (C.c_int64 * 2)(6, 8)
BYTES = C.c_size_t(6 * 8 * 4)


def main() -> None:
    path, library, results = sys.argv[1:]
    driver, model, keep, found = Driver(library), fx_mlir.load(path)._flat.impl, [], []
    context, stream = C.c_void_p(), C.c_void_p()
    driver.cuDevicePrimaryCtxRetain(C.byref(context), 0)
    driver.cuCtxPushCurrent_v2(context)
    driver.cuStreamCreate(C.byref(stream), 1)

    def on_host(data):
        here = torch.zeros(6, 8)
        driver.cuMemcpyDtoHAsync_v2(C.c_void_p(here.data_ptr()), C.c_uint64(data), BYTES, stream)
        driver.cuStreamSynchronize(stream)
        return here

    def on_device():
        data = C.c_uint64()
        driver.cuMemAlloc_v2(C.byref(data), BYTES)
        return data.value

    def capsule(data, value):
        driver.cuMemcpyHtoDAsync_v2(C.c_uint64(data), C.c_void_p(value.data_ptr()), BYTES, stream)
        driver.cuStreamSynchronize(stream)
        managed = Managed(data, 2, 0, 2, DataType(2, 32, 1), SHAPE)
        keep.append(managed)
        return new_capsule(C.addressof(managed), b"dltensor", None)

    generator = torch.Generator().manual_seed(1)
    x, y = on_device(), on_device()
    for second in (y, y, y, x, y, x, x):
        a, b = (torch.randn(6, 8, generator=generator) for _ in range(2))
        inputs = [capsule(x, a), capsule(second, b)]
        if second == x:
            try:
                model.run(inputs, 1, stream.value, ASYNC)
            except fx_mlir.Error as error:
                assert "expected memory of its own" in str(error), error
                continue
            raise AssertionError("expected an error")
        outputs = model.run(inputs, 1, stream.value, ASYNC)
        pointers = [get_pointer(output, b"dltensor") for output in outputs]
        found.append([on_host(Managed.from_address(p).data) for p in pointers] + [on_host(second)])
        del outputs
    torch.save(found, results)


if __name__ == "__main__":
    main()
