"""Tensors of torch that go to a model and back without capsules, and all that must not."""

import fx_mlir
import pytest
import torch
from fx_mlir import _models

pytestmark = pytest.mark.skipif(
    not hasattr(torch.Tensor, "__dlpack_c_exchange_api__"), reason="torch has no C exchange"
)


class Add(torch.nn.Module):
    def forward(self, x, y):
        return x + y, {"twice": 2 * x}


def compile_add():
    return fx_mlir.compile(torch.export.export(Add(), (torch.ones(3, 4), torch.ones(3, 4))))


@pytest.fixture(scope="module")
def model():
    return compile_add()


@pytest.fixture
def calls(monkeypatch):
    """The values that become capsules."""
    seen = []

    def record(value, *args):
        seen.append(value)
        return original(value, *args)

    original = _models.to_capsule
    monkeypatch.setattr(_models, "to_capsule", record)
    return seen


def check(model, x, y):
    total, rest = model(x, y)
    torch.testing.assert_close(total, (x + y).detach().as_subclass(torch.Tensor))
    torch.testing.assert_close(rest["twice"], (2 * x).detach().as_subclass(torch.Tensor))


def test_plain_tensors(model, calls):
    x = torch.randn(3, 4)
    check(model, x, x)
    check(model, x[:, 1:].new_ones(3, 4), torch.randn(4, 3).t())
    check(model, torch.randn(3, 4, requires_grad=True), torch.randn(3, 8)[:, ::2])
    assert not calls


class Tagged(torch.Tensor):
    pass


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.nn.Parameter(torch.randn(3, 4)),
        lambda: torch.randn(3, 4).as_subclass(Tagged),
        lambda: torch.randn(3, 4, dtype=torch.complex64).conj().imag,
        lambda: torch._neg_view(torch.randn(3, 4)),
    ],
)
def test_others(make, model, calls):
    x = make()
    check(model, torch.randn(3, 4), x)
    check(model, x, torch.randn(3, 4))
    assert len(calls) == 4


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: torch.ones(3, 4).to_sparse(), "expected a strided tensor"),
        (lambda: torch.nested.nested_tensor([torch.ones(3)]), "expected a plain tensor"),
        (lambda: torch.ones(3, 4, device="meta"), "expected a tensor on the CPU"),
        (lambda: torch.ones(3, 4, dtype=torch.float64), "float32"),
        (lambda: torch.ones(3, 5), "expected"),
        (lambda: 1.5, "expected a tensor"),
    ],
)
def test_errors(make, error, model):
    with pytest.raises(fx_mlir.Error, match=error):
        model(torch.ones(3, 4), make())


def test_outputs_stay(model):
    x = torch.randn(3, 4)
    results = [model(x + k, x) for k in range(100)]
    for k, (total, rest) in enumerate(results):
        torch.testing.assert_close(total, x + k + x)
        torch.testing.assert_close(rest["twice"], 2 * (x + k))


def test_a_model_that_is_gone():
    x = torch.randn(3, 4)
    total, _ = compile_add()(x, x)
    torch.testing.assert_close(total, 2 * x)
