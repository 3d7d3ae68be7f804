"""Writes the operator calls behind PyTorch's OpInfo samples as fx graphs.

    opinfo_calls.py [--symbolic] [--samples N] [--dtypes D,...] [--only NAME,...]

Each call becomes a node with the types that torch's own meta functions give,
so `fx-opt --fx-shape-prop` compares our shape rules with torch's.
"""

import argparse
import importlib.util
import logging
import math
import re
import sys
import types
import unittest
import warnings

import sympy
import torch
from torch.fx.experimental.proxy_tensor import make_fx

# OpInfo sits beside torch's own tests, which need this package; we do not.
if importlib.util.find_spec("expecttest") is None:
    stub = types.ModuleType("expecttest")
    stub.TestCase = unittest.TestCase
    stub.assert_expected_inline = None
    sys.modules["expecttest"] = stub

from torch.testing._internal.common_methods_invocations import op_db
from torch.utils import _pytree as pytree

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)

DTYPES = {
    torch.bool: "i1", torch.uint8: "ui8", torch.int8: "i8", torch.int16: "i16",
    torch.int32: "i32", torch.int64: "i64", torch.float16: "f16",
    torch.bfloat16: "bf16", torch.float32: "f32", torch.float64: "f64",
    torch.complex64: "complex<f32>", torch.complex128: "complex<f64>",
}  # fmt: skip
CALLS = {
    "FloorDiv": "floordiv", "CleanDiv": "floordiv", "Mod": "mod", "PythonMod": "mod",
    "Max": "max", "Min": "min", "Pow": "pow", "Piecewise": None,
    "Equality": "eq", "Unequality": "ne", "StrictLessThan": "lt", "LessThan": "le",
    "StrictGreaterThan": "gt", "GreaterThan": "ge",
}  # fmt: skip


class Unsupported(Exception):
    pass


def expr(value):
    """A size as infix text."""
    if isinstance(value, int):
        return str(value)
    node = value.node.expr if isinstance(value, torch.SymInt) else value

    def text(e):
        if e.is_Integer:
            return str(int(e))
        if e.is_Symbol:
            return e.name
        args = list(map(text, e.args))
        if e.is_Add:
            return "(" + " + ".join(args) + ")"
        if e.is_Mul:
            return "*".join(args)
        name = CALLS.get(type(e).__name__)
        if name is None:
            raise Unsupported(type(e).__name__)
        return f"{name}({', '.join(args)})"

    return text(sympy.sympify(node))


def type_of(value):
    if isinstance(value, torch.Tensor):
        if value.dtype not in DTYPES or value.layout != torch.strided:
            raise Unsupported(str(value.dtype))
        sizes = ", ".join(expr(s) for s in value.shape)
        return f"!fx.tensor<[{sizes}], {DTYPES[value.dtype]}>"
    if isinstance(value, torch.SymInt):
        return f"!fx.sym_int<{expr(value)}>"
    if isinstance(value, (torch.SymFloat, float)):
        return "!fx.sym_float"
    if isinstance(value, (torch.SymBool, bool)):
        return "!fx.sym_bool"
    if isinstance(value, int):
        return f"!fx.sym_int<{value}>"
    raise Unsupported(str(type(value)))


def immediate(value):
    if value is None:
        return "None"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if math.isnan(value):
            return "nan"
        if math.isinf(value):
            return "inf" if value > 0 else "neg_inf"
        return f"{value:.17e}"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, torch.dtype) and value in DTYPES:
        return DTYPES[value]
    if isinstance(value, torch.device):
        return '#fx.device<"cpu">'
    if isinstance(value, torch.layout) and value == torch.strided:
        return '#fx.layout<"strided">'
    if isinstance(value, torch.memory_format):
        return f'#fx.memory_format<"{str(value).removeprefix("torch.")}">'
    raise Unsupported(repr(value))


