"""Runs linalg on tensors with upstream's passes alone: one-shot bufferization, loops, LLVM."""

import ctypes
import pathlib
import re

import emulate
import numpy as np
import torch

PASSES = [
    "--one-shot-bufferize=bufferize-function-boundaries allow-return-allocs-from-loops"
    " function-boundary-type-conversion=identity-layout-map",
    "--canonicalize",
    "--convert-linalg-to-loops",
    "--convert-scf-to-cf",
    "--expand-strided-metadata",
    "--lower-affine",
    "--convert-math-to-llvm",
    "--convert-math-to-libm",
    "--finalize-memref-to-llvm",
    "--convert-arith-to-llvm",
    "--convert-index-to-llvm",
    "--convert-func-to-llvm",
    "--convert-cf-to-llvm",
    "--reconcile-unrealized-casts",
]


def memref(rank: int):
    """Returns the ctypes structure of a memref descriptor."""
    fields = [("allocated", ctypes.c_void_p), ("data", ctypes.c_void_p), ("offset", ctypes.c_int64)]
    if rank:
        fields += [("sizes", ctypes.c_int64 * rank), ("strides", ctypes.c_int64 * rank)]
    return type(f"MemRef{rank}", (ctypes.Structure,), {"_fields_": fields})


def _pass(tensor: torch.Tensor):
    descriptor = memref(tensor.dim())(tensor.data_ptr(), tensor.data_ptr(), 0)
    if tensor.dim():
        descriptor.sizes[:] = tensor.shape
        descriptor.strides[:] = tensor.stride()
    return descriptor


def _take(descriptor, rank: int, dtype: torch.dtype) -> torch.Tensor:
    shape = list(descriptor.sizes) if rank else []
    size = torch.empty((), dtype=dtype).element_size()
    count = int(np.prod(shape, dtype=np.int64))
    data = ctypes.string_at(descriptor.data + descriptor.offset * size, max(count, 1) * size)
    flat = torch.frombuffer(bytearray(data), dtype=dtype)[:count]
    strides = list(descriptor.strides) if rank else []
    assert strides == list(flat.reshape(shape).stride()) or count <= 1
    return flat.reshape(shape)


class Library:
    """The functions of a module. They take tensors and ints and return tensors."""

    def __init__(self, text: str, folder: pathlib.Path):
        tools = pathlib.Path(emulate._from_cache("MLIR_DIR")).parents[2]
        text = re.sub(
            r"^(  func\.func @.*) \{$", r"\1 attributes {llvm.emit_c_interface} {", text, flags=re.M
        )
        (folder / "linalg.mlir").write_text(text)
        lowered = emulate.run_program(tools / "bin" / "mlir-opt", folder / "linalg.mlir", *PASSES)
        (folder / "linalg.ll").write_text(emulate._translate(lowered, folder))
        emulate.run_program(
            emulate._from_cache("CMAKE_CXX_COMPILER"), "-O1", "-march=native", "-fPIC", "-w", "-shared",
            folder / "linalg.ll", f"-L{tools / 'lib'}", "-lmlir_c_runner_utils",
            f"-Wl,-rpath,{tools / 'lib'}", "-lm", "-o", folder / "linalg.so",
        )  # fmt: skip
        self.library = ctypes.CDLL(str(folder / "linalg.so"))

    def __call__(self, name: str, args, results: list[tuple[int, torch.dtype]]) -> list[torch.Tensor]:
        """Calls a function. `results` has the rank and dtype of each result."""
        kinds = [memref(rank) for rank, _ in results]
        fields = [(f"r{i}", kind) for i, kind in enumerate(kinds)]
        out = type("Results", (ctypes.Structure,), {"_fields_": fields})()
        passed = [_pass(x) if isinstance(x, torch.Tensor) else x for x in args]
        function = getattr(self.library, f"_mlir_ciface_{name}")
        function.restype = None
        function(
            ctypes.byref(out),
            *(ctypes.byref(x) if isinstance(x, ctypes.Structure) else ctypes.c_int64(x) for x in passed),
        )
        return [_take(getattr(out, f"r{i}"), *result) for i, result in enumerate(results)]
