"""Runs the models that fx-mlir has compiled, without the compiler.

    import fx_mlir_runtime

    fast = fx_mlir_runtime.load("model.so")
    y = fast(numpy.ones((2, 8), "float32"))

The package is Python alone: a compiled model contains its code, its weights and its
runtime. Models whose operators ATen runs need the package fx_mlir.
"""

from ._error import Error
from ._models import CompiledModel, load
from ._tensors import Tensor

__all__ = ["CompiledModel", "Error", "Tensor", "load"]
