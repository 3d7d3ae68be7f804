"""Programs that keep their batch norms: fx-compile folds them into convolutions, so they are
compiled from linalg."""

import pathlib

import harness

SIMPLIFY = ["-fx-inline-wrappers", "-fx-functionalize", "-canonicalize"]
TO_LINALG = ["-fx-decompose", "-canonicalize", "-cse", "-convert-fx-to-linalg"]


def tool(name: str, *args) -> str:
    """What a tool of the project writes; its error ends the program."""
    result = harness.tool(name, *args)
    if result.returncode:
        raise SystemExit(f"error: {name}: {result.stderr.strip()}")
    return result.stdout


def keep(program: pathlib.Path) -> pathlib.Path:
    """The linalg of an archive, beside it, for fx-compile. It reads its weights from there."""
    imported, linalg = program.with_suffix(".mlir"), program.with_suffix(".linalg.mlir")
    tool("fx-translate", "--pt2-to-mlir", program, "-o", imported)
    tool("fx-opt", imported, *SIMPLIFY, *TO_LINALG, "-o", linalg)
    return linalg
