"""Archives through fx and back: what must come out as it went in."""

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
