"""Exports modules of the fx dialect as live `torch.fx.GraphModule`s."""

from __future__ import annotations

import builtins
import json
import sys
from typing import Any

import torch
from torch import fx

from fx_mlir._error import Error


def graph_module(module: Any, root: torch.nn.Module | None) -> fx.GraphModule:
    """Implements `Module.graph_module`."""
    program = json.loads(module.export("nodes"))
    return _build(program, root if root is not None else torch.nn.Module())


def _build(program: dict, root: torch.nn.Module) -> fx.GraphModule:
    graph = fx.Graph()
    old = {n.name: n for n in root.graph.nodes} if isinstance(root, fx.GraphModule) else {}
    nodes: dict[str, fx.Node] = {}
    children: dict[str, fx.GraphModule] = {}
    for child, inner in program["graphs"].items():
        below = _attribute(root, child)
        children[child] = _build(inner, below if below is not None else torch.nn.Module())
    held = torch.nn.Module()
    for entry in program["nodes"]:
        name, op, target = entry["name"], entry["op"], entry["target"]
        try:
            if op == "placeholder" and _attribute(root, entry.get("state", "")) is not None:
                # The root holds the state of this placeholder.
                op, target = "get_attr", entry["state"]
            args = tuple(_argument(a, nodes) for a in entry["args"])
            kwargs = {k: _argument(a, nodes) for k, a in entry["kwargs"].items()}
            if op == "call_function":
                target = _function(target)
            elif op in ("call_module", "get_attr"):
                value = children.get(target)
                value = value if value is not None else _attribute(root, target)
                if value is None:
                    raise Error(f"expected a root that has '{target}'")
                _attach(held, target, value)
        except Error as e:
            raise Error(e.message, name) from None
        node = graph.create_node(op, target, args, kwargs, name=name)
        node.name = name  # FX appends a number to names such as `input`, a builtin
        before = old.get(name)
        if before is not None and before.op == op == "placeholder":
            node.target = target = before.target  # the argument that Python passes
        if before is not None and (before.op, before.target) == (op, target):
            # A node that still exists keeps its metadata.
            node.meta, node.type = dict(before.meta), before.type
        elif "stack_trace" in entry:
            node.meta["stack_trace"] = entry["stack_trace"]
        nodes[name] = node
    graph.lint()
    return fx.GraphModule(held, graph)


def _attribute(root: torch.nn.Module, path: str) -> Any:
    value: Any = root
    for part in path.split("."):
        value = getattr(value, part, None)
        if value is None:
            return None
    return value


def _attach(held: torch.nn.Module, path: str, value: Any) -> None:
    """Sets the attribute at a path of `held` to `value` and creates the modules on the
    path."""
    *parents, last = path.split(".")
    for part in parents:
        if not isinstance(getattr(held, part, None), torch.nn.Module):
            held.add_module(part, torch.nn.Module())
        held = getattr(held, part)
    if isinstance(value, torch.nn.Module):
        if getattr(held, last, None) is not value:
            held.add_module(last, value)
    elif isinstance(value, torch.nn.Parameter):
        held.register_parameter(last, value)
    elif isinstance(value, torch.Tensor):
        held.register_buffer(last, value)
    else:
        setattr(held, last, value)


def _function(target: str) -> Any:
    """Returns the function of a qualified name. Searches only modules that are already
    loaded: a name in a file must not cause an import."""
    if target.startswith("builtins."):
        builtin = getattr(builtins, target.removeprefix("builtins."), None)
        if builtin in (getattr, pow, abs, max, min, round, sum, len, float, int, bool):
            return builtin
        raise Error(f"expected a function that a graph calls, got '{target}'")
    if target.startswith("torch.ops."):
        return _operator(target.removeprefix("torch.ops."))
    module, _, rest = target.rpartition(".")
    while module and module not in sys.modules:
        module, _, part = module.rpartition(".")
        rest = f"{part}.{rest}"
    found: Any = sys.modules.get(module)
    for part in rest.split("."):
        found = getattr(found, part, None)
    if not callable(found):
        raise Error(f"expected a function of a loaded module, got '{target}'")
    return found


def _operator(target: str) -> Any:
    found: Any = torch.ops
    try:
        for part in target.split("."):
            found = getattr(found, part)
    except (AttributeError, RuntimeError):
        raise Error(f"expected an operator that torch has, got '{target}'") from None
    return found


def _argument(value: Any, nodes: dict[str, fx.Node]) -> Any:
    if isinstance(value, list):
        return [_argument(v, nodes) for v in value]
    if not isinstance(value, dict):
        return value
    ((tag, inner),) = value.items()
    if tag == "node":
        return nodes[inner]
    if tag == "tuple":
        return tuple(_argument(v, nodes) for v in inner)
    if tag == "dict":
        entries = {k: _argument(v, nodes) for k, v in inner.items()}
        if entries.keys() == {"__slice__"}:
            return slice(*entries["__slice__"])
        return ... if entries.keys() == {"__ellipsis__"} else entries
    if tag == "float":
        return float(inner)
    if tag == "complex":
        return complex(inner)
    if tag == "device":
        return torch.device(inner)
    if tag == "operator":
        return _operator(inner)
    found = getattr(torch, inner, None) if tag == "torch" else None
    if found is None:
        raise Error(f"expected an argument that torch has, got '{inner}'")
    return found