class Writer:
    def __init__(self):
        self.seen = set()
        self.count = {}

    def tree(self, value, operands):
        if isinstance(value, torch.fx.Node):
            operands.append(value)
            return f"%a{len(operands) - 1}"
        if isinstance(value, (list, tuple)):
            return "[" + ", ".join(self.tree(v, operands) for v in value) + "]"
        return immediate(value)

    def call(self, node, limit):
        if not isinstance(node.target, torch._ops.OpOverload):
            return
        target = str(node.target)
        if target.split(".")[0] not in ("aten", "prims") or "val" not in node.meta:
            return
        if target in ("aten.size.default", "aten.stride.default"):
            return  # TorchScript's, known to no dispatcher
        operands = []
        args = [self.tree(a, operands) for a in node.args]
        args += [f"{k} = {self.tree(v, operands)}" for k, v in node.kwargs.items()]
        operand_types = [type_of(o.meta["val"]) for o in operands]
        value = node.meta["val"]
        nested = isinstance(value, (list, tuple))
        results = [type_of(v) for v in value] if nested else [type_of(value)]
        is_list = nested and str(node.target._schema.returns[0].type).startswith("List")
        key = (target, tuple(args), tuple(operand_types))
        if key in self.seen or self.count.get(target, 0) >= limit:
            return
        self.seen.add(key)
        self.count[target] = self.count.get(target, 0) + 1

        symbols = sorted(set(re.findall(r"\bs\d+\b", " ".join(operand_types + results))))
        ranges = ", ".join(f"{s} in [2, 4096]" for s in symbols)
        head = f" symbols [{ranges}]" if symbols else ""
        lines = [f"fx.graph @call_{len(self.seen)}{head} {{"]
        lines += [f'  %a{i} = placeholder "a{i}" : {t}' for i, t in enumerate(operand_types)]
        names = ", ".join(f"%r{i}" for i in range(len(results)))
        outs = " outs [[" + ", ".join(["#fx.operand"] * len(results)) + "]]" if is_list else ""
        result = results[0] if len(results) == 1 else f"({', '.join(results)})"
        lines.append(
            f"  {names}{' = ' if names else ''}call_function @{target}({', '.join(args)}){outs}"
            f" : ({', '.join(operand_types)}) -> {result}"
        )
        lines += ["  output()", "}", ""]
        print("\n".join(lines))


def traces(op, dtype, options):
    """The graphs of the first samples: composite operators whole, then the
    operators they are made of."""
    samples = op.sample_inputs("cpu", dtype, requires_grad=False)
    for _, sample in zip(range(options.samples), samples):
        flat, spec = pytree.tree_flatten((sample.input, sample.args, sample.kwargs))
        tensors = [x for x in flat if isinstance(x, torch.Tensor)]

        def run(*given):
            it = iter(given)
            leaves = [next(it) if isinstance(x, torch.Tensor) else x for x in flat]
            x, args, kwargs = pytree.tree_unflatten(leaves, spec)
            return op.op(x, *args, **kwargs)

        mode = "symbolic" if options.symbolic else "fake"
        for pre_dispatch in (True, False):
            yield make_fx(
                run, tracing_mode=mode, pre_dispatch=pre_dispatch,
                _allow_non_fake_inputs=True,
            )(*tensors)  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--symbolic", action="store_true", help="with symbolic sizes")
    parser.add_argument("--samples", type=int, default=4, help="samples an operator and dtype")
    parser.add_argument("--limit", type=int, default=20, help="calls of one target")
    parser.add_argument("--dtypes", default="float32,int64,bool")
    parser.add_argument("--only", help="names of OpInfo entries")
    options = parser.parse_args()
    dtypes = [getattr(torch, name) for name in options.dtypes.split(",")]
    only = options.only.split(",") if options.only else None

    writer = Writer()
    for op in op_db:
        if only and op.name not in only:
            continue
        for dtype in dtypes:
            if dtype not in op.supported_dtypes("cpu"):
                continue
            try:
                for graph in traces(op, dtype, options):
                    for node in graph.graph.nodes:
                        try:
                            writer.call(node, options.limit)
                        except Unsupported:
                            pass
            except Exception:
                continue  # torch cannot trace it: nothing to compare with
    if not writer.seen:
        sys.exit("error: no calls were found")


if __name__ == "__main__":
    main()
