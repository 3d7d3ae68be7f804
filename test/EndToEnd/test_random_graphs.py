"""Random graphs after random sequences of passes agree with eager mode, interpreted and compiled. A
failure names its seed: `RandomGraph(seed)` is the graph."""

import random

import exporting
import harness
import pytest
import torch
from random_graphs import Many, RandomGraph
from test_passes import RULES, run_passes

#: The number of graphs in one program, and the programs: 5,000 graphs with --long.
SIZE = 25
PROGRAMS = [
    pytest.param(k, marks=[pytest.mark.long] if k >= 2 else []) for k in range(200)
]

PASSES = [
    "-canonicalize",
    "-canonicalize",
    "-cse",
    "-fx-decompose",
    "-fx-shape-prop",
    "-fx-fold-conv-bn",
    "-fx-constant-fold",
    "-fx-schedule",
    f"-fx-rewrite=patterns={RULES / 'raise.mlir'}",
    "-fx-partition=by=cost parts=3",
    "-fx-resolve-calls",
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_passes_in_any_order(program, tmp_path):
    seeds = range(program * SIZE, (program + 1) * SIZE)
    rng = random.Random(program)
    passes = ["-fx-functionalize", *rng.sample(PASSES, rng.randint(3, len(PASSES)))]
    module = Many(seeds)
    inputs = ([RandomGraph.sample(seed) for seed in seeds],)
    exported = exporting.export(module, inputs, decomposed=bool(program % 2))
    expected = exporting.eager(module, inputs)
    _, got = run_passes(exported, inputs, expected, tmp_path, *passes)
    native = harness.run(
        tmp_path / "passed.mlir", (inputs, {}), tmp_path / "native", expected, "--no-fallback"
    )
    problems, at = [], 0
    for seed, outputs in zip(seeds, expected, strict=True):
        for want in outputs:
            for mode, values in (("interpreted", got), ("native", native)):
                if problem := harness.difference(values[at], want):
                    problems.append(f"seed {seed}, {mode}: {problem}")
            at += 1
    assert at == len(got) == len(native)
    assert not problems, " ".join(passes) + "\n" + "\n".join(problems)


class OuterProducts(torch.nn.Module):
    """Each row's result is combined with those of all rows, not only with its own."""

    def forward(self, x):
        m = x.amax(-1, keepdim=True)
        s = x.unsqueeze(1).softmax(-1)
        return m @ m.T, s.squeeze(1) * s, m * m.T + x.sum(-1)


class TwoSoftmaxes(torch.nn.Module):
    """Values that two phases keep for later must not share the memory of one output."""

    def forward(self, x):
        s = x.softmax(-1)
        t = s.softmax(-1)
        return s - x, x - s, -t


@pytest.mark.parametrize("columns", [6, 100, 2000])
def test_values_kept_for_later(columns, tmp_path):
    x = torch.randn(4, columns)
    harness.check(TwoSoftmaxes(), (x,), folder=tmp_path, modes=["native"])


def test_rows_that_meet_other_rows(tmp_path):
    harness.check(OuterProducts(), (torch.randn(4, 6),), folder=tmp_path, modes=["native"])
