"""Operators that Python registers, in packages for PyTorch's own loaders, against eager."""

import threading

import pytest
import torch
from torch.export import Dim

import fx_mlir


@torch.library.custom_op("packaged::mix", mutates_args=())
def mix(
    xs: list[torch.Tensor],
    bias: torch.Tensor | None,
    n: int,
    scale: float,
    negate: bool,
    mode: str,
    sizes: list[int],
    weights: list[float],
    dtype: torch.dtype | None = None,
    k: int | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    total = sum(w * x for w, x in zip(weights, xs)) * scale + n
    if bias is not None:
        total = total + bias
    if negate:
        total = -total
    if mode == "double":
        total = total * 2
    return total.to(dtype or torch.float32), torch.full(sizes, float(k if k is not None else n))


@mix.register_fake
def _(xs, bias, n, scale, negate, mode, sizes, weights, dtype=None, k=None):
    return torch.empty_like(xs[0], dtype=dtype or torch.float32), torch.empty(sizes)


@torch.library.custom_op("packaged::pieces", mutates_args=())
def pieces(x: torch.Tensor, n: int) -> list[torch.Tensor]:
    return [x + i for i in range(n)]


@pieces.register_fake
def _(x, n):
    return [torch.empty_like(x) for _ in range(n)]


@torch.library.custom_op("packaged::push", mutates_args=("y", "log"))
def push(x: torch.Tensor, y: torch.Tensor, n: int, log: torch.Tensor | None = None) -> torch.Tensor:
    y.add_(x)
    if log is not None:
        log.mul_(n)
    return x * n


@push.register_fake
def _(x, y, n, log=None):
    return torch.empty_like(x)


@torch.library.custom_op("packaged::scale_", mutates_args=("xs",))
def scale_(xs: list[torch.Tensor], n: int) -> None:
    for x in xs:
        x.mul_(n)


@torch.library.custom_op("packaged::plain", mutates_args=())
def plain(x: torch.Tensor) -> torch.Tensor:
    # Conjugated lazily.
    return torch.fft.fft(x).conj()


@plain.register_fake
def _(x):
    return torch.fft.fft(x)


@torch.library.custom_op("packaged::shift", mutates_args=())
def shift(x: torch.Tensor, by: torch.types.Number) -> torch.Tensor:
    return x + by


@shift.register_fake
def _(x, by):
    return x + by


@torch.library.custom_op("packaged::check", mutates_args=())
def check(x: torch.Tensor) -> torch.Tensor:
    if (x < 0).any():
        raise ValueError("packaged::check: expected no negative values")
    return x.sqrt()


@check.register_fake
def _(x):
    return torch.empty_like(x)


@torch.library.custom_op("packaged::count", mutates_args=())
def count(x: torch.Tensor) -> int:
    return int((x > 0).sum())


@count.register_fake
def _(x):
    return torch.library.get_ctx().new_dynamic_size()


def package(module, args, folder, dynamic=None, decomposed=False):
    program = torch.export.export(module, args, dynamic_shapes=dynamic)
    if decomposed:
        program = program.run_decompositions()
    return fx_mlir.aoti_package(program, folder / "m.aoti.pt2")


def load(path, runners=1):
    from torch._inductor.package import load_package

    return load_package(path, num_runners=runners)


def compare(model, module, args):
    """Compares results, and what is written to the arguments."""
    own = [x.clone() if isinstance(x, torch.Tensor) else x for x in args]
    torch.testing.assert_close(model(*args), module(*own))
    torch.testing.assert_close(list(args), own)


class Values(torch.nn.Module):
    """Arguments of every kind, sizes and values that are known at run time, and lists."""

    def forward(self, x, y, i):
        k = i.item()
        torch._check(k >= 0)
        torch._check(k < 9)
        a, b = mix([x, y], None, 3, 0.5, True, "double", [2, 3], [1.0, 2.0])
        c, d = mix([x], y, x.shape[0], 2.0, False, "", [x.shape[0], 4], [3.0], torch.float64, k)
        p, q, r = pieces(c, 3)
        r = shift(shift(shift(shift(r, k), 1.5), True), -(2**63))
        return a, b, d, p + q, r, plain(x), plain(x) * 2


def test_values(tmp_path, capfd):
    def sample(n, k):
        return torch.randn(n, 5), torch.randn(n, 5), torch.tensor(k)

    n = Dim.DYNAMIC
    module = Values()
    model = load(package(module, sample(3, 2), tmp_path, ({0: n}, {0: n}, None)))
    for n, k in ((3, 2), (7, 0), (2, 8)):
        compare(model, module, sample(n, k))
    assert capfd.readouterr().err == ""


class Writes(torch.nn.Module):
    """Operators that write values of the graph, an input, a buffer, and a list of tensors."""

    def __init__(self):
        super().__init__()
        self.register_buffer("kept", torch.ones(4))

    def forward(self, x, y):
        z = x * 2
        a = push(x, z, 3)
        b = push(x, y, 2, self.kept)
        w = x + 1
        scale_([z, w], 5)
        return a, b, z, w, self.kept + 0


@pytest.mark.parametrize("decomposed", [False, True], ids=["training", "decomposed"])
def test_writes(decomposed, tmp_path):
    module = Writes()
    args = torch.randn(4), torch.randn(4)
    model = load(package(module, args, tmp_path, decomposed=decomposed))
    for _ in range(3):
        compare(model, module, args)


def test_error(tmp_path):
    """The text of an exception in an operator reaches the caller, and the model works on."""

    class Checked(torch.nn.Module):
        def forward(self, x):
            return check(x * 2)

    module, x = Checked(), torch.rand(5)
    model = load(package(module, (x,), tmp_path))
    for _ in range(2):
        with pytest.raises(RuntimeError, match="packaged::check: expected no negative values"):
            model(-x)
        compare(model, module, (x,))


@pytest.mark.parametrize(
    "function, text",
    [
        (lambda x: torch.zeros(count(x)), r"packaged.count.default \(count\): a result that is no"),
        (
            lambda x: shift(x, x.sum().item()),
            r"packaged.shift.default \(shift\): a floating-point argument that is computed at run",
        ),
        (lambda x: shift(x, 1j).real, r"packaged.shift.default \(shift\): a complex number"),
    ],
    ids=["result", "float", "complex"],
)
def test_refusals(function, text, tmp_path):
    class Calls(torch.nn.Module):
        def forward(self, x):
            return function(x)

    with pytest.raises(fx_mlir.Error, match=text):
        package(Calls(), (torch.rand(5),), tmp_path)
    assert not list(tmp_path.iterdir())


def test_threads(tmp_path):
    """Runs of one package in several threads."""

    class Both(torch.nn.Module):
        def forward(self, x, y):
            z = x * 2
            a = push(x, z, 3)
            return a, z, mix([x, y], y, x.shape[0], 1.0, False, "", [x.shape[0]], [1.0, 2.0])

    def sample(n):
        return torch.randn(n, 3), torch.randn(n, 3)

    module = Both()
    n = Dim.DYNAMIC
    model = load(package(module, sample(4), tmp_path, ({0: n}, {0: n})), runners=2)
    errors = []

    def work(first):
        try:
            for n in range(first, first + 40):
                compare(model, module, sample(n))
        except BaseException as error:  # noqa: BLE001  reported by the main thread
            errors.append(error)

    threads = [threading.Thread(target=work, args=(first,)) for first in (2, 30, 60)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors[0]


def test_constants(tmp_path):
    """Operators on ATen read the constants that were loaded last."""

    class Weighted(torch.nn.Module):
        def __init__(self, value):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.full((4,), value))
            self.register_buffer("total", torch.full((4,), value))

        def forward(self, x):
            a, _ = mix([x, self.weight], None, 1, 1.0, False, "", [1], [1.0, 2.0])
            return a, push(x, self.total, 3), check(self.weight * self.weight), self.total + 0

    x = torch.randn(4)
    model = load(package(Weighted(1.0), (x,), tmp_path))
    for value in (2.0, 5.0, 3.0):
        other = Weighted(value)
        model.load_constants(other.state_dict(), check_full_update=True)
        for _ in range(2):
            compare(model, other, (x,))


@pytest.mark.parametrize("from_file", [False, True], ids=["program", "file"])
def test_with_program(from_file, tmp_path):
    """One file with the code and the program; the package has an operator on ATen."""

    class Checked(torch.nn.Linear):
        def forward(self, x):
            return check(super().forward(x).abs())

    module, x = Checked(8, 4), torch.randn(3, 8)
    program, path = torch.export.export(module, (x,)), tmp_path / "both.bin"
    if from_file:
        torch.export.save(program, tmp_path / "m.pt2")
        program = tmp_path / "m.pt2"
    assert fx_mlir.aoti_package(program, path, with_program=True) == str(path)
    assert {p.name for p in tmp_path.iterdir()} <= {"both.bin", "m.pt2"}
    torch.testing.assert_close(load(path)(x), module(x))
    path = path.rename(tmp_path / "both.pt2")
    torch.testing.assert_close(load(path)(x), module(x))
    torch.testing.assert_close(torch.export.load(path).module()(x), module(x))
