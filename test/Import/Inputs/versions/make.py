"""Writes the archives of the installed torch to the corpus.

usage: make.py [NAME…]

Run it in this folder, once by each version of torch, in an environment of its own. `X.Y/NAME.pt2` is
the archive. `values/NAME.npz` has the inputs and eager PyTorch's outputs of all versions: `in_K` and
`out_K` for leaf K of the flattened arguments and results, with `S.` before them for the set S of
inputs after the first. Archives that exist are kept: the corpus is frozen.
"""

import copy
import pathlib
import sys
import warnings

import numpy as np
import torch
from programs import PROGRAMS, Pair, initialize
from torch.utils import _pytree as pytree

HERE = pathlib.Path(__file__).resolve().parent
SHORT = ".".join(torch.__version__.split(".")[:2])

pytree.register_pytree_node(
    Pair,
    lambda pair: ([pair.first, pair.second], None),
    lambda values, _: Pair(*values),
    serialized_type_name="corpus.Pair",
    flatten_with_keys_fn=lambda pair: (
        [(pytree.GetAttrKey("first"), pair.first), (pytree.GetAttrKey("second"), pair.second)],
        None,
    ),
)
torch.serialization.add_safe_globals([Pair])


def to_array(leaf):
    """Returns the array of a leaf as fx-run has it; None for a leaf without a value."""
    if leaf is None:
        return None
    if isinstance(leaf, torch.Tensor):
        leaf = leaf.detach().contiguous().clone()
        if leaf.dtype is torch.bfloat16:
            return leaf.view(torch.int16).numpy().view("V2")
        return leaf.numpy()
    return np.array(leaf, dtype={bool: np.bool_, int: np.int64, float: np.float64}[type(leaf)])


def strip_paths(program) -> None:
    """The archive has no path of the machine that wrote it."""
    folders = (str(pathlib.Path(torch.__file__).parent.parent) + "/", str(HERE) + "/")
    for module in program.graph_module.modules():
        for node in getattr(module, "graph", torch.fx.Graph()).nodes:
            text = node.meta.get("stack_trace")
            for folder in folders:
                text = text and text.replace(folder, "")
            if text:
                node.meta["stack_trace"] = text


def export(case) -> torch.export.ExportedProgram:
    module, args = copy.deepcopy((case.module, case.inputs[0]))
    program = torch.export.export(module, args, dynamic_shapes=case.dynamic, strict=False)
    if case.decomposed:
        program = program.run_decompositions()
    strip_paths(program)
    return program


def get_values(case) -> dict:
    values = {}
    for k, args in enumerate(case.inputs):
        module, args = copy.deepcopy((case.module, args))
        prefix = f"{k}." if k else ""
        leaves = pytree.tree_leaves((args, {}))
        values |= {f"{prefix}in_{i}": to_array(leaf) for i, leaf in enumerate(leaves)}
        with torch.no_grad():
            leaves = pytree.tree_leaves(module(*args))
        values |= {f"{prefix}out_{i}": to_array(leaf) for i, leaf in enumerate(leaves)}
    return {name: value for name, value in values.items() if value is not None}


def check_values(old: dict, new: dict) -> None:
    """The values are those that another version has written."""
    assert old.keys() == new.keys(), (old.keys(), new.keys())
    for name, value in new.items():
        assert (old[name].dtype, old[name].shape) == (value.dtype, value.shape), name
        if value.dtype.kind == "V":
            assert old[name].tobytes() == value.tobytes(), name
        else:
            np.testing.assert_allclose(value, old[name], rtol=1e-5, atol=1e-6, err_msg=name)


def make(name: str) -> None:
    torch.manual_seed(0)
    case = PROGRAMS[name]()
    initialize(case.module)
    values = get_values(case)
    file = HERE / "values" / f"{name}.npz"
    if file.exists():
        with np.load(file) as old:
            check_values(dict(old), values)
    program = export(case)
    archive = HERE / SHORT / f"{name}.pt2"
    for path in (archive, file):
        path.parent.mkdir(exist_ok=True)
    torch.export.save(program, archive)
    if not file.exists():
        np.savez(file, **values)


def main() -> None:
    warnings.simplefilter("ignore")
    for name in sys.argv[1:] or PROGRAMS:
        if (HERE / SHORT / f"{name}.pt2").exists():
            continue
        try:
            make(name)
        except Exception as error:  # noqa: BLE001
            (HERE / SHORT / f"{name}.pt2").unlink(missing_ok=True)
            print(f"{SHORT} {name}: {type(error).__name__}: {str(error).splitlines()[0][:150]}")


if __name__ == "__main__":
    main()
