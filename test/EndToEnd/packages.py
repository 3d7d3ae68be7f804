"""Packages of `fx-compile --emit=aoti` in the loader of this process's PyTorch."""

import pathlib
import re
import warnings

import harness
import torch
from torch.utils import _pytree as pytree


def package(program: pathlib.Path, *flags) -> pathlib.Path:
    """Returns the path of the package of an exported program."""
    path = program.with_suffix(".aoti.pt2")
    result = harness.tool("fx-compile", program, "--emit=aoti", "-o", path, *flags)
    if result.returncode:
        raise harness.ToolError(f"fx-compile --emit=aoti: {result.stderr.strip()}")
    return path


#: A call in MLIR's generic form, before its type.
CALL = re.compile(
    r'^( *(?:%\S+ = )?"fx\.call_function"\(.*\) <\{.*\}>)(?: \{(.*)\})?( : .*loc\(.*)$'
)
#: An operator in the compiler's error: its name, the node and the reason.
REFUSED = re.compile(r"(\S+) \(([\w,]+)\): (.*?)(?=, \S+ \([\w,]+\): |$)")


def _on_aten(text: str, native: set[str]) -> str:
    """Takes the native code from all operators of torch except the nodes `native`."""
    lines = text.splitlines()
    for k, line in enumerate(lines):
        call = CALL.match(line)
        target = re.search(r'target = "(aten\.[^"]*)"', line)
        if not call or not target or "!fx.tensor" not in call[3].split("->")[-1]:
            continue
        if any(f'"{node}"' in call[3] for node in native):
            continue
        attributes = ", ".join(filter(None, [call[2], 'fx.no_native = "test"']))
        lines[k] = f"{call[1]} {{{attributes}}}{call[3]}"
    return "\n".join(lines)


def package_on_aten(program: pathlib.Path) -> tuple[pathlib.Path, set[tuple[str, str]]]:
    """As `package`, but ATen runs the operators. Those that the executor cannot call have native
    code: also returns these, with the reason."""
    graph, changed = program.with_suffix(".mlir"), program.with_suffix(".aten.mlir")
    simplified = harness.tool("fx-compile", program, "--emit=fx", "-o", graph)
    assert simplified.returncode == 0, simplified.stderr
    flags = ["--mlir-print-op-generic", "--mlir-print-debuginfo", "--mlir-print-local-scope"]
    generic = harness.tool("fx-opt", graph, *flags)
    assert generic.returncode == 0, generic.stderr
    refused, native = set(), set()
    while True:
        changed.write_text(_on_aten(generic.stdout, native))
        try:
            return package(changed), refused
        except harness.ToolError as error:
            found = REFUSED.findall(str(error).partition(" without: ")[2])
            assert found and not native.issuperset(node for _, node, _ in found), error
            for target, node, reason in found:
                refused.add((target, reason))
                native.add(node)


def load(path: pathlib.Path):
    """Returns the model of a package."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch._inductor.aoti_load_package(str(path))


def call(model, args: tuple, kwargs: dict | None = None) -> list:
    """Returns the flat list of the outputs."""
    return pytree.tree_leaves(model(*args, **(kwargs or {})))
