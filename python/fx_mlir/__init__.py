"""fx-mlir: PyTorch's FX and Export graphs in MLIR, and native code from them.

    import fx_mlir, torch

    program = torch.export.export(model, (x,))
    module = fx_mlir.import_(program)          # or a `.pt2`, or a GraphModule
    print(module.run("fx-functionalize,fx-decompose,cse"))
    fast = fx_mlir.compile(program)
    y = fast(x)                                # torch tensors, without copies
    small = fx_mlir.compile(fx_mlir.quantize(program, [(x,)]))
    fastest = torch.compile(model, backend="fx_mlir")
    print(fx_mlir.report(fast))                # kernels, operators, times

Without torch, models come from files, and take and return NumPy arrays:

    fast = fx_mlir.compile("model.pt2")
    y = fast(numpy.ones((2, 8), "float32"))
    fast = fx_mlir.load("model.so")

`python -m fx_mlir` describes the installation.
"""

# The import is fast: parts of the package import torch, and modules of Python that take long, when
# they are used.
from fx_mlir import _torch

if _torch.loaded() is not None:
    _torch.check(_torch.loaded().__version__)

from fx_mlir._aoti import aoti_package
from fx_mlir._compiled import compile
from fx_mlir._error import Error, FallbackWarning
from fx_mlir._fx import schema_version, version
from fx_mlir._models import CompiledModel, load
from fx_mlir._module import Module, import_
from fx_mlir._operators import load_plugin, register_operator
from fx_mlir._quantize import quantize
from fx_mlir._report import Report, report
from fx_mlir._tensors import Tensor
from fx_mlir._text import GeneratedText, GenerationPool, TextGenerator
from fx_mlir._weights import WeightFile



def __getattr__(name: str) -> object:
    # transformers and torch, which this needs, take long to import.
    if name == "export_for_generation":
        from fx_mlir._language import export_for_generation

        return export_for_generation
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__version__ = version()
__all__ = [
    "CompiledModel",
    "Error",
    "FallbackWarning",
    "GeneratedText",
    "GenerationPool",
    "Module",
    "Report",
    "Tensor",
    "TextGenerator",
    "WeightFile",
    "aoti_package",
    "compile",
    "export_for_generation",
    "import_",
    "load",
    "load_plugin",
    "quantize",
    "register_operator",
    "report",
    "schema_version",
    "version",
]
