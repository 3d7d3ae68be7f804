"""Sizes that depend on data are correct in compiled code, too (ATen computes the tensors whose
sizes are not known beforehand), and the assumptions of the export are checked."""

import re

import harness
import pytest
import torch
from exporting import export, save
from torch.export import Dim

MODES = ["interpret", "compiled"]


class Nonzero(torch.nn.Module):
    def forward(self, x):
        at = x.nonzero()
        return at, at.shape[0] + 1, at.sum(0)


class Where(torch.nn.Module):
    def forward(self, x):
        i, j = torch.where(x)
        k, m = (x > 0).nonzero(as_tuple=True)
        return x[i, j], i + j * 3, x[k, m], torch.where(x.sum() > 0)[0]


class Masks(torch.nn.Module):
    def forward(self, x):
        large = x[x > 0]
        small = torch.masked_select(x, x < 0) * 2
        return large, small, torch.cat([large, small]).cumsum(0), large.shape[0]


class Unique(torch.nn.Module):
    def forward(self, x):
        values = torch.unique((x * 2).round())
        return values, values.sum(), values.new_ones(values.shape[0], 2)


class Item(torch.nn.Module):
    """The sizes of a slice and of a new tensor come from the data."""

    def forward(self, x, n):
        k = n.item()
        torch._check(k >= 1)
        torch._check(k <= x.shape[0])
        return x[:k] * 2, torch.zeros(k, 3) + x[:k], x.sum() * k, k + 1


class Ends(torch.nn.Module):
    """Slices up to an end without assumptions."""

    def forward(self, x, n):
        k = n.item()
        return x[:k] * 2, x[1:k:2], x.t()[:, 2 : k + 2]


class Bounds(Ends):
    """A slice with an unknown start. Torch's assertions ask for the storage offset, which ATen
    returns."""

    def forward(self, x, n):
        k = n.item()
        return x[k:] + 1, x[k : k + 3 : 2], x[:, 1:][k:-1]


class ItemOfFloat(torch.nn.Module):
    def forward(self, x, n):
        return x * n.item(), n.item() + 0.5


class Integers(torch.nn.Module):
    """Powers are exact, `&` and `|` bitwise."""

    def forward(self, x, n, k):
        a, b = n.item(), k.item()
        return x + 1, a**39, a & b, a | b


class Repeat(torch.nn.Module):
    def forward(self, x, counts):
        y = x.repeat_interleave(counts, 0)
        return y, y.sum(1)


class Split(torch.nn.Module):
    def forward(self, x, sizes):
        a, b = sizes.tolist()
        torch._check(a >= 0)
        torch._check(b >= 0)
        torch._check(a + b == x.shape[0])
        left, right = x.split([a, b])
        return left + 1, right * 2


class SplitAt(torch.nn.Module):
    """Torch checks that the storage offsets of the parts are not negative."""

    def forward(self, x, at):
        first, second, third = x.tensor_split(at, 0)
        return first * 2, second.clone(), third.sum(0)


class CondOnSizes(torch.nn.Module):
    """The branches return tensors of different lengths."""

    def forward(self, x):
        y = torch.cond(x.sum() > 0, lambda x: x[:2].clone(), lambda x: x[:3] * 2, (x,))
        return y.sum(0), y


def seeded(*shape, seed=0):
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed)) - 0.5


BATCH = {0: Dim.DYNAMIC}
CASES = {
    "nonzero": (Nonzero, lambda n: ((seeded(n, 3) * 4).round(),), (BATCH,)),
    "where": (Where, lambda n: ((seeded(n, 3) * 4).round(),), (BATCH,)),
    "masks": (Masks, lambda n: (seeded(n, 3),), (BATCH,)),
    "unique": (Unique, lambda n: (seeded(n, 3),), (BATCH,)),
    "item": (Item, lambda n: (seeded(n, 3), torch.tensor(n - 1)), (BATCH, None)),
    "item_of_float": (ItemOfFloat, lambda n: (seeded(n, 3), torch.tensor(n / 4)), (BATCH, None)),
    "repeat": (Repeat, lambda n: (seeded(n, 3), torch.arange(n)), (BATCH, BATCH)),
    "split": (Split, lambda n: (seeded(n, 3), torch.tensor([1, n - 1])), (BATCH, None)),
    "split_at": (SplitAt, lambda n: (seeded(n, 3), torch.tensor([1, n - 2])), (BATCH, None)),
    "split_at_complex": (
        SplitAt,
        lambda n: (torch.complex(seeded(n, 3), seeded(n, 3, seed=1)), torch.tensor([2, n - 1])),
        (BATCH, None),
    ),
    "cond": (CondOnSizes, lambda n: (seeded(n + 4, 3, seed=n),), (BATCH,)),
}


@pytest.mark.parametrize("decomposed", [False, True], ids=["training", "decomposed"])
@pytest.mark.parametrize("name", CASES)
def test_sizes(name, decomposed, tmp_path):
    build, inputs, shapes = CASES[name]
    harness.check(
        build(),
        inputs(5),
        folder=tmp_path,
        modes=MODES,
        dynamic=shapes,
        decomposed=decomposed,
        others=[(inputs(n), {}) for n in (3, 8)],
    )


@pytest.mark.parametrize("build, mode", [(Ends, "native"), (Bounds, "compiled")])
def test_bounds(build, mode, tmp_path):
    """Bounds that count from the end, lie behind the end, or are reversed, with Python's
    semantics."""
    harness.check(
        build(),
        (seeded(6, 3), torch.tensor(4)),
        folder=tmp_path,
        modes=["interpret", mode],
        dynamic=(BATCH, None),
        others=[((seeded(n, 3), torch.tensor(k)), {}) for n in (6, 9) for k in (-2, 0, 8, -20)],
    )


def test_integers(tmp_path):
    harness.check(
        Integers(),
        (seeded(3), torch.tensor(3), torch.tensor(6)),
        folder=tmp_path,
        modes=["interpret", "native"],
        others=[((seeded(3), torch.tensor(-3), torch.tensor(5)), {})],
    )


def test_none_are_selected(tmp_path):
    x = -torch.ones(4, 3)
    harness.check(Nonzero(), (x,), folder=tmp_path / "a", modes=MODES, others=[((x * 0,), {})])
    harness.check(Masks(), (x,), folder=tmp_path / "b", modes=MODES, others=[((-x,), {})])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("k, expression", [(0, "u0 >= 1"), (7, "u0 <= 6")])
def test_assertions_are_checked(k, expression, mode, tmp_path):
    """A violated assumption ends the run with an error that names the assumption and the node."""
    save(export(Item(), (torch.ones(6, 3), torch.tensor(4))), tmp_path / "m.pt2")
    with pytest.raises(harness.ToolError) as error:
        harness.run(
            tmp_path / "m.pt2",
            ((torch.ones(6, 3), torch.tensor(k)), {}),
            tmp_path / "run",
            (),
            *harness.MODES[mode],
        )
    text = str(error.value)
    assert f"Runtime assertion failed for expression {expression}" in text
    assert re.search(r"_assert_scalar|node '", text), text
    assert not (tmp_path / "run" / "out").exists() or not any((tmp_path / "run" / "out").iterdir())
