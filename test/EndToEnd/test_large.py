"""Tensors that exceed the memory. A tensor that exceeds the address space is rejected when the
program is read; one that exceeds this machine's memory is an error at run time. Nothing crashes."""

import exporting
import harness
import leaves
import pytest
import torch
from torch import nn

aten = torch.ops.aten


class Function(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


#: Tensors of 2^45 bytes: an output, a temporary tensor, and a result of an operator that ATen runs.
LARGE = {
    "output": lambda x: torch.full((2**43,), 1.5) + x[0],
    "filled": lambda x: torch.zeros(2**22, 2**21),
    "integers": lambda x: torch.ones(2**42, dtype=torch.int64),
    "expanded": lambda x: x[:1].expand(2**43) * 2,
    "repeated": lambda x: x.repeat(2**41) + 1,
    "padded": lambda x: nn.functional.pad(x, (0, 2**43 - 4), value=1.0),
    "temporary": lambda x: torch.zeros(2**43).index_put((torch.tensor([2]),), x[:1])[:4] * 2,
    "random": lambda x: torch.rand(2**43)[:4] + x,
    "on_aten": lambda x: torch._foreach_add([torch.full((2**43,), 1.5)], 2)[0][:4] + x,
}


def export(function, folder):
    args = (torch.randn(4),)
    exporting.save(exporting.export(Function(function), args), folder / "m.pt2")
    leaves.save_inputs(folder / "in", args, {})
    return folder / "m.pt2"


def run(model, folder, *flags):
    return harness.tool(
        "fx-run", model, "--inputs", folder / "in", "--outputs", folder / "out", *flags
    )


def check(result):
    assert result.returncode == 1, result.stderr
    assert result.stderr.startswith("error: ") and result.stderr.count("\n") == 1
    assert any(
        text in result.stderr for text in ["out of memory", "can't allocate memory"]
    ), result.stderr


@pytest.mark.parametrize("name", LARGE)
def test_more_than_the_machine_has(name, tmp_path):
    model = export(LARGE[name], tmp_path)
    check(run(model, tmp_path))
    check(run(model, tmp_path, "--interpret"))
    result = harness.tool("fx-compile", model, "-o", tmp_path / "m.so")
    assert result.returncode == 0, result.stderr
    check(run(tmp_path / "m.so", tmp_path))


#: Tensors of more than 2^47 bytes. torch does not export sizes that overflow a 64-bit integer.
TOO_LARGE = {
    "full": lambda x: torch.full((2**45 + 1,), 1.0),
    "empty": lambda x: torch.empty(2**30, 2**30),
    "zeros": lambda x: torch.zeros(2**59, dtype=torch.int64),
    "ones_like": lambda x: torch.ones_like(x.expand(2**50, 4)),
    "arange": lambda x: torch.arange(2**45, dtype=torch.int64),
    "eye": lambda x: torch.eye(2**24, dtype=torch.float64),
    "expanded": lambda x: x.expand(2**50, 4) * 2,
}


@pytest.mark.parametrize("name", TOO_LARGE)
def test_more_than_an_address_space(name, tmp_path):
    model = export(TOO_LARGE[name], tmp_path)
    for result in (
        harness.tool("fx-compile", model, "-o", tmp_path / "m.so"),
        harness.tool("fx-translate", "--pt2-to-mlir", model),
        run(model, tmp_path),
        run(model, tmp_path, "--interpret"),
    ):
        assert result.returncode == 1
        assert "expected 2^47 bytes at most, got" in result.stderr
        assert "m.pt2" in result.stderr


def test_views_may_be_larger(tmp_path):
    """A view that shows an element many times needs no memory."""
    harness.check(
        Function(lambda x: x.expand(2**50, 4)[3:5] * 2),
        (torch.randn(4),),
        folder=tmp_path,
        modes=["interpret", "native"],
    )
