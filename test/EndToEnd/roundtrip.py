"""Archives through fx and back: what must come out as it went in."""

import copy
import pathlib
import re
import sys
import types
import warnings

import harness
import torch
from torch.utils import _pytree as pytree

sys.path.append(str(harness.ROOT / "test" / "Export" / "Inputs"))
from archives import compare_archives  # noqa: E402


def translate(*args) -> str:
    result = harness.tool("fx-translate", *args)
    if result.returncode:
        raise harness.ToolError(f"fx-translate: {result.stderr.strip()}")
    return result.stdout


def import_text(path: pathlib.Path) -> str:
    """The IR with all locations, its weights without their places."""
    text = translate("--pt2-to-mlir", path, "--mlir-print-debuginfo")
    return re.sub(r'#fx\.external<"[^"]*", offset = \d+', "#fx.external<", text)


def load(path: pathlib.Path) -> torch.export.ExportedProgram:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.export.load(path)


def graphs(module: torch.fx.GraphModule, path: tuple[str, ...] = ()):
    """The graph of a module and those of its sub-graphs, with their paths."""
    yield path, module
    for name, child in module.named_children():
        if isinstance(child, torch.fx.GraphModule):
            yield from graphs(child, (*path, name))


def check_text(path: pathlib.Path, program: torch.export.ExportedProgram) -> None:
    """FX's text of every graph."""
    for names, module in graphs(program.graph_module):
        flags = [f"--graph={'.'.join(names)}"] if names else []
        text = translate("--pt2-to-mlir", "--mlir-to-fx-text", path, *flags)
        assert text == f"{module.graph}\n", ".".join(names) or "main"


def python_module(path: pathlib.Path):
    """The generated Python, executed: its source and its names."""
    source = translate("--pt2-to-mlir", "--mlir-to-python", path)
    module = types.ModuleType("generated")
    exec(compile(source, f"{path}.py", "exec"), module.__dict__)
    return source, module


def flat_inputs(program, generated, args, kwargs) -> list:
    """What the generated forward takes: the states, then the user's leaves."""
    states = {**program.state_dict, **program.constants}
    leaves = iter(pytree.tree_leaves((args, kwargs)))
    names = [
        node.target for node in program.graph.nodes if node.op == "placeholder"
    ]
    return [
        states[generated.STATES[name]] if name in generated.STATES else next(leaves)
        for name in names
    ]


def check_python(path: pathlib.Path, program) -> None:
    """The source holds torch.fx's own code of every graph, and runs alike."""
    source, generated = python_module(path)
    for names, module in graphs(program.graph_module):
        code = "\n".join(line.rstrip() for line in module.code.strip().split("\n"))
        indented = "\n".join(f"    {line}" if line else line for line in code.split("\n"))
        assert indented in source, ".".join(names) or "main"
    return generated


def check(path: pathlib.Path, folder: pathlib.Path):
    """The whole way back of one archive; the programs before and after."""
    back = folder / "back" / path.name
    back.parent.mkdir(exist_ok=True)
    translate("--pt2-to-mlir", "--mlir-to-pt2", path, "-o", back)
    compare_archives(path, back)
    assert import_text(path) == import_text(back)
    before, after = load(path), load(back)
    assert str(before.graph_signature) == str(after.graph_signature)
    assert before.range_constraints == after.range_constraints
    check_text(path, before)
    check_python(path, before)
    return before, after


def outcome(fn, *args, **kwargs):
    """What a call gives, or the type of the exception that it ends with: a few
    programs that PyTorch decomposed do not run in PyTorch (a view in PatchTST's
    does not fit the strides that it gets)."""
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        torch.manual_seed(0)
        try:
            return fn(*copy.deepcopy(args), **copy.deepcopy(kwargs))
        except (RuntimeError, ValueError) as error:
            return type(error)


def equal(before, after, args, kwargs=None) -> None:
    """Both programs give the same on the same inputs, bit by bit."""
    results = [
        pytree.tree_flatten(outcome(program.module(), *args, **(kwargs or {})))
        for program in (before, after)
    ]
    (got, got_tree), (want, want_tree) = results
    assert got_tree == want_tree
    for x, y in zip(got, want):
        if isinstance(x, torch.Tensor):
            torch.testing.assert_close(x, y, rtol=0, atol=0, equal_nan=True)
        else:
            assert x == y


def count_dependent(graph: torch.fx.Graph) -> int:
    """The nodes that depend on inputs; the others are computed while tracing."""
    found = set()
    for node in graph.nodes:
        if node.op == "placeholder" or found & set(node.all_input_nodes):
            found.add(node)
    return len(found)


def retrace(module: torch.fx.GraphModule) -> torch.fx.GraphModule | None:
    """None where torch.fx cannot trace its own code: it knows no higher-order
    operators, no torch.vmap, no conditions on proxies, and no lists of them as
    sizes."""
    try:
        return torch.fx.symbolic_trace(module)
    except Exception:  # noqa: BLE001
        return None


def check_source(path, program, args, kwargs) -> None:
    """The generated Python executes like the graph module, and re-traces to as
    many nodes."""
    _, generated = python_module(path)
    inputs = flat_inputs(program, generated, args, kwargs)
    module = generated.GraphModule()

    got, want = outcome(module, *inputs), outcome(program.graph_module, *inputs)
    if isinstance(want, type):
        assert got is want
        return
    torch.testing.assert_close(got, want, rtol=0, atol=0, equal_nan=True)
    own = retrace(program.graph_module)
    if own is None:
        return
    traced = torch.fx.symbolic_trace(module)
    assert count_dependent(traced.graph) == count_dependent(own.graph)
    torch.testing.assert_close(outcome(traced, *inputs), want, rtol=0, atol=0, equal_nan=True)
