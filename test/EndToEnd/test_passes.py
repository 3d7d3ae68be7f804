"""Passes on fx leave the results of eager PyTorch as they are."""

import pathlib

import exporting
import harness
import leaves
import pytest
import torch

#: What floats can be; sums and products of them tell identities from near ones.
SPECIAL = [0.0, -0.0, 1.0, -1.5, 2.5, float("inf"), float("-inf"), float("nan"), 1e-42]


def run_passes(program, inputs, expected, folder: pathlib.Path, *passes: str):
    """The text after the passes, and the interpreter's outputs of it."""
    exporting.save(program, folder / "m.pt2")
    for name, args in {
        "fx-translate": ["--pt2-to-mlir", folder / "m.pt2", "-o", folder / "m.mlir"],
        "fx-opt": [folder / "m.mlir", *passes, "-o", folder / "passed.mlir"],
    }.items():
        result = harness.tool(name, *args)
        assert result.returncode == 0, result.stderr
    got = harness.run(
        folder / "passed.mlir", (inputs, {}), folder, expected, "--interpret"
    )
    return (folder / "passed.mlir").read_text(), got


class Identities(torch.nn.Module):
    def forward(self, x, y):
        one, zero = torch.ones(9), torch.zeros(9)
        return (
            (x * 1).sin(),
            (x + 0).sin(),
            (x + -0.0).sin(),
            (x - 0).sin(),
            (x - -0.0).sin(),
            (x * one + zero).sin(),
            (x / 1).sin(),
            (x**1).sin(),
            (x * 0).sin(),
            (x - x).sin(),
            (-(-x)).sin(),
            torch.maximum(x, x).sin(),
            torch.where(x > 0, x, x).sin(),
            x.relu().relu().sin(),
            x.abs().abs().sin(),
            x.clamp(-1, 2).clamp(-1, 2).sin(),
            x.floor().ceil().sin(),
            x.double().float().sin(),
            x.half().float().sin(),
            x.double().half().sin(),
            torch.nn.functional.dropout(x, 0.5, False).sin(),
            torch.cat([torch.cat([x, x]), torch.zeros(0), x]).sin(),
            x.view(3, 3).t().t().reshape(9).sin(),
            x.view(3, 3).t().contiguous().view(9).sin(),
            x.view(3, 3).t().reshape(-1).view(1, 9).expand(2, 9).expand(2, 9).sin(),
            (y + 0) * 1 | 0,
            (y & -1) ^ 0,
            y << 0,
            y.ceil(),
            x.clone(),
        )


def test_identities_are_exact(tmp_path):
    inputs = (torch.tensor(SPECIAL), torch.arange(-4, 5))
    module = Identities()
    expected = exporting.eager(module, inputs)
    program = exporting.export(module, inputs)
    flags = ["-fx-functionalize", "-canonicalize", "-cse"]
    text, got = run_passes(program, inputs, expected, tmp_path, *flags)
    for k, (g, w) in enumerate(zip(got, expected, strict=True)):
        # The sign of a zero counts, which == does not see.
        same = torch.equal(g.nan_to_num(7), w.nan_to_num(7))
        assert same and torch.equal(g.isnan(), w.isnan()), f"output {k}: {g}, expected {w}"
        if w.is_floating_point():
            sign = torch.signbit(g) == torch.signbit(w)
            assert (sign | w.isnan()).all(), f"output {k}: {g}, expected {w}"
    for target in ("neg.default", "dropout", "maximum", "div.", "pow.", "where.", "bitwise_"):
        assert f"@aten.{target}" not in text, target
    # x + 0, x - -0.0, and the zeros that are added.
    assert text.count("@aten.add.Tensor") == 2 and text.count("@aten.sub.Tensor") == 2
    harness.check(module, inputs, folder=tmp_path, modes=["native"])


def test_symbolic_sizes(tmp_path):
    class Sizes(torch.nn.Module):
        def forward(self, x):
            n = x.shape[0] * 2 // 2
            return x.new_zeros(n, x.shape[1]).view(n * 1, -1) + x.expand(n, 4)

    dims = {"x": {0: torch.export.Dim("n", min=2, max=64)}}
    module, inputs = Sizes(), (torch.randn(6, 4),)
    program = exporting.export(module, inputs, dynamic=dims)
    expected = exporting.eager(module, inputs)
    flags = ["-fx-functionalize", "-canonicalize", "-cse"]
    text, got = run_passes(program, inputs, expected, tmp_path, *flags)
    harness.compare(got, expected)
    assert "_operator" not in text and "aten.expand" not in text
