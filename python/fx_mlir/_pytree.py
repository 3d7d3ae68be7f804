"""The structures of arguments and results, for processes without torch.

This module has the part of `torch.utils._pytree` that compiled models use, for the
containers of Python's standard library. `implementation` returns the module to use.
The package fx_mlir_runtime has this file, too: imports are relative.
"""

from __future__ import annotations

import sys
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from . import _torch

#: The names of types in `fx.in_spec` and `fx.out_spec`.
_TYPES: dict[str, type] = {
    "builtins.tuple": tuple,
    "builtins.list": list,
    "builtins.dict": dict,
    "collections.OrderedDict": OrderedDict,
    "collections.deque": deque,
}
_MAPPINGS = (dict, OrderedDict)


class TreeSpec:
    """The structure of a value: a container with its context (the keys of a dict, the
    largest length of a deque) and the structures of its elements. The type of a leaf is
    None."""

    def __init__(self, type: type | None, context: Any, children: Sequence[TreeSpec]) -> None:
        self.type = type
        self.context = context
        self._children = list(children)
        self.num_leaves: int = sum(c.num_leaves for c in children) if type else 1

    def is_leaf(self) -> bool:
        return self.type is None

    def children(self) -> list[TreeSpec]:
        return self._children

    def child(self, index: int) -> TreeSpec:
        return self._children[index]

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TreeSpec)
            and self.type is other.type
            and self.context == other.context
            and self._children == other._children
        )

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        if self.type is None:
            return "*"
        inner = ", ".join(map(str, self._children))
        return f"TreeSpec({self.type.__name__}, {self.context}, [{inner}])"

    def flatten_up_to(self, tree: Any) -> list:
        """Returns the elements of `tree` at the leaves of this structure, which is one level
        deep. Raises ValueError if `tree` has another structure."""
        node = _node_of(tree)
        if node is None or node[0] is not self.type or len(node[2]) != len(self._children):
            raise ValueError(f"expected the structure {self}")
        _, context, elements = node
        if self.type in _MAPPINGS:
            if set(context) != set(self.context):
                raise ValueError(f"expected the structure {self}")
            return [tree[key] for key in self.context]
        return list(elements)


_LEAF = TreeSpec(None, None, [])


def treespec_leaf() -> TreeSpec:
    return _LEAF


def _node_of(tree: Any) -> tuple[type, Any, list] | None:
    """Returns the type, the context and the elements of a container."""
    kind = type(tree)
    if kind in _MAPPINGS:
        return kind, list(tree.keys()), list(tree.values())
    if kind is tuple or kind is list:
        return kind, None, list(tree)
    if kind is deque:
        return kind, tree.maxlen, list(tree)
    return None


def tree_flatten(
    tree: Any, is_leaf: Callable[[Any], bool] | None = None
) -> tuple[list[Any], TreeSpec]:
    leaves: list[Any] = []

    def visit(value: Any) -> TreeSpec:
        node = None if is_leaf is not None and is_leaf(value) else _node_of(value)
        if node is None:
            leaves.append(value)
            return _LEAF
        kind, context, elements = node
        return TreeSpec(kind, context, [visit(element) for element in elements])

    return leaves, visit(tree)


def tree_leaves(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> list[Any]:
    return tree_flatten(tree, is_leaf)[0]


def tree_unflatten(leaves: Iterable[Any], spec: TreeSpec) -> Any:
    rest = iter(leaves)

    def build(spec: TreeSpec) -> Any:
        if spec.type is None:
            return next(rest)
        elements = [build(child) for child in spec.children()]
        if spec.type in _MAPPINGS:
            return spec.type(zip(spec.context, elements))
        if spec.type is deque:
            return deque(elements, maxlen=spec.context)
        return spec.type(elements)

    return build(spec)


def treespec_loads(text: str) -> TreeSpec:
    """Reads the text of a structure, which torch.export writes. Raises NotImplementedError
    for a type that is not in the standard library."""
    import json

    version, tree = json.loads(text)
    if version != 1:
        raise NotImplementedError(f"structures of version {version}")

    def build(node: dict) -> TreeSpec:
        if node["type"] is None:
            return _LEAF
        kind = _TYPES.get(node["type"])
        if kind is None:
            raise NotImplementedError(node["type"])
        return TreeSpec(kind, json.loads(node["context"]), [build(c) for c in node["children_spec"]])

    return build(tree)


def implementation() -> Any:
    """Returns torch's module if torch is loaded: it knows the types that the program
    registers. Returns this one otherwise."""
    if _torch.loaded() is None:
        return sys.modules[__name__]
    from torch.utils import _pytree

    return _pytree


def is_known(text: str) -> bool:
    """Returns true if `load_spec` can read the structure without an import of torch."""
    try:
        implementation().treespec_loads(text)
    except Exception:  # the functions that a program registers for its types raise anything
        return False
    return True


def load_spec(text: str) -> tuple[Any, Any]:
    """Returns the module that knows the types of a structure, and the structure."""
    trees = implementation()
    try:
        return trees, trees.treespec_loads(text)
    except NotImplementedError as e:
        if _torch.loaded() is not None:
            raise
        _torch.require(f"the structure {e} of an argument or result")
        return load_spec(text)
