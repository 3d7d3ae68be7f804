"""torch.compile(backend="fx_mlir"): inference and training, compared with eager."""

import copy

import pytest
import torch
from torch import nn

import fx_mlir


class Residual(nn.Module):
    def __init__(self, inner, outer, stride):
        super().__init__()
        self.a = nn.Conv2d(inner, outer, 3, stride, 1, bias=False)
        self.bn_a = nn.BatchNorm2d(outer)
        self.b = nn.Conv2d(outer, outer, 3, 1, 1, bias=False)
        self.bn_b = nn.BatchNorm2d(outer)
        self.short = nn.Sequential(
            nn.Conv2d(inner, outer, 1, stride, bias=False), nn.BatchNorm2d(outer)
        )

    def forward(self, x):
        y = torch.relu(self.bn_a(self.a(x)))
        return torch.relu(self.bn_b(self.b(y)) + self.short(x))


class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 8, 7, 2, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(3, 2, 1)
        )
        self.blocks = nn.Sequential(Residual(8, 8, 1), Residual(8, 16, 2))
        self.head = nn.Linear(16, 10)

    def forward(self, x):
        return self.head(nn.functional.adaptive_avg_pool2d(self.blocks(self.stem(x)), 1).flatten(1))


def compile(model, **kwargs):
    return torch.compile(model, backend="fx_mlir", fullgraph=True, **kwargs)


def check(got, want):
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)


def test_registered():
    assert "fx_mlir" in torch._dynamo.list_backends()


@torch.no_grad()
def test_resnet_inference():
    model = ResNet().eval()
    x = torch.randn(2, 3, 32, 32)
    check(compile(model)(x), model(x))


@torch.no_grad()
def test_transformer_inference():
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, norm_first=True)
    model = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
    compiled = compile(model, dynamic=True)
    for length in (7, 12):
        x = torch.randn(2, length, 32)
        check(compiled(x), model(x))


def test_outputs_that_are_inputs_views_and_numbers():
    def fn(x, n):
        y = x * n
        y.add_(1)
        return x, y.t(), y[0], n + 1, None, [x.shape[0], 3]

    x = torch.randn(3, 4)
    got, want = compile(fn, dynamic=True)(x, 2), fn(x, 2)
    assert got[0] is x and got[3:] == want[3:]
    for a, b in zip(got[:3], want[:3]):
        check(a, b)
        assert a.stride() == b.stride()


def constants(x):
    """Constant tensors of the graph: several dtypes, a scalar, an empty tensor, a tensor that is
    written to, and one that is returned directly."""
    written = torch.tensor([1.0, 2.0, 3.0])
    written.add_(x)
    return (
        written * torch.tensor(2) + torch.tensor([]).sum(),
        torch.tensor([1 + 1j, 2 - 1j]) * x[0],
        torch.tensor([True, False, True]) & (x > 0),
        torch.tensor([3, 4], dtype=torch.uint8),
        torch.tensor(0.5, dtype=torch.float64),
    )


@pytest.mark.parametrize("dynamic", [False, True])
def test_constant_tensors(dynamic):
    compiled = compile(constants, dynamic=dynamic)
    for x in (torch.ones(3), torch.tensor([-1.0, 2.0, 5.0])):
        check(compiled(x), constants(x))


def test_constant_tensors_in_training():
    def fn(x):
        return (x * torch.tensor([1.0, 2.0, 3.0])).sum() * torch.tensor(0.5)

    x, y = (torch.ones(3, requires_grad=True) for _ in range(2))
    compile(fn)(x).backward()
    fn(y).backward()
    check(x.grad, y.grad)


def test_input_mutation():
    def fn(x):
        x.mul_(3)
        return x + 1

    x = torch.ones(4)
    check(compile(fn)(x), torch.full((4,), 4.0))
    check(x, torch.full((4,), 3.0))


def test_errors():
    with pytest.raises(Exception, match="no native code|native code for every operator"):
        compile(torch.linalg.eigvalsh, options={"no_fallback": True})(torch.eye(3))
    with pytest.raises(Exception, match="unknown option 'speed'"):
        compile(torch.sin, options={"speed": 1})(torch.ones(2))


def train(model, batches, loss_fn, compiled):
    """Trains one step on each batch, and returns the losses."""
    call = compile(model) if compiled else model
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    losses = []
    for x, y in batches:
        optimizer.zero_grad()
        loss = loss_fn(call(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return torch.tensor(losses)


def compare_training(model, batches, loss_fn):
    other = copy.deepcopy(model)
    want = train(model, batches, loss_fn, compiled=False)
    got = train(other, batches, loss_fn, compiled=True)
    assert len(got) == 20 and want[-1] < want[0]
    torch.testing.assert_close(got, want, rtol=0, atol=1e-4)


class CNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2)
        )
        self.head = nn.Linear(8 * 8 * 8, 10)

    def forward(self, x):
        return self.head(self.features(x).flatten(1))


def test_cnn_training():
    x, y = torch.randn(16, 1, 16, 16), torch.randint(10, (16,))
    compare_training(CNN(), [(x, y)] * 20, nn.functional.cross_entropy)


class Language(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(20, 32)
        layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True, activation="gelu")
        self.body = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(32, 20)

    def forward(self, tokens):
        return self.head(self.body(self.embed(tokens))).flatten(0, 1)


def test_transformer_training():
    tokens = torch.randint(20, (4, 9))
    batches = [(tokens[:, :-1], tokens[:, 1:].flatten())] * 20
    compare_training(Language(), batches, nn.functional.cross_entropy)


def test_dropout_draws_as_eager():
    model = nn.Sequential(nn.Linear(8, 64), nn.Dropout(0.5))
    x = torch.randn(4, 8)
    torch.manual_seed(3)
    want = model(x)
    torch.manual_seed(3)
    check(compile(model)(x), want)


def test_random_numbers_are_torchs():
    """Native code, ATen and the code around calls draw from one generator."""

    def draw(x):
        return torch.rand(3) + x, torch.poisson(x.abs()), torch.randn(5), torch.randn(1)

    fast = compile(draw)
    x = torch.rand(3) * 4
    for _ in range(2):
        torch.manual_seed(3)
        want = [draw(x), torch.rand(2), draw(x), torch.randn(1)]
        torch.manual_seed(3)
        got = [fast(x), torch.rand(2), fast(x), torch.randn(1)]
        check(got, want)


def test_backend_of_the_package():
    from fx_mlir.backend import fx_mlir as backend

    assert torch._dynamo.lookup_backend("fx_mlir") is backend
    assert fx_mlir.version() == fx_mlir.__version__


@pytest.mark.parametrize("function", [
    lambda i: torch.nn.functional.one_hot(i, 4),
    lambda i: (torch._assert_async((i >= 0).all(), "negative"), i * 2)[1],
])
def test_assertions(function):
    """AOTAutograd records no values for assertions, which have no results."""
    i = torch.tensor([0, 3, 1])
    assert torch.equal(torch.compile(function, backend="fx_mlir")(i), function(i))
