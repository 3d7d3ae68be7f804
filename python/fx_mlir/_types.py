"""Converts the values that FX records for nodes to types of the fx dialect."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

from fx_mlir import _fx
from fx_mlir._error import Error

DTYPES = {
    torch.bool: "i1",
    torch.uint8: "ui8",
    torch.int8: "i8",
    torch.int16: "i16",
    torch.int32: "i32",
    torch.int64: "i64",
    torch.uint16: "ui16",
    torch.uint32: "ui32",
    torch.uint64: "ui64",
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.float32: "f32",
    torch.float64: "f64",
    torch.complex32: "complex<f16>",
    torch.complex64: "complex<f32>",
    torch.complex128: "complex<f64>",
    torch.float8_e4m3fn: "f8E4M3FN",
    torch.float8_e5m2: "f8E5M2",
    torch.float8_e4m3fnuz: "f8E4M3FNUZ",
    torch.float8_e5m2fnuz: "f8E5M2FNUZ",
    torch.float8_e8m0fnu: "f8E8M0FNU",
}


class Types:
    """Writes the types of one module as MLIR text. Adds the symbolic expressions of
    their sizes to the module."""

    def __init__(self, b: _fx.Builder) -> None:
        self.b = b
        self.expressions: dict[Any, str] = {}

    def declare(self, values: Iterable[Any]) -> None:
        """Declares the symbols in the sizes of the values, with their ranges."""
        done = set()
        for value in values:
            for number in _symbolic_numbers(value):
                for symbol in sorted(number.node.expr.free_symbols, key=str):
                    if symbol in done:
                        continue
                    done.add(symbol)
                    bounds = number.node.shape_env.var_to_range.get(symbol)
                    low, high = (bounds.lower, bounds.upper) if bounds else (None, None)
                    self.b.symbol(str(symbol), _bound(low), _bound(high))

    def expression(self, value: Any) -> str:
        if not isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
            return str(int(value))
        expr = value.node.expr
        if expr not in self.expressions:
            import sympy

            self.expressions[expr] = self.b.expression(sympy.srepr(expr))
        return self.expressions[expr]

    def tensor(self, value: torch.Tensor) -> str:
        sizes = [self.expression(s) for s in value.shape]
        if value.dtype not in DTYPES:
            raise Error(f"expected a dtype that fx-mlir has, got {value.dtype}")
        text = f"!fx.tensor<[{', '.join(sizes)}], {DTYPES[value.dtype]}"
        if value.device.type != "cpu":
            text += f', "{value.device}"'
        meta = []
        if value.layout == torch.strided:
            strides = [self.expression(s) for s in value.stride()]
            if not _is_contiguous(value):
                meta.append(f"strides = [{', '.join(strides)}]")
        else:
            meta.append(f'layout = "{str(value.layout).removeprefix("torch.")}"')
        if value.requires_grad:
            meta.append("requires_grad")
        return text + (f", #fx.meta<{', '.join(meta)}>>" if meta else ">")

    def of(self, value: Any) -> str:
        if isinstance(value, torch.Tensor):
            return self.tensor(value)
        if isinstance(value, bool):
            return "!fx.sym_bool"
        if isinstance(value, int):
            return "!fx.sym_int"
        if isinstance(value, float):
            return "!fx.sym_float"
        if isinstance(value, torch.SymInt):
            return f"!fx.sym_int<{self.expression(value)}>"
        if isinstance(value, torch.SymFloat):
            return "!fx.sym_float"
        if isinstance(value, torch.SymBool):
            return "!fx.sym_bool"
        if isinstance(value, str):
            return "!fx.string"
        return "!fx.any"


def _symbolic_numbers(value: Any) -> list:
    if isinstance(value, torch.Tensor):
        return [s for s in value.shape if isinstance(s, torch.SymInt)]
    return [value] if isinstance(value, torch.SymInt) else []


def _bound(value: Any) -> int | None:
    """Returns the bound of a range as an int, or None if it is infinite."""
    try:
        number = int(value)
    except (TypeError, OverflowError, ValueError, AttributeError):
        return None
    return number if -(2**62) < number < 2**62 else None


def _is_contiguous(value: torch.Tensor) -> bool:
    """Returns true if the strides, compared as text, are those of a contiguous tensor."""
    expected: Any = 1
    for size, stride in reversed(list(zip(value.shape, value.stride()))):
        if str(stride) != str(expected):
            return False
        expected = expected * (max(size, 1) if isinstance(size, int) else size)
    return True
