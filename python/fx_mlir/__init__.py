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

`python -m fx_mlir` describes the installation.
"""

# This loads torch first: libFXTorch, the fallback to ATen, must use the LibTorch of this process.
from fx_mlir._torch import check as _check

_check()

from fx_mlir._aoti import aoti_package
from fx_mlir._compiled import CompiledModel, compile, load
from fx_mlir._error import Error, FallbackWarning
from fx_mlir._fx import schema_version, version
from fx_mlir._module import Module, import_
from fx_mlir._operators import load_plugin, register_operator
from fx_mlir._quantize import quantize
from fx_mlir._report import Report, report

__version__ = version()
__all__ = [
    "CompiledModel",
    "Error",
    "FallbackWarning",
    "Module",
    "Report",
    "aoti_package",
    "compile",
    "import_",
    "load",
    "load_plugin",
    "quantize",
    "register_operator",
    "report",
    "schema_version",
    "version",
]
