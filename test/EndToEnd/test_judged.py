"""Arguments are accepted and rejected as PyTorch does.

Changes integers among the arguments of exported programs at random. A run of the operator on fake
tensors tells whether torch accepts the arguments and which results it gives. If torch rejects them,
or gives other sizes than the program records, importing must fail and name the node. Many nodes of
a program are changed at once: each keeps the types that the program records, so each is judged by
itself.
"""

import collections
import dataclasses
import json
import logging
import operator
import pathlib
import random
import re
import zipfile

import batch
import exporting
import harness
import pytest
import torch
from operators import FAMILIES
from torch.utils import _pytree as pytree

INTEGERS = re.compile(r"^(Optional\[)?(List\[)?(int|SymInt)\b")


def integer_arguments(node):
    """Yields the names and values of a node's arguments that are integers or lists of integers."""
    schema = node.target._schema.arguments
    given = [(a.name, v) for a, v in zip(schema, node.args)] + list(node.kwargs.items())
    types = {a.name: str(a.type) for a in schema}
    for name, value in given:
        plain = value if isinstance(value, (list, tuple)) else [value]
        if INTEGERS.match(types[name]) and plain and all(type(v) is int for v in plain):
            yield name, value


def changed(rng: random.Random, value):
    def one(v):
        near = [v + 1, v - 1, -v, v + 2, v * 2, v - 3]
        far = [0, 1, -1, -2, 2, 7, 2**31, 2**62, -(2**63), 10**12]
        return rng.choice([x for x in near + near + far if x != v and -(2**63) <= x < 2**63])

    if not isinstance(value, (list, tuple)):
        return one(value)
    value = list(value)
    what = rng.random()
    at = rng.randrange(len(value))
    if what < 0.7:
        value[at] = one(value[at])
    elif what < 0.85:
        value.insert(at, rng.choice([1, 2, -1]))
    else:
        del value[at]
    return value


def describe(result):
    """Returns the sizes and dtypes of an operator's result. A number may be known or symbolic."""

    def kind(x):
        if isinstance(x, torch.Tensor):
            return str(list(x.shape)), x.dtype
        return int if isinstance(x, torch.SymInt) else type(x)

    return [kind(x) for x in pytree.tree_leaves(result)]


def run_fake(node, name=None, value=None):
    """Runs the operator on fake tensors like those of the program."""
    mode = next(
        (v.fake_mode for n in node.all_input_nodes for v in pytree.tree_leaves(n.meta["val"])
         if hasattr(v, "fake_mode")),
        None,
    ) or torch._subclasses.FakeTensorMode()  # fmt: skip

    def like(x):
        if isinstance(x, torch.fx.Node):
            return pytree.tree_map(like, x.meta["val"])
        if isinstance(x, torch.Tensor):
            return torch.empty_strided(x.shape, x.stride(), dtype=x.dtype, device=x.device)
        return x

    with mode, torch.no_grad():
        names = [a.name for a in node.target._schema.arguments]
        given = dict(zip(names, node.args)) | dict(node.kwargs)
        if name is not None:
            given[name] = value
        args = pytree.tree_map(
            like, list(given.items()), is_leaf=lambda x: isinstance(x, torch.fx.Node)
        )
        return describe(node.target(**dict(args)))


def run_real(node, name, value):
    """Runs the operator on tensors of ones: kernels reject more arguments than shape functions."""

    def like(x):
        if isinstance(x, torch.fx.Node):
            return pytree.tree_map(like, x.meta["val"])
        if isinstance(x, torch.Tensor):
            real = torch.ones(x.shape, dtype=x.dtype)
            return torch.empty_strided(x.shape, x.stride(), dtype=x.dtype).copy_(real)
        return x

    names = [a.name for a in node.target._schema.arguments]
    given = dict(zip(names, node.args)) | dict(node.kwargs) | {name: value}
    args = pytree.tree_map(
        like, list(given.items()), is_leaf=lambda x: isinstance(x, torch.fx.Node)
    )
    with torch.no_grad():
        return describe(node.target(**dict(args)))


def judge(run, *args):
    """Returns torch's result, or None if torch rejects the arguments."""
    logging.disable(logging.CRITICAL)  # the logs of fake tensors that fail
    try:
        return run(*args)
    except Exception:  # noqa: BLE001  any exception is a rejection
        return None
    finally:
        logging.disable(logging.NOTSET)


@dataclasses.dataclass
class Change:
    node: torch.fx.Node
    argument: str
    value: object
    #: True if torch rejects the arguments, or gives another type.
    refused: bool

    def __str__(self):
        return f"{self.node.target}({self.argument}={self.value}) of {self.node.format_node()}"


