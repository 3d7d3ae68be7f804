"""Views, writes through them and views by strides, one by one, compared with eager; random ones
are in test_aliasing.py."""

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


def stale_view(x):
    b = x.clone()
    b.fill_(-2)
    v = b.mT
    b.index_put_((torch.arange(4),), torch.ones(()), accumulate=True)
    return v * 1


def two_views(x):
    b = x.clone()
    row, column = b.add_(1)[0], b.t()[1]
    row.mul_(3)
    column.sub_(5)
    return row * 1, column * 1, b.sum()


def written_unfold(x):
    b = x.clone()
    b[0].unfold(0, 2, 2).mul_(2)
    b.diagonal().add_(1)
    b.movedim(0, 1).narrow(0, 1, 2).zero_()
    return b


def comparison_in_place(x):
    b = x.clone()
    b.gt_(0)
    b[1].logical_not_()
    return b


def out_forms(x):
    y, m, i = torch.empty_like(x), torch.empty(4), torch.empty(4, dtype=torch.long)
    torch.add(x, 1, out=y)
    torch.max(x, 1, out=(m, i))
    y[0].fill_(7)
    return y, m, i


def bits(x):
    b = x.clone()
    b.view(torch.int32)[0].bitwise_and_(0x7FFFFFFF)
    return b


def complex_parts(x):
    z = torch.complex(x, -x)
    z.real.add_(1)
    torch.view_as_real(z)[..., 1].mul_(2)
    z.conj()[0].mul_(1j)
    return torch.view_as_real(z.resolve_conj())


def list_in_place(x):
    parts = list(x.clone().unbind(0))
    torch._foreach_add_(parts, 2)
    return parts


WRITES = [stale_view, two_views, written_unfold, comparison_in_place, out_forms, complex_parts]
#: No native code: views of other dtypes, operators on lists.
ON_ATEN = [bits, list_in_place]


@pytest.mark.parametrize("function", WRITES + ON_ATEN, ids=lambda f: f.__name__)
@pytest.mark.parametrize("decomposed", [False, True], ids=["plain", "decomposed"])
def test_writes(function, decomposed, tmp_path):
    if decomposed and function is complex_parts:
        pytest.skip("PyTorch cannot decompose a write through a conjugate view")
    harness.check(
        Function(function),
        (torch.randn(4, 4),),
        folder=tmp_path,
        modes=["interpret", "compiled" if function in ON_ATEN else "native"],
        decomposed=decomposed,
    )


#: Views of the storage of `x`, [4, 8], in whatever way it is shown.
STRIDED = {
    "offset": lambda x: x[1:3].as_strided((2, 2), (8, 1), 0),
    "own_offset": lambda x: x[1:3].as_strided((2, 2), (8, 1)),
    "transposed": lambda x: x.t().as_strided((2, 3), (3, 1)),
    "movedim": lambda x: x.view(2, 2, 8).movedim(0, 2).as_strided((3, 2), (2, 5)),
    "alias": lambda x: aten.alias(x.t()).as_strided((2, 3), (3, 1)),
    "detach": lambda x: x.t().detach().as_strided((2, 3), (3, 1)),
    "unsafe_view": lambda x: aten._unsafe_view(x, [8, 4]).t().as_strided((2, 3), (3, 1)),
    "reshape_alias": lambda x: aten._reshape_alias(x, [8, 4], [4, 1]).t().as_strided((2, 3), (3, 1)),
    "contiguous": lambda x: x.t().contiguous().as_strided((2, 3), (3, 1)),
    "as_strided": lambda x: x.as_strided((2, 3), (3, 1), 2).as_strided((2, 2), (1, 4)),
    "written": lambda x: (x := x.clone(), x.t().as_strided((2, 3), (3, 1), 1).mul_(2), x + 0)[2],
    "of_result": lambda x: torch.relu(x.t()).as_strided((2, 3), (3, 1)),
}


@pytest.mark.parametrize("name", STRIDED)
def test_as_strided(name, tmp_path):
    harness.check(
        Function(lambda x: STRIDED[name](x) * 1),
        (torch.randn(4, 8),),
        folder=tmp_path,
        modes=["interpret", "native"],
        decomposed=name == "of_result",
    )


class ChannelsLast(nn.Module):
    """An input, a parameter and a buffer whose elements lie in another order."""

    def __init__(self):
        super().__init__()
        image = torch.randn(2, 3, 4, 4).to(memory_format=torch.channels_last)
        self.weight = nn.Parameter(image, requires_grad=False)
        self.register_buffer("state", image.neg())

    def forward(self, x):
        return [t.as_strided((3, 4), (5, 2), 1) + 0 for t in (x, self.weight, self.state)]


