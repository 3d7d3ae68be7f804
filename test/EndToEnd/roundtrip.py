"""Round trips of archives through fx: the exported archive must equal the original one."""

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
    """Returns the IR with all locations; the weights lose their file names and offsets."""
    text = translate("--pt2-to-mlir", path, "--mlir-print-debuginfo")
    return re.sub(r'#fx\.external<"[^"]*", offset = \d+', "#fx.external<", text)


def load(path: pathlib.Path) -> torch.export.ExportedProgram:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.export.load(path)


def graphs(module: torch.fx.GraphModule, path: tuple[str, ...] = ()):
    """Yields the graph of a module and those of its sub-graphs, with their paths."""
    yield path, module
    for name, child in module.named_children():
        if isinstance(child, torch.fx.GraphModule):
            yield from graphs(child, (*path, name))


def check_text(path: pathlib.Path, program: torch.export.ExportedProgram) -> None:
    """Compares the FX text of every graph."""
    for names, module in graphs(program.graph_module):
        flags = [f"--graph={'.'.join(names)}"] if names else []
        text = translate("--pt2-to-mlir", "--mlir-to-fx-text", path, *flags)
        assert text == f"{module.graph}\n", ".".join(names) or "main"


def python_module(path: pathlib.Path):
    """Executes the generated Python. Returns its source and its module."""
    source = translate("--pt2-to-mlir", "--mlir-to-python", path)
    module = types.ModuleType("generated")
    exec(compile(source, f"{path}.py", "exec"), module.__dict__)
    return source, module


def flat_inputs(program, generated, args, kwargs) -> list:
    """Returns the arguments of the generated forward: the states, then the user's leaves."""
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
    """Checks that the source contains torch.fx's own code of every graph, and gives the same
    results."""
    source, generated = python_module(path)
    for names, module in graphs(program.graph_module):
        code = "\n".join(line.rstrip() for line in module.code.strip().split("\n"))
        indented = "\n".join(f"    {line}" if line else line for line in code.split("\n"))
        assert indented in source, ".".join(names) or "main"
    return generated


def check(path: pathlib.Path, folder: pathlib.Path):
    """Runs the whole round trip of one archive. Returns the programs before and after."""
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
    """Returns the results of a call, or the type of the exception that it raises: a few programs
    that PyTorch decomposed do not run in PyTorch (a view in PatchTST does not fit the strides of
    its operand)."""
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        torch.manual_seed(0)
        try:
            return fn(*copy.deepcopy(args), **copy.deepcopy(kwargs))
        except (RuntimeError, ValueError) as error:
            return type(error)


def equal(before, after, args, kwargs=None) -> None:
    """Checks that both programs give bitwise equal results for the same inputs."""
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
    """Counts the nodes that depend on inputs. The others are computed during tracing."""
    found = set()
    for node in graph.nodes:
        if node.op == "placeholder" or found & set(node.all_input_nodes):
            found.add(node)
    return len(found)


def retrace(module: torch.fx.GraphModule) -> torch.fx.GraphModule | None:
    """Returns the traced module, or None if torch.fx cannot trace its own code: it does not support
    higher-order operators, torch.vmap, conditions on proxies, or lists of proxies as sizes."""
    try:
        return torch.fx.symbolic_trace(module)
    except Exception:  # noqa: BLE001
        return None


def check_source(path, program, args, kwargs) -> None:
    """Checks that the generated Python gives the same results as the graph module, and re-traces to
    the same number of nodes."""
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
