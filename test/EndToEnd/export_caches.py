"""Makes torch.export faster without a change of its results: what PyTorch computes again for each
program is computed once. The tests export thousands of small programs, for which this took a third
of the time. test_export_caches.py compares the archives with those of PyTorch alone.

These are private functions of PyTorch. Where a release lacks one, nothing is replaced.
"""

import functools
import sys
import types
import typing

import torch
from torch._export import utils
from torch._export.serde import serialize
from torch.export import decomp_utils, exported_program

#: The functions that are replaced, as (module or class, name).
REPLACED = [
    (utils, "_collect_all_valid_cia_ops"),
    (exported_program, "_collect_all_valid_cia_ops"),
    (decomp_utils, "_collect_all_valid_cia_ops"),
    (utils, "_materialize_cpp_cia_ops"),
    (torch._ops.OperatorBase, "py_impl"),
    (serialize, "typing"),
    (serialize, "canonicalize"),
]
ORIGINAL = [getattr(where, name, None) for where, name in REPLACED]


def _cia_operators():
    """As `_collect_all_valid_cia_ops`, which materializes the operators of the dispatcher once for
    each namespace."""
    collect, materialize = utils._collect_all_valid_cia_ops_for_namespace, ORIGINAL[3]
    materialize()
    utils._materialize_cpp_cia_ops = lambda: None
    try:
        operators = set(utils._collect_all_valid_cia_ops_for_aten_namespace())
        for name in torch.ops._dir:
            namespace = getattr(torch.ops, name)
            if name != "aten" and isinstance(namespace, torch._ops._OpNamespace):
                operators |= collect(namespace)
        return operators
    finally:
        utils._materialize_cpp_cia_ops = materialize


def _py_impl(self, key):
    """As `OperatorBase.py_impl`, which evaluates annotations in each call. A decomposition calls it
    for each operator and each device."""
    if type(key) is not torch._C.DispatchKey or key == torch._C.DispatchKey.Python:
        return ORIGINAL[4](self, key)

    def register(function):
        if key in self.py_kernels:
            raise RuntimeError(f"Trying to override a python impl for {key} on operator {self.name()}")
        self.py_kernels[key] = function
        self._dispatch_cache.clear()
        return function

    return register


@functools.cache
def _type_hints(cls):
    return typing.get_type_hints(cls, globalns=vars(serialize.schema))


#: The module `typing` for the deserializer, which asks for the types of a class for each object.
_typing = types.SimpleNamespace(**vars(typing))
_typing.get_type_hints = lambda cls, globalns=None: _type_hints(cls)


def _canonical(program, constants=None):
    """`torch.export.save` makes a canonical program as a check of itself, and drops it."""
    return program


REPLACEMENTS = [_cia_operators] * 3 + [ORIGINAL[3], _py_impl, _typing, _canonical]


def install() -> None:
    if None in ORIGINAL:
        print("export_caches: this release of PyTorch has other functions", file=sys.stderr)
        return
    for (where, name), replacement in zip(REPLACED, REPLACEMENTS):
        setattr(where, name, replacement)


def uninstall() -> None:
    for (where, name), original in zip(REPLACED, ORIGINAL):
        if original is not None:
            setattr(where, name, original)
