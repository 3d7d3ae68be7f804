"""Lowers programs to linalg with their batch norms kept. fx-compile would fold these into
convolutions."""

import pathlib

import harness

SIMPLIFY = ["-fx-inline-wrappers", "-fx-functionalize", "-canonicalize"]
TO_LINALG = ["-fx-decompose", "-canonicalize", "-cse", "-convert-fx-to-linalg"]


def tool(name: str, *args) -> str:
    """Returns the standard output of a tool of the project. Exits if the tool fails."""
    result = harness.tool(name, *args)
    if result.returncode:
        raise SystemExit(f"error: {name}: {result.stderr.strip()}")
    return result.stdout


def keep(program: pathlib.Path) -> pathlib.Path:
    """Lowers an archive to linalg, as the input of fx-compile. The file is written to the
    folder of the archive, because it refers to the weights there."""
    imported, linalg = program.with_suffix(".mlir"), program.with_suffix(".linalg.mlir")
    tool("fx-translate", "--pt2-to-mlir", program, "-o", imported)
    tool("fx-opt", imported, *SIMPLIFY, *TO_LINALG, "-o", linalg)
    return linalg