def test_channels_last(tmp_path):
    x = torch.randn(2, 3, 4, 4).to(memory_format=torch.channels_last)
    harness.check(ChannelsLast(), (x,), folder=tmp_path, modes=["interpret", "native"])


class Cache(nn.Module):
    """A static cache, as transformers writes it."""

    def __init__(self):
        super().__init__()
        self.register_buffer("keys", torch.zeros(2, 3, 6, 5))
        self.register_buffer("values", torch.zeros(2, 3, 6, 5))

    def forward(self, at, k, v):
        self.keys[:, :, at] = k
        self.values.index_copy_(2, at, v)
        return (self.keys * 2) @ self.values.mT


def index_copy(c, at, v):
    c.index_copy_(2, at, v)
    return c * 2


def test_caches_written_at_several_indices(tmp_path):
    at, k, v = torch.tensor([1, 4]), torch.randn(2, 3, 2, 5), torch.randn(2, 3, 2, 5)
    harness.check(Cache(), (at, k, v), folder=tmp_path / "buffer", modes=["interpret", "native"])
    c = torch.randn(2, 3, 6, 5)
    harness.check(
        Function(index_copy), (c, at, v), folder=tmp_path / "input", modes=["interpret", "native"]
    )


#: Programs on `x`, [4, 8], that address the memory of an input, and what is passed for `x`: parts
#: of a storage, whose other elements nobody but torch knows.
UNKNOWN = {
    "gaps": (lambda x: x.as_strided((2, 2), (2, 1)), lambda x: x[:, ::2]),
    "view": (lambda x: x.t()[1].as_strided((2, 2), (2, 1)), lambda x: x[:, ::2]),
    "written": (lambda x: x.add_(1).as_strided((2, 2), (2, 1)), lambda x: x[:, 1:5]),
    "in_branch": (
        lambda x: torch.cond(x.sum() > 0, lambda x: x.as_strided((2, 2), (2, 1)) + 1,
                             lambda x: x[:2, :2] * 2, (x,)),
        lambda x: x[:, ::2],
    ),
    "expanded": (lambda x: x.as_strided((2, 2), (2, 1)), lambda x: x[:1].expand(4, 8)),
    "copy": (lambda x: aten.as_strided_copy(x, [2, 2], [2, 1]), lambda x: x[:, ::2]),
    "scatter": (
        lambda x: aten.as_strided_scatter(x, torch.zeros(2, 2), [2, 2], [2, 1]),
        lambda x: x[:, ::2],
    ),
    "before": (lambda x: x.as_strided((2, 2), (2, 1), 1), lambda x: x[1:3]),
}  # fmt: skip


@pytest.mark.parametrize("name", UNKNOWN)
def test_unknown_memory_is_refused(name, tmp_path):
    """Of an input with gaps nobody but torch knows what lies between its elements."""
    function, part = UNKNOWN[name]
    args = (part(torch.randn(4, 8)),)
    exporting.save(exporting.export(Function(function), args), tmp_path / "m.pt2")
    leaves.save_inputs(tmp_path / "in", args, {})
    result = harness.tool("fx-compile", tmp_path / "m.pt2", "-o", tmp_path / "m.so")
    assert result.returncode == 1
    assert "expected an operand whose memory is known" in result.stderr
    assert not (tmp_path / "m.so").exists()
    for flags in [], ["--interpret"], ["--no-fallback"]:
        result = harness.tool(
            "fx-run", tmp_path / "m.pt2", "--inputs", tmp_path / "in", "--outputs",
            tmp_path / "out", *flags,
        )  # fmt: skip
        assert result.returncode == 1
        assert "expected an operand whose memory is known" in result.stderr
        assert result.stderr.count("\n") == 1
        assert not (tmp_path / "out").exists()


#: The same, where what is addressed is known.
KNOWN = {
    "offset": (lambda x: x.as_strided((2, 2), (2, 1), 9), lambda x: x[1:3]),
    "own_offset": (lambda x: x.as_strided((2, 2), (2, 1)), lambda x: x[1:3]),
    "offset_of_view": (lambda x: x[1].as_strided((2, 2), (2, 1)), lambda x: x[1:4]),
    "transposed": (lambda x: x.as_strided((2, 2), (2, 1), 9), lambda x: x[1:3].t()),
    "written": (lambda x: x.t().add_(1).as_strided((2, 3), (3, 1), 1) + x.sum(), lambda x: x),
    "gaps_inside": (
        lambda x: (x + 1)[:, ::2].mul_(2).as_strided((2, 8), (8, 1)),
        lambda x: x[:, :6],
    ),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_memory(name, tmp_path):
    function, part = KNOWN[name]
    harness.check(
        Function(function),
        (part(torch.randn(4, 8)),),
        folder=tmp_path,
        modes=["interpret", "native"],
    )
