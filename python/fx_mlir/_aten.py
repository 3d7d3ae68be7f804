"""Calls operators without native code by Python's torch, of any release.

libFXTorch does the same by LibTorch, whose C++ interface is that of one release only. This
module takes its place if torch is of another one. fx/Runtime/fallback.h describes the calls.
"""

from __future__ import annotations

import builtins
import dataclasses
import functools
import itertools
import json
import math
import operator
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils import dlpack

from fx_mlir import _fx, _generator, _tensors, _torch

#: Where the functions on numbers are. Other modules are not searched.
_MODULES: dict[str, Any] = {"_operator": operator, "math": math, "torch": torch}
_BUILTINS = ("abs", "bool", "float", "int", "max", "min", "pow", "round")

#: The numbers that operators return, and their dtypes as results.
_NUMBERS = {"int": torch.int64, "float": torch.float64, "bool": torch.bool}


#: The results of collectives that have been started, by number.
_works: dict[int, torch.Tensor] = {}
_work_numbers = itertools.count(1)


class _Unsupported(RuntimeError):
    """A call that only libFXTorch can make."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"{what} needs torch {_torch.RELEASE}, got {torch.__version__}; "
            f"`pip install 'torch=={_torch.RELEASE}.*'` installs it"
        )


def _operator(target: str) -> Callable:
    """Returns the operator or the function on numbers of a name."""
    name = target.replace("torch.fx.experimental.sym_node.", "torch.")
    module, _, function = name.rpartition(".")
    found: Any = None
    if module in ("", "builtins") and function in _BUILTINS:
        return getattr(builtins, function)
    if module in _MODULES:
        found = getattr(_MODULES[module], function, None)
    elif name in ("print", "auto_functionalized", "auto_functionalized_v2"):
        found = getattr(torch.ops.higher_order, name, None)
    elif module:
        found = torch.ops
        try:
            for part in name.split("."):
                found = getattr(found, part)
        except (AttributeError, RuntimeError):
            found = None
    if not callable(found):
        raise RuntimeError(f"torch {torch.__version__} does not have this operator")
    return found


def _is_mutable(function: Callable) -> bool:
    return isinstance(function, torch._ops.OpOverload) and function._schema.is_mutable


@functools.cache
def _load_libraries() -> None:
    """Loads the users' libraries of operators, as libFXTorch does."""
    for path in filter(None, os.environ.get("FX_OPERATOR_LIBRARIES", "").split(":")):
        torch.ops.load_library(path)


def _argument(tree: Any, tensors: list, scalars: list) -> Any:
    """Returns the value of an argument."""
    if tree is None or isinstance(tree, (bool, int)):
        return tree
    if isinstance(tree, list):
        return [_argument(item, tensors, scalars) for item in tree]
    [kind, value] = next(iter(tree.items()))
    if kind == "tensor":
        return tensors[value]
    if kind == "scalar":
        return scalars[value]
    if kind == "work":
        return _works.pop(scalars[value])
    if kind == "float":
        return float(value)
    if kind == "str":
        return value
    if kind in ("dtype", "memory_format", "layout"):
        return getattr(torch, value)
    if kind == "device":
        return torch.device(value, tree["index"]) if "index" in tree else torch.device(value)
    if kind == "complex":
        return complex(*map(float, value))
    if kind == "operator":
        return _operator(value)
    if kind == "dict":
        return {key: _argument(item, tensors, scalars) for key, item in value}
    if kind == "object":
        raise _Unsupported(f"an object of the class {tree.get('class')}")
    raise RuntimeError(f"malformed call: an argument is of the unknown kind '{kind}'")


@dataclasses.dataclass
class _Call:
    """A parsed call."""

    where: str  # the node and the operator, for messages
    function: Callable
    arguments: list
    names: list[str]
    outs: list[dict]
    writes: bool
    has_token: bool
    is_collective: bool


def _is_collective(target: str) -> bool:
    space, name = target.split(".")[:2] if "." in target else ("", target)
    return space == "_dtensor" or (
        space == "_c10d_functional" and not name.startswith(("wait_tensor", "_wrap_tensor")))


def _check_writes(function: Callable) -> bool:
    """Returns whether the operator writes to its arguments. The compiler knows that of
    PyTorch's operators only if another release of torch registers the others."""
    writes = _is_mutable(function)
    if writes and function.namespace not in ("aten", "prim", "prims"):  # type: ignore[attr-defined]
        raise _Unsupported("a registered operator that writes to its arguments")
    return writes


@functools.cache
def _parse(text: str) -> _Call:
    call = json.loads(text)
    target, arguments = call["target"], call["args"]
    # with_effects(token, op, *args, **kwargs) is a call of op.
    has_token = target in ("with_effects", "higher_order.with_effects")
    if has_token:
        target, arguments = arguments[1]["operator"], arguments[2:]
    where = f"{call['node']}: {target}" if call.get("node") else target
    try:
        if target.endswith("call_torchbind"):
            raise _Unsupported("a method of an object")
        function = _operator(target)
        return _Call(where, function, arguments, call.get("kwnames", []), call.get("outs", []),
                     _check_writes(function), has_token, _is_collective(target))
    except Exception as e:
        raise RuntimeError(f"{where}: {_reason(e)}") from None


