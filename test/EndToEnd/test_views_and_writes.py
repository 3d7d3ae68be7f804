"""Views, writes through them and strided views, one by one, compared with eager mode.
test_aliasing.py has random programs."""

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


def one_of_equal_elements(x):
    """A view shows an element at several places; a write to one of them changes the element."""
    b = x.clone()
    v = b[:1].broadcast_to(3, 4)
    v[1, 1:3] -= 5
    w = b[2:].unsqueeze(0).expand(2, 2, 4).split(1)[1]
    w[:, :1, ::2].mul_(3)
    u = b.unfold(1, 2, 1)
    u[3, 1].zero_()
    return b, v * 1, w * 1


def restrided(x):
    b = x.clone()
    part = b[2:]
    aten.as_strided_(part, (2, 3), (3, 1), None)
    part.clamp_(max=0)
    return b, part * 1


def diagonals(x):
    b, tall = x.clone(), torch.zeros(9, 3, dtype=x.dtype)
    b.t().fill_diagonal_(7)
    b[1:, 1:3].fill_diagonal_(5)
    tall.fill_diagonal_(2, wrap=True)
    return b, tall, torch.zeros(3, 3, 3).fill_diagonal_(1)


def mixed_out(x):
    """A value that is computed in one dtype is written in another."""
    a, b = torch.arange(4, dtype=torch.int16), torch.arange(4)
    stacked = torch.zeros(2, 4, dtype=torch.int16)
    aten.row_stack.out([a, b], out=stacked)
    product = torch.zeros(16, dtype=torch.complex64)
    aten.kron.out(x[0], x[1], out=product)
    small = torch.tensor([4, 6, 9], dtype=torch.uint8)
    small.gcd_(torch.tensor([2, 4, 6]))
    low = x.to(torch.bfloat16)
    low.addcmul_(x, x, value=-1)
    return stacked, torch.view_as_real(product), small * 1, low


def same_values(x):
    b = x.clone()
    v = b.t().conj_physical_()
    b.add_(1)
    c = torch.empty_like(x)
    torch.conj_physical(b, out=c)
    b.mul_(2)
    return v * 1, c * 1, b, torch.tensor(3.0).movedim(0, -1) + x


def split_at_values(x):
    b = x.clone()
    first, second, third = b.tensor_split([3, 1], 0)
    first.add_(1)
    third.mul_(2)
    return b, first * 1, second * 1, third * 1


def lists(x):
    b = x.clone()
    rows = list(b.unbind(0))
    torch._foreach_mul_(rows, [1.0, 2.0, 3.0, 4.0])
    torch._foreach_add_(rows[:2], rows[2:], alpha=2)
    torch._foreach_zero_(rows[3:])
    return b, torch._foreach_exp(rows), torch._foreach_maximum(rows, 0.5)


WRITES = [
    *[stale_view, two_views, written_unfold, comparison_in_place, out_forms, complex_parts],
    *[one_of_equal_elements, restrided, diagonals, mixed_out, same_values, split_at_values, lists],
    list_in_place,
]
#: Views with other dtypes have no native code.
ON_ATEN = [bits]
#: PyTorch's own decomposition rejects these or is wrong.
PLAIN_ONLY = [complex_parts, one_of_equal_elements, restrided, diagonals]


@pytest.mark.parametrize("function", WRITES + ON_ATEN, ids=lambda f: f.__name__)
@pytest.mark.parametrize("decomposed", [False, True], ids=["plain", "decomposed"])
def test_writes(function, decomposed, tmp_path):
    if decomposed and function in PLAIN_ONLY:
        pytest.skip("PyTorch cannot decompose a write through such a view")
    harness.check(
        Function(function),
        (torch.randn(4, 4),),
        folder=tmp_path,
        modes=["interpret", "compiled" if function in ON_ATEN else "native"],
        decomposed=decomposed,
    )


#: Views of the storage of `x`, [4, 8], through other views of it.
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
    """An input, a parameter and a buffer with another memory order."""

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
    """A static cache, as transformers updates it."""

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


