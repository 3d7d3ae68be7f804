"""Compiled code reads nothing before or after its inputs: these stand beside memory without
access. Sizes are dynamic, and fill tiles and vectors, or do not."""

import os
import pathlib
import subprocess
import sys

import batch
import harness
import operators
import pytest
import torch
from operators.table import Case, f, i

#: The symbolic sizes of the runs. With 8 and 16 no rows are left after the last whole tile.
RUNS = [{"n": 16, "m": 8}, {"n": 8, "m": 32}, {"n": 5, "m": 3}]

#: Contractions whose last ops read what belongs to a row.
EPILOGUES = [
    Case("rows", lambda x, w, y: x @ w + y, (f("n", 24), f(24, 32), f("n", 1))),
    Case("lookup", lambda x, w, k, t: x @ w + t[k],
         (f("n", 24), f(24, 32), i("n", low=0, high=9), f(9, 32))),
    Case("lookup.batches", lambda x, w, k, t: x @ w + t[k],
         (f(3, "n", 24), f(24, 40), i("n", low=0, high=9), f(9, 40))),
    Case("lookup.bf16", lambda x, w, k, t: x.bfloat16() @ w.bfloat16() + t[k].bfloat16(),
         (f("n", 24), f(24, 32), i("n", low=0, high=9), f(9, 32))),
    Case("conv", lambda x, w, y: torch.conv2d(x, w) + y,
         (f(2, 4, "n", 9), f(8, 4, 1, 1), f("n", 1))),
]
FAMILIES = {
    "epilogues": EPILOGUES,
    **{name: [case for case in cases if case.dynamic and not case.fallback]
       for name, cases in operators.FAMILIES.items()},
}
#: All others need --long.
QUICK = {"epilogues", "attention"}


@pytest.mark.parametrize("family", [
    pytest.param(name, marks=[] if name in QUICK else [pytest.mark.long])
    for name, cases in FAMILIES.items() if cases])
def test_inputs(family, tmp_path):
    model = batch.exported(tuple(FAMILIES[family]), True, False, str(tmp_path))
    result = harness.tool("fx-compile", model, "--no-fallback", "-o", tmp_path / "m.so")
    assert result.returncode == 0, result.stderr
    result = subprocess.run(
        [sys.executable, pathlib.Path(__file__).with_name("guarded.py"), tmp_path / "m.so", family],
        capture_output=True, text=True, timeout=300,
        env={**os.environ, "PYTHONPATH": str(harness.BUILD / "python")})
    assert result.returncode == 0, f"{result.returncode}: {result.stderr[-2000:]}"