def _reason(e: BaseException) -> str:
    """Returns what an error says, in one line."""
    return (str(e).strip().splitlines() or [type(e).__qualname__])[0]


def _borrow(capsule: Any) -> torch.Tensor:
    """Returns a tensor in the memory of the caller."""
    address, code, bits, shape, strides, device = _fx.describe_tensor(capsule)
    dtype = getattr(torch, _tensors._NAMES[code, bits])
    if bits != 8 or dtype in (torch.bool, torch.uint8, torch.int8):
        return dlpack.from_dlpack(capsule)
    # Not every release takes types of 8 bits.
    view = _fx.view_tensor(capsule, address, *_tensors._DTYPES["uint8"], shape, strides, device)
    return dlpack.from_dlpack(view).view(dtype)


def _give(tensor: torch.Tensor) -> tuple[Any, int, int]:
    """Returns a capsule of a result, and its dtype in DLPack: the capsule may have the dtype
    of other elements of the same size."""
    code, bits = _tensors._DTYPES[str(tensor.dtype).removeprefix("torch.")]
    if bits == 8:
        tensor = tensor.view(torch.uint8)
    return dlpack.to_dlpack(tensor), code, bits


def _flatten(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _flatten(item)
    else:
        yield value


def _finish(value: Any, out: dict, inputs: list) -> torch.Tensor:
    """Converts a result to the dtype that the graph expects, in contiguous memory of its own."""
    if "scalar" in out:
        number = value.item() if isinstance(value, torch.Tensor) else value
        return torch.tensor(number, dtype=_NUMBERS[out["scalar"]])
    if not isinstance(value, torch.Tensor):
        raise RuntimeError(f"expected a Tensor result, got {type(value).__qualname__}")
    dtype, rank = getattr(torch, out["tensor"]), out.get("rank", -1)
    # The dtype in the graph comes from a meta kernel, which may give double for float.
    same = (value.is_floating_point(), value.is_complex()) == (
        dtype.is_floating_point, dtype.is_complex)
    if not same or (rank >= 0 and value.dim() != rank):
        raise RuntimeError(
            f"expected a result of {dtype} and rank {rank}, "
            f"got {value.dtype} and rank {value.dim()}"
        )
    value = value.detach().to(dtype).resolve_conj().resolve_neg().contiguous()
    storage = value.untyped_storage().data_ptr()
    if any(storage == t.untyped_storage().data_ptr() for t in inputs):
        return value.clone()
    return value


def _results(call: _Call, returned: Any, inputs: list) -> Iterator[torch.Tensor | None]:
    results = _flatten(returned)
    for k, out in enumerate(call.outs):
        if "none" in out:
            # An operator without results has a None result in the graph.
            next(results, None)
            yield None
            continue
        # A None result that the graph does not use has no entry in `outs`.
        value = next((v for v in results if v is not None), None)
        if value is None:
            raise RuntimeError(f"expected {len(call.outs)} results, got {k}")
        if "work" in out:
            number = next(_work_numbers)
            _works[number] = value
            yield torch.tensor(number)
            continue
        if call.is_collective:
            value = torch.ops._c10d_functional.wait_tensor(value)
        yield _finish(value, out, inputs)


def call(text: str, capsules: list, scalars: list) -> list[tuple[Any, int, int] | None]:
    """Runs one operator on tensors in the memory of the caller, which it does not write.
    Returns the results."""
    _load_libraries()
    call = _parse(text)
    try:
        with torch.inference_mode():
            tensors = [_borrow(capsule) for capsule in capsules]
            # Copies, if the operator may write to its arguments.
            given = [t.clone() for t in tensors] if call.writes else tensors
            if call.is_collective:
                # It reads the tensors after it has returned.
                given = [t.clone(memory_format=torch.contiguous_format) for t in tensors]
            values = [_argument(tree, given, scalars) for tree in call.arguments]
            split = len(values) - len(call.names)
            returned = call.function(*values[:split], **dict(zip(call.names, values[split:])))
            if call.has_token:
                returned = [torch.empty(0), returned]
            return [None if t is None else _give(t) for t in _results(call, returned, tensors)]
    except Exception as e:
        raise RuntimeError(f"{call.where}: {_reason(e)}") from None


#: Held from the begin of an exchange to its end: all threads share torch's generator.
_exchange = threading.Lock()


def exchange(state: bytes, begin: bool) -> bytes:
    """Exchanges the state of a model's random generator for that of torch's."""
    if begin:
        _exchange.acquire()
    try:
        before = torch.get_rng_state().numpy().tobytes()
        after = bytearray(_generator._to_torch(state, before))
        torch.set_rng_state(torch.frombuffer(after, dtype=torch.uint8))
        return _generator._from_torch(before)
    finally:
        if not begin:
            _exchange.release()