#: Programs on `x`, [4, 8], that address the memory of an input, and the views that are passed as
#: `x`: parts of a storage whose other elements only torch knows.
UNKNOWN = {
    "gaps": (lambda x: x.as_strided((2, 2), (2, 1)), lambda x: x[:, ::2]),
    "view": (lambda x: x.t()[1].as_strided((2, 2), (2, 1)), lambda x: x[:, ::2]),
    "written": (lambda x: x.add_(1).as_strided((2, 2), (4, 1)), lambda x: x[:, 1:5]),
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
    """The memory between the elements of an input with gaps is not known to the compiler."""
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


#: Similar programs where the addressed memory is known.
KNOWN = {
    "offset": (lambda x: x.as_strided((2, 2), (2, 1), 9), lambda x: x[1:3]),
    "own_offset": (lambda x: x.as_strided((2, 2), (2, 1)), lambda x: x[1:3]),
    "offset_of_view": (lambda x: x[1].as_strided((2, 2), (2, 1)), lambda x: x[1:4]),
    "transposed": (lambda x: x.as_strided((2, 2), (2, 1), 9), lambda x: x[1:3].t()),
    "written": (lambda x: x.t().add_(1).as_strided((2, 3), (3, 1), 1) + x.sum(), lambda x: x),
    "gaps": (lambda x: x.as_strided((2, 3), (8, 2), 10), lambda x: x[1:, ::2]),
    "gaps_of_view": (lambda x: x.t().as_strided((3,), (10,)) + x.sum(), lambda x: x[:, ::2]),
    "gaps_written": (
        lambda x: (x.add_(1), x.as_strided((3,), (2,)).mul_(5), x.t()[0].sub_(1), x * 2)[3],
        lambda x: x[:, ::2],
    ),
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


class Gaps(nn.Module):
    """A buffer with gaps, written through a strided view."""

    def __init__(self):
        super().__init__()
        self.register_buffer("state", torch.randn(4, 8)[:, 1::2])

    def forward(self, x):
        self.state.view(1, 4, 4).as_strided((3,), (2,), 1).add_(x)
        return self.state * 1


def test_states_with_gaps(tmp_path):
    harness.check(
        Gaps(), (torch.randn(3),), folder=tmp_path, modes=["interpret", "native"], decomposed=False
    )


#: Conversions that keep dtype and device: whether the result is the tensor itself depends on the
#: memory format that torch infers for it (`suggest_memory_format`).
FORMATS = {
    "permuted": (torch.contiguous_format, lambda: torch.randn(4, 4, 3, 1).permute(3, 2, 1, 0)),
    "gaps": (torch.contiguous_format, lambda: torch.randn(2, 3, 4, 8)[..., ::2]),
    "matrix": (torch.contiguous_format, lambda: torch.randn(6, 2).t()),
    "one_channel": (torch.channels_last, lambda: torch.randn(2, 1, 3, 4)),
    "channels_last": (
        torch.channels_last,
        lambda: torch.randn(2, 3, 4, 4).to(memory_format=torch.channels_last),
    ),
    "from_channels_last": (
        torch.contiguous_format,
        lambda: torch.randn(2, 3, 4, 4).to(memory_format=torch.channels_last),
    ),
    "video": (
        torch.channels_last_3d,
        lambda: torch.randn(1, 2, 3, 2, 2).to(memory_format=torch.channels_last_3d),
    ),
}


@pytest.mark.parametrize("name", FORMATS)
def test_conversions_that_keep_the_tensor(name, tmp_path):
    memory_format, make = FORMATS[name]

    def convert(x):
        y = x.to(x.dtype, memory_format=memory_format)
        y.mul_(3)
        return x + 0, y + 0

    harness.check(
        Function(convert), (make(),), folder=tmp_path, modes=["native"], decomposed=False
    )


@pytest.mark.parametrize("name", ["mH", "adjoint"])
def test_strides_of_conjugated_views(name, tmp_path):
    """as_strided keeps the conjugation of the view and addresses the storage."""

    def read(x):
        y = x.mH if name == "mH" else torch.adjoint(x)
        return y.as_strided((1, 3, 1), (3, 1, 1), 2) * 1

    x = torch.arange(24).sub(7).to(torch.complex64).mul(1 - 2j).reshape(1, 2, 3, 4)
    harness.check(Function(read), (x,), folder=tmp_path, modes=["native"], decomposed=False)
