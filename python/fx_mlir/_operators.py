"""Custom operators of users."""

from __future__ import annotations

import os

from typing import Any

from fx_mlir import _fx
from fx_mlir._error import Error


def register_operator(target: str, *, pure: bool = True, decomposition: str | None = None) -> None:
    """Registers the operator `target` ("mylib.softcap.default") for the whole process.
    `pure` says that it mutates nothing and depends only on its arguments.
    `decomposition` is the text of an `fx.graph` that computes it: its placeholders
    are the arguments, and its types are `!fx.any`.

    An operator without a decomposition runs by its own kernel."""
    _fx.register_operator(target, pure, decomposition)


def load_plugin(path: str | os.PathLike) -> None:
    """Loads a library that registers operators with shape rules and lowerings
    (fx/Operators/Plugin.h)."""
    _fx.load_plugin(os.fspath(path))


def register_pure_operators(gm: Any) -> None:
    """Registers those custom operators of a graph and its sub-graphs as pure whose
    schemas have no aliases and whose tags do not say that they are random."""
    import torch
    from torch import fx

    targets = {
        node.target
        for module in gm.modules()
        if isinstance(module, fx.GraphModule)
        for node in module.graph.nodes
        if isinstance(node.target, torch._ops.OpOverload)
    }
    for target in targets:
        if target.namespace in ("aten", "prim", "prims", "quantized_decomposed"):
            continue
        arguments = [*target._schema.arguments, *target._schema.returns]
        if any(a.alias_info is not None for a in arguments):
            continue
        if torch.Tag.nondeterministic_seeded in target.tags:
            continue
        try:
            _fx.register_operator(str(target), True, None)
        except Error:
            # A built-in operator, or one that is registered as one that writes. What is
            # known of it stays.
            pass
