"""NumPy arrays that go to a model and back without capsules, and all that must not."""

import gc
import weakref

import fx_mlir
import numpy as np
import pytest
import torch
from fx_mlir import _models


class Add(torch.nn.Module):
    def forward(self, x, y):
        return x + y, {"twice": 2 * x}


class And(torch.nn.Module):
    def forward(self, x, y):
        return x & y, {"or": x | y}


def compile_add(dtype=torch.float32, shape=(3, 4)):
    # Of a tensor that is passed twice, export makes one input.
    x, y = (torch.ones(shape, dtype=dtype) for _ in range(2))
    return fx_mlir.compile(torch.export.export(Add(), (x, y)))


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
    assert type(total) is np.ndarray and total.flags.writeable
    np.testing.assert_allclose(total, np.asarray(x) + np.asarray(y))
    np.testing.assert_allclose(rest["twice"], 2 * np.asarray(x))
    assert total.dtype == rest["twice"].dtype == np.asarray(x).dtype


def numbers(*shape):
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def read_only():
    x = numbers(3, 4)
    x.flags.writeable = False
    return x


@pytest.mark.parametrize(
    "make",
    [
        lambda: numbers(3, 4),
        lambda: numbers(4, 3).T,
        lambda: numbers(3, 8)[:, ::2],
        lambda: numbers(3, 4)[::-1, ::-1],
        lambda: np.broadcast_to(numbers(4), (3, 4)),
        lambda: np.frombuffer(numbers(3, 4).tobytes(), np.float32).reshape(3, 4),
        lambda: np.ndarray((3, 4), np.float32, bytes(52), offset=4),
        read_only,
    ],
)
def test_plain_arrays(make, model, calls):
    check(model, make(), numbers(3, 4))
    check(model, numbers(3, 4), make())
    assert not calls


DTYPES = "bool uint8 int8 int16 int32 int64 float16 float32 float64 complex64 complex128".split()


@pytest.mark.parametrize("shape", [(), (0, 5), (2, 1, 3)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes_and_ranks(dtype, shape, calls):
    if dtype == "bool":
        x, y = torch.ones(shape, dtype=torch.bool), torch.zeros(shape, dtype=torch.bool)
        model = fx_mlir.compile(torch.export.export(And(), (x, y)))
        for x, y in ((x.numpy(), y.numpy()), (x.numpy(), x.numpy())):
            total, rest = model(x, y)
            np.testing.assert_array_equal(total, x & y)
            np.testing.assert_array_equal(rest["or"], x | y)
    else:
        x = (np.arange(np.prod(shape, dtype=int)) + 1).reshape(shape).astype(dtype)
        check(compile_add(getattr(torch, dtype), shape), x, x)
    assert not calls


class Tagged(np.ndarray):
    pass


@pytest.mark.parametrize(
    "make", [lambda: numbers(3, 4).view(Tagged), lambda: np.ma.array(numbers(3, 4)), lambda: torch.randn(3, 4)]
)
def test_others(make, model, calls):
    x, y = make(), numbers(3, 4)
    for args in ((x, y), (y, x)):
        total, _ = model(*args)
        np.testing.assert_allclose(np.asarray(total), np.asarray(x) + y, rtol=1e-6)
    assert len(calls) == 4


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: numbers(3, 4).astype(np.float64), "float32"),
        (lambda: numbers(3, 4).astype(">f4"), "byte order"),
        (lambda: numbers(3, 4).astype("f4,f4"), "expected a dtype of DLPack"),
        (lambda: np.ndarray((3, 4), np.float32, bytes(100), strides=(18, 4)), "expected strides"),
        (lambda: np.array([["x"] * 4] * 3), "expected a dtype of DLPack"),
        (lambda: numbers(3, 5), "expected"),
        (lambda: [1.0], "expected"),
        (lambda: memoryview(numbers(3, 4)), "expected a tensor, got memoryview"),
    ],
)
def test_errors(make, error, model):
    for args in ((numbers(3, 4), make()), (make(), numbers(3, 4))):
        with pytest.raises(fx_mlir.Error, match=error):
            model(*args)


def test_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = numbers(3, 4).astype(ml_dtypes.bfloat16)
    total, _ = compile_add(torch.bfloat16)(x, x)
    np.testing.assert_array_equal(np.asarray(total), x + x)


def test_outputs_that_numpy_lacks():
    class Narrow(torch.nn.Module):
        def forward(self, x):
            return x.bfloat16()

    model = fx_mlir.compile(torch.export.export(Narrow(), (torch.ones(2, 3),)))
    assert isinstance(model(np.ones((2, 3), np.float32)), fx_mlir.Tensor)


def test_mutated_inputs():
    class Write(torch.nn.Module):
        def forward(self, x, y):
            x.add_(y)
            return x * 2

    model = fx_mlir.compile(torch.export.export(Write(), (torch.ones(3), torch.ones(3))))
    x, y = np.zeros(3, np.float32), np.arange(3, dtype=np.float32)
    np.testing.assert_array_equal(model(x, y), 2 * y)
    np.testing.assert_array_equal(x, y)
    y.flags.writeable = False
    np.testing.assert_array_equal(model(x, y), 4 * y)
    with pytest.raises(fx_mlir.Error, match="expected an array to write to, got a read-only one"):
        model(y, y)


def test_outputs_stay(model):
    x = numbers(3, 4)
    results = [model(x + k, x) for k in range(100)]
    for k, (total, rest) in enumerate(results):
        np.testing.assert_allclose(total, x + k + x, rtol=1e-6)
        np.testing.assert_allclose(rest["twice"], 2 * (x + k), rtol=1e-6)


def test_inputs_are_released(model):
    x = numbers(3, 4)
    alive = weakref.ref(x)
    total, _ = model(x, x)
    del x
    gc.collect()
    assert alive() is None and total.shape == (3, 4)


def test_a_model_that_is_gone():
    total, _ = compile_add()(x := numbers(3, 4), x)
    np.testing.assert_allclose(total, 2 * x)