def changes(program, rng: random.Random) -> list[Change]:
    """Returns one change for each node with an integer argument."""
    result = []
    for node in program.graph.nodes:
        if node.op != "call_function" or not isinstance(node.target, torch._ops.OpOverload):
            continue
        arguments = list(integer_arguments(node))
        recorded = describe(node.meta.get("val"))
        # Skips nodes for which torch contradicts its own record.
        if not arguments or judge(run_fake, node) != recorded:
            continue
        name, old = rng.choice(arguments)
        value = changed(rng, old)
        got = judge(run_fake, node, name, value)
        result.append(Change(node, name, value, got != recorded))
    return result


def write_changed(model: pathlib.Path, to: pathlib.Path, made: list[Change]) -> None:
    by_name = {change.node.name: change for change in made}
    with zipfile.ZipFile(model) as old, zipfile.ZipFile(to, "w") as new:
        for info in old.infolist():
            data = old.read(info)
            if info.filename.endswith("/models/model.json"):
                program = json.loads(data)
                for node in program["graph_module"]["graph"]["nodes"]:
                    change = by_name.get(node["name"])
                    if not change:
                        continue
                    (given,) = [x for x in node["inputs"] if x["name"] == change.argument]
                    (kind,) = given["arg"]
                    assert kind in ("as_int", "as_ints"), kind
                    given["arg"] = {kind: change.value}
                    del by_name[change.node.name]
                assert not by_name, by_name
                data = json.dumps(program)
            new.writestr(info.filename, data)


def names_of(node) -> set[str]:
    """Returns the names that a diagnostic may use for the node: its own name or those of its
    results."""
    return {node.name, *(user.name for user in node.users if user.target is operator.getitem)}


def get_flagged(model, folder, made: list[Change]) -> dict[str, str]:
    """Returns the message for each change that is rejected. An import reports one change: that
    change is reverted, and the others are tried again."""
    flagged, left = {}, list(made)
    while True:
        write_changed(model, folder / "changed.pt2", left)
        result = harness.tool("fx-translate", "--pt2-to-mlir", folder / "changed.pt2")
        assert result.returncode in (0, 1), result.stderr
        if result.returncode == 0:
            return flagged
        match = re.search(r"([\w,]+): \S+ op '([\w,]+)' @([\w.]+): (.*)", result.stderr)
        assert match, f"an error without a node: {result.stderr[:300]}"
        change = next(c for c in left if names_of(c.node) & set(match[2].split(",")))
        assert str(change.node.target) == match[3]
        assert "expected" in match[4] and "got" in match[4], result.stderr
        flagged[change.node.name] = match[4]
        left.remove(change)


def get_unknown(model: pathlib.Path, folder: pathlib.Path) -> set[str]:
    """Returns the operators of the program whose result types no shape rule infers."""
    text = folder / "m.mlir"
    result = harness.tool("fx-translate", "--pt2-to-mlir", model, "-o", text)
    assert result.returncode == 0, result.stderr
    result = harness.tool("fx-opt", "--fx-shape-prop=remarks", text, "-o", "/dev/null")
    assert result.returncode == 0, result.stderr
    return set(re.findall(r"cannot infer the types of @([\w.]+)", result.stderr))


def judged(family: str, seed: int, folder: pathlib.Path, most=None) -> collections.Counter:
    """Returns counts of the agreements. Fails if the importer rejects arguments that torch
    accepts."""
    cases = tuple(case for case in FAMILIES[family] if not case.fallback)
    model = batch.exported(cases, False, False, str(folder))
    program = torch.export.load(model)
    made = changes(program, random.Random(seed))
    if most is not None:
        made = random.Random(seed).sample(made, min(most, len(made)))
    unknown = get_unknown(model, folder)
    flagged = get_flagged(model, folder, made)
    counts, wrong = collections.Counter(), []
    for change in made:
        is_flagged = change.node.name in flagged
        if is_flagged and not change.refused:
            # A kernel may reject arguments that the shape function accepts.
            if judge(run_real, change.node, change.argument, change.value) is None:
                counts["refused by torch's kernel"] += 1
            else:
                wrong.append(f"{change}: {flagged[change.node.name]}")
        elif is_flagged:
            counts["refused by both"] += 1
        elif not change.refused:
            counts["taken by both"] += 1
        elif str(change.node.target) in unknown:
            counts["no rule"] += 1
        else:
            counts["refused by torch alone: " + str(change.node.target)] += 1
    assert not wrong, "\n".join(wrong)
    return counts


QUICK = ["rearranging", "reductions", "convolutions", "creation", "sort_search", "matmul"]


def check(counts: collections.Counter) -> None:
    assert not [name for name in counts if name.startswith("refused by torch alone")], counts


@pytest.mark.parametrize("family", QUICK)
def test_judged(family, tmp_path):
    counts = judged(family, 0, tmp_path, most=20)
    check(counts)
    assert counts["refused by both"] > 0 or family == "matmul", counts


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 4))
@pytest.mark.parametrize("family", FAMILIES)
def test_judged_all(family, seed, tmp_path):
    check(judged(family, seed, tmp_path))
