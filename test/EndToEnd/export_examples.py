"""PyTorch's own export examples (torch._export.db) as programs, and the table of their results:
`python test/EndToEnd/export_examples.py` writes docs/ExportExamples.md."""

import collections
import copy
import functools
import inspect
import json
import pathlib
import re
import tempfile
import warnings

import exporting
import harness
import torch
from torch.utils import _pytree as pytree

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from torch._export.db.case import SupportLevel
    from torch._export.db.examples import filter_examples_by_support_level

EXAMPLES = filter_examples_by_support_level(SupportLevel.SUPPORTED)
TABLE = harness.ROOT / "docs" / "ExportExamples.md"


def _automatic(inputs):
    """Returns dynamic shapes in which every size of every tensor is Dim.AUTO."""
    return pytree.tree_map(
        lambda x: {i: torch.export.Dim.AUTO for i in range(x.dim())}
        if isinstance(x, torch.Tensor)
        else None,
        inputs,
    )


@functools.lru_cache(maxsize=None)
def program(name: str) -> torch.export.ExportedProgram:
    """Returns the exported example with the dynamic shapes that it declares, else with all that
    torch infers, else with static shapes."""
    case = EXAMPLES[name]
    args, kwargs = tuple(case.example_args), dict(case.example_kwargs)
    shapes = case.dynamic_shapes
    if shapes is None:
        try:
            shapes = (*_automatic(args),)
            if kwargs:
                names = list(kwargs)
                shapes = dict(zip(_argument_names(case.model, args, kwargs), shapes))
                shapes.update({k: _automatic(kwargs[k]) for k in names})
            return exporting.export(case.model, args, kwargs, dynamic=shapes)
        except Exception:  # noqa: BLE001  not every example can be dynamic
            shapes = None
    return exporting.export(case.model, args, kwargs, dynamic=shapes)


def _argument_names(model, args, kwargs):
    return list(inspect.signature(model.forward).bind(*args, **kwargs).arguments)


def second_inputs(name: str):
    """Returns other inputs with other sizes that the program accepts, or None if its sizes are
    static."""
    case, exported = EXAMPLES[name], program(name)
    flat, spec = pytree.tree_flatten((tuple(case.example_args), dict(case.example_kwargs)))
    user = set(exported.graph_signature.user_inputs)
    values = [n.meta["val"] for n in exported.graph.nodes if n.op == "placeholder" and n.name in user]
    symbols = {
        symbol
        for value in values
        if isinstance(value, torch.Tensor)
        for size in value.shape
        if isinstance(size, torch.SymInt)
        for symbol in size.node.expr.free_symbols
    }
    if not symbols or len(values) != len(flat):
        return None
    ranges = exported.range_constraints
    generator = torch.Generator().manual_seed(0)
    for step in (1, 2, 4):
        sizes = {}
        for symbol in symbols:
            hint = int(next(iter(values)).fake_mode.shape_env.backed_var_to_val[symbol])
            bounds = ranges.get(symbol)
            size = hint + step
            sizes[symbol] = min(size, int(bounds.upper)) if bounds and bounds.upper < 2**31 else size

        def resize(value, old):
            if not isinstance(old, torch.Tensor):
                return old
            shape = [
                int(s.node.expr.subs(sizes)) if isinstance(s, torch.SymInt) else s
                for s in value.shape
            ]
            if old.is_floating_point():
                return torch.rand(shape, generator=generator, dtype=old.dtype) + 0.5
            return old if list(old.shape) == shape else old.new_ones(shape)

        args, kwargs = pytree.tree_unflatten([resize(v, x) for v, x in zip(values, flat)], spec)
        try:
            with torch.no_grad():
                exported.module()(*copy.deepcopy(args), **copy.deepcopy(kwargs))
            exporting.eager(case.model, args, kwargs)
        except Exception:  # noqa: BLE001  a guard of the program, or a check of eager mode
            continue
        return args, kwargs
    return None


Row = collections.namedtuple("Row", "name sizes higher native fallback note")
NODE = re.compile(r"\b(call_function|higher_order) @([\w.]+)|\b(cond)\(")


def row(name: str, folder: pathlib.Path) -> Row:
    """Returns the row of the table: the findings of the importer and the result of the compiler."""
    path = folder / f"{name}.pt2"
    exporting.save(program(name), path)
    text = harness.tool("fx-translate", "--pt2-to-mlir", path)
    assert text.returncode == 0, text.stderr
    nodes, higher = 0, []
    for match in NODE.finditer(text.stdout):
        nodes += 1
        if match[1] != "call_function":
            higher.append(match[2] or match[3])
    sizes = "dynamic" if second_inputs(name) else "static"
    report = folder / f"{name}.json"
    result = harness.tool("fx-compile", path, "-o", folder / f"{name}.so", "--report", report)
    if result.returncode:
        reason = result.stderr.strip().splitlines()[-1].rsplit(": ", 1)[-1]
        return Row(name, sizes, higher, 0, ["all"], f"interpreted: {reason}")
    operators = json.loads(report.read_text())["operators"]
    fallback = [entry["target"] for entry in operators if not entry["native"]]
    return Row(name, sizes, higher, nodes - len(fallback), fallback, "")


def table() -> str:
    lines = [
        "# PyTorch's export examples",
        "",
        "`python test/EndToEnd/export_examples.py` generates this file; do not edit it.",
        "",
        "The table shows how fx-mlir compiles the examples in `torch._export.db` (torch "
        f"{torch.__version__.split('+')[0]}):",
        "",
        "- *Higher-order operators*: those in the graph.",
        "- *Native nodes*: the number of nodes with native code, including nodes of sub-graphs.",
        "- *Fallback nodes*: the operators that run on ATen.",
        "",
        "All examples give the same results as eager PyTorch, both interpreted and compiled. Examples with",
        "dynamic sizes are also tested on inputs of other sizes (`test/EndToEnd/test_export_db.py`).",
        "",
        "| Example | Sizes | Higher-order operators | Native nodes | Fallback nodes |",
        "|---|---|---|---:|---|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        rows = [row(name, pathlib.Path(folder)) for name in sorted(EXAMPLES)]
    for r in rows:
        higher = ", ".join(f"`{h}`" for h in r.higher) or "–"
        fallback = r.note or ", ".join(f"`{f}`" for f in r.fallback) or "–"
        lines.append(f"| `{r.name}` | {r.sizes} | {higher} | {r.native} | {fallback} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    TABLE.write_text(table())
