"""Random operators: with the same seed, compiled code and the interpreter give the values of eager
PyTorch, for each call and each run."""

import os
import unittest.mock

import emulate
import harness
import pytest
import torch
import torch.nn.functional as F
from artefact import Model
from exporting import export, save
from handover import LINALG_PASSES, lower
from torch import nn
from torch.export import Dim
from torch.utils import _pytree as pytree
from upstream import Library

FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool)
SIZES = (1, 15, 16, 17, 1000)
#: The seed of a new PyTorch process.
DEFAULT_SEED = 67280421310721


class Program(nn.Module):
    """A function as a module in training mode."""

    def __init__(self, function, **parts):
        super().__init__()
        self.function = function
        for name, part in parts.items():
            self.add_module(name, part)

    def forward(self, *args):
        parts = dict(self.named_children())
        return self.function(*args, **parts)


def expect(module, args, seed):
    torch.manual_seed(seed)
    with torch.no_grad():
        return module(*args)


def assert_same(got, want, exact=True):
    got, want = pytree.tree_leaves(got), pytree.tree_leaves(want)
    assert len(got) == len(want)
    for k, (g, w) in enumerate(zip(got, want)):
        w = w.detach()
        assert g.dtype == w.dtype and g.shape == w.shape, k
        if exact:
            assert torch.equal(g, w), f"output {k}: got {g}, expected {w}"
        else:
            error = harness.difference(g, w)
            assert error is None, f"output {k}: {error}"


def check(module, args, folder, *, dynamic=None, others=(), exact=True, forms=(False, True)):
    """Compares the program compiled without fallback and interpreted, as exported and decomposed.
    PyTorch's decompositions drop calls and draw in another order, so a decomposed program is
    compared with itself in eager mode."""
    for decomposed in forms:
        name = "decomposed" if decomposed else "plain"
        model = folder / f"{name}.pt2"
        program = export(module, args, dynamic=dynamic, decomposed=decomposed)
        save(program, model)
        if decomposed:
            module = program.module()
        artefact = model.with_suffix(".so")
        made = harness.tool("fx-compile", model, "-o", artefact, "--no-fallback")
        assert made.returncode == 0, made.stderr
        for n, values in enumerate((args, *others)):
            want = expect(module, values, 7 + n)
            flags = "--seed", 7 + n
            got = harness.run(artefact, (values, {}), folder / f"{name}{n}", want, *flags)
            assert_same(got, want, exact)
        want = expect(module, args, 3)
        got = harness.run(model, (args, {}), folder / f"{name}.i", want, "--interpret", "--seed=3")
        assert_same(got, want, exact)


def floats(dtype):
    def draw():
        results = []
        for n in SIZES:
            results += [
                torch.rand(n, dtype=dtype),
                torch.randn(n, dtype=dtype),
                torch.empty(n, dtype=dtype).uniform_(-2.3, 3.1),
                torch.empty(n, dtype=dtype).normal_(1.7, 0.3),
                torch.empty(n, dtype=dtype).geometric_(0.3),
                torch.empty(n, dtype=dtype).cauchy_(1.7, 0.3),
                torch.empty(n, dtype=dtype).log_normal_(0.7, 0.3),
                torch.randint(-30, 100, (n,), dtype=dtype),
                torch.empty(n, dtype=dtype).random_(),
                torch.bernoulli(torch.rand(n, dtype=dtype)),
                torch.empty(n, dtype=dtype).bernoulli_(0.3),
                torch.empty(n, dtype=dtype).exponential_(1.7),
            ]
        return tuple(results)

    return draw


def integers(dtype):
    high = 2 if dtype == torch.bool else 100

    def draw():
        results = []
        for n in SIZES:
            results += [
                torch.randint(1, high, (n,), dtype=dtype),
                torch.randint(high, (n,), dtype=dtype),
                torch.empty(n, dtype=dtype).random_(),
            ]
            if dtype not in (torch.bool, torch.int8, torch.uint8):
                results.append(torch.randperm(n, dtype=dtype))
            if dtype == torch.int64:
                results.append(torch.randint(-(1 << 40), 1 << 50, (n,)))
            if dtype != torch.bool:
                results.append(torch.empty(n, dtype=dtype).geometric_(0.3))
            results.append(torch.empty(n, dtype=dtype).bernoulli_(0.3))
        return tuple(results)

    return draw


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_floats(dtype, tmp_path):
    check(Program(floats(dtype)), (), tmp_path, forms=(False,))


def test_decomposed_floats(tmp_path):
    check(Program(floats(torch.float32)), (), tmp_path, forms=(True,))


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_integers(dtype, tmp_path):
    check(Program(integers(dtype)), (), tmp_path, forms=(dtype == torch.int32,))


def test_sizes_that_only_the_run_knows(tmp_path):
    def draw(x):
        n = x.shape[0]
        return (
            torch.rand(n, 3) + x.sum(),
            torch.randn(n),
            torch.rand_like(x),
            torch.randn_like(x),
            torch.randperm(n),
            torch.randint(0, n, (5,)),
            torch.randint_like(x, 3, 9),
            torch.randint_like(x, 9),
            torch.empty_like(x).uniform_(0, 2),
            torch.bernoulli(x.sigmoid()),
        )

    sizes = {0: Dim("n", min=2, max=2000)}
    others = ((torch.ones(15, 4),), (torch.ones(16, 4),), (torch.ones(1000, 4),))
    check(Program(draw), (torch.ones(3, 4),), tmp_path, dynamic=((sizes,),), others=others)


def test_a_scalar_and_nothing(tmp_path):
    def draw(x):
        return torch.rand(()), torch.rand(0, 3), torch.randn(()), torch.randperm(0), torch.rand(2) + x

    check(Program(draw), (torch.ones(2),), tmp_path)


def test_tensors_that_are_not_contiguous(tmp_path):
    """Numbers are drawn in memory order, normal ones one by one. (Inputs come from files, which are
    contiguous.)"""

    def draw(x, image):
        t = x.t()
        image = image.contiguous(memory_format=torch.channels_last)
        return (
            torch.rand_like(t),
            torch.randn_like(t),
            torch.rand_like(image),
            torch.empty_like(image).normal_(),
            torch.empty_like(t).uniform_(1, 2),
            torch.randint_like(t, 100),
            torch.rand_like(x[:, None].expand(6, 2, 5)),
        )

    check(Program(draw), (torch.ones(6, 5), torch.ones(2, 3, 4, 5)), tmp_path)


def test_every_call_draws(tmp_path):
    """Equal calls are not merged, and an unused call still draws its numbers."""

    def draw(x):
        a, b = torch.rand(4), torch.rand(4)
        torch.randn(17)
        c = torch.rand(4) * 0
        return a, b, c + torch.rand(4), torch.randn(3), torch.randn(2), x

    check(Program(draw), (torch.ones(4),), tmp_path)


def test_normal_of_tensors(tmp_path):
    def draw(x):
        return (
            torch.normal(x, 2.0),
            torch.normal(0.5, x.abs()),
            torch.normal(x, x.abs()),
            torch.normal(1.0, 2.0, (3, 20)),
            torch.normal(x[0], x.abs()),
        )

    check(Program(draw), (torch.randn(4, 9),), tmp_path, exact=False)


def test_multinomial(tmp_path):
    def draw(x):
        p = x.softmax(-1)
        return (
            torch.multinomial(p, 1),
            torch.multinomial(p, 4),
            torch.multinomial(p[0], 3),
            torch.multinomial(p, 25, True),
            torch.multinomial(p[1], 6, True),
            torch.multinomial(p.double(), 6, True),
            F.gumbel_softmax(x).argmax(-1),
        )

    sizes = {0: Dim("n", min=2, max=50)}
    others = ((torch.randn(3, 11),),)
    check(Program(draw), (torch.randn(5, 11),), tmp_path, dynamic=((sizes,),), others=others)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_dropout(dtype, tmp_path):
    def drop(x, image):
        return (
            F.dropout(x, 0.3),
            F.dropout(x, 0.0),
            F.dropout(x, 1.0),
            F.dropout(x.t(), 0.3),
            F.dropout(x, 0.3, training=False),
            F.alpha_dropout(x, 0.2, training=True),
            F.dropout2d(image, 0.4),
            F.feature_alpha_dropout(image, 0.4, training=True),
            *torch.native_dropout(x, 0.3, True),
            *torch.native_dropout(x, 0.3, False),
        )

    args = torch.randn(9, 7).to(dtype), torch.randn(3, 6, 2, 2).to(dtype)
    check(Program(drop), args, tmp_path, exact=False)


def test_modules_in_training(tmp_path):
    torch.manual_seed(0)
    parts = {
        "layers": nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.3), nn.ReLU(), nn.Linear(16, 8)),
        "encoder": nn.TransformerEncoderLayer(8, 2, 16, dropout=0.2, batch_first=True),
        "lstm": nn.LSTM(8, 6, 2, dropout=0.4, batch_first=True, bidirectional=True),
        "gru": nn.GRU(8, 6, 3, dropout=0.4),
    }

    def run(x, layers, encoder, lstm, gru):
        q = x[:, None]
        attended = F.scaled_dot_product_attention(q, q, q, dropout_p=0.3)
        causal = F.scaled_dot_product_attention(q, q, q, dropout_p=0.3, is_causal=True)
        return layers(x), encoder(x), lstm(x)[0], gru(x)[0], attended, causal, torch.rand(3)

    check(Program(run, **parts).train(), (torch.randn(3, 5, 8),), tmp_path, exact=False)


def test_attention_with_shared_heads(tmp_path):
    def run(q, k):
        y = F.scaled_dot_product_attention(q, k, k, dropout_p=0.3, enable_gqa=True)
        return y, torch.rand(2)

    args = torch.randn(2, 4, 5, 8), torch.randn(2, 2, 6, 8)
    check(Program(run), args, tmp_path, exact=False, forms=(False,))


def test_branches_and_loops(tmp_path):
    def run(x):
        a = torch.cond(
            x.sum() > 0, lambda x: x + torch.rand(3), lambda x: x * torch.randn(3), (x,)
        )
        return a, torch.rand(3)

    others = ((-torch.ones(3),),)
    check(Program(run), (torch.ones(3),), tmp_path, others=others, forms=(False,))


def compile_(program, folder, *flags):
    save(program, folder / "m.pt2")
    made = harness.tool("fx-compile", folder / "m.pt2", "-o", folder / "m.so", *flags)
    assert made.returncode == 0, made.stderr
    return folder / "m.so"


def test_runs_go_on(tmp_path):
    """A new instance draws the numbers of a new PyTorch process, the next run continues the
    sequence, and instances are independent."""
    module = Program(lambda x: (torch.randn(3), torch.rand(5), x + torch.randn(2)))
    path = compile_(export(module, (torch.zeros(2),)), tmp_path, "--no-fallback")
    first, second = Model(path), Model(path)
    for seed in (None, 11):
        if seed is not None:
            first.api.seed(first.instance, seed)
        torch.manual_seed(DEFAULT_SEED if seed is None else seed)
        for _ in range(3):
            want = module(torch.zeros(2))
            got = [torch.from_numpy(x) for x in first(torch.zeros(2).numpy())]
            assert_same(got, want)
    torch.manual_seed(DEFAULT_SEED)
    got = [torch.from_numpy(x) for x in second(torch.zeros(2).numpy())]
    assert_same(got, module(torch.zeros(2)))


def test_aten_draws_from_the_same_generator(tmp_path):
    """Operators without native code continue native code's sequence of numbers, and vice versa."""

    def draw(x):
        return (
            torch.randn(3),
            torch.poisson(x),
            torch.rand(4),
            F.rrelu(x - 2, training=True),
            torch.randn(1),
            torch._standard_gamma(x),
            torch.rand(2),
        )

    module = Program(draw)
    args = (torch.rand(4, 5) * 4 + 0.5,)
    path = compile_(export(module, args), tmp_path)
    want = expect(module, args, 5)
    got = harness.run(path, (args, {}), tmp_path / "seeded", want, "--seed", 5)
    assert_same(got, want, exact=False)
    want = expect(module, args, DEFAULT_SEED)
    got = harness.run(tmp_path / "m.pt2", (args, {}), tmp_path / "checked", want, "--check")
    assert_same(got, want, exact=False)


def test_wrong_parameters(tmp_path):
    """The run fails with an error that names the expected and the actual value."""

    def probability(x):
        return torch.bernoulli(x)

    def spread(x):
        return torch.normal(0.0, x)

    cases = [
        (probability, torch.full((3,), 0.5), torch.full((3,), 1.5), "expected probabilities in [0, 1]"),
        (spread, torch.ones(3), -torch.ones(3), "expected standard deviations >= 0"),
    ]
    for function, good, bad, message in cases:
        shapes = (({0: Dim("n", min=2, max=9)},),)
        program = export(Program(function), (good,), dynamic=shapes)
        path = compile_(program, tmp_path, "--no-fallback")
        harness.run(path, ((good,), {}), tmp_path / "good", torch.ones(3))
        with pytest.raises(harness.ToolError, match="error") as e:
            harness.run(path, ((bad,), {}), tmp_path / "bad", torch.ones(3))
        assert message in str(e.value)


def test_a_seed_is_a_number(tmp_path):
    for text in ("x", "-1", "99999999999999999999"):
        result = harness.tool("fx-run", "m.pt2", "--inputs=a", "--outputs=b", "--seed", text)
        assert result.returncode == 1
        assert "'--seed' expects a number of 64 bits, got" in result.stderr


def test_vit_mae(tmp_path):
    """The order of random numbers masks its patches."""
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    config = transformers.ViTMAEConfig(
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=48,
        image_size=32,
        patch_size=8,
        decoder_hidden_size=24,
        decoder_num_hidden_layers=1,
        decoder_num_attention_heads=2,
        decoder_intermediate_size=40,
    )
    model = transformers.ViTMAEForPreTraining(config).eval()

    class Outputs(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, x):
            y = self.model(x)
            return y.loss, y.logits, y.mask, y.ids_restore

    check(Outputs(), (torch.randn(2, 3, 32, 32),), tmp_path, exact=False)


STATE = (1, torch.int32)


def test_handed_over(tmp_path):
    """As linalg, run by upstream's passes: the generator's state is an argument and a result."""

    def draw(x):
        results = [torch.rand(5, x.shape[0]) + x, torch.rand(()), torch.randn_like(x.t())]
        for n in (1, 15, 16, 17, 700):
            results += [
                torch.rand(n, dtype=torch.float64),
                torch.randn(n),
                torch.randn(n, dtype=torch.float64),
                torch.empty(n).normal_(1, 2),
                torch.randint(-3, 90, (n,)),
                torch.randint(0, 1 << 40, (n,)),
                torch.randperm(n),
                torch.bernoulli(torch.rand(n)),
                torch.empty(n).exponential_(2.0),
                torch.empty(n).geometric_(0.3),
                torch.empty(n).cauchy_(),
                torch.empty(n).log_normal_(0.1, 0.2),
                F.dropout(torch.ones(n), 0.3),
            ]
        return tuple(results)

    module = Program(draw)
    shapes = (({0: Dim("n", min=2, max=9)},),)
    text = lower(export(module, (torch.ones(4),), dynamic=shapes), LINALG_PASSES, tmp_path)
    library = Library(text, tmp_path)
    (generator,) = library("seed_generator", [7], [STATE])
    torch.manual_seed(7)
    for n in (4, 7):
        want = module(torch.ones(n))
        results = [STATE, *((w.dim(), w.dtype) for w in want)]
        generator, *got = library("main", [torch.ones(n), generator], results)
        assert_same(got, want, exact=False)


@pytest.mark.skipif(not emulate.DRIVER.exists(), reason="the emulator is not built")
def test_on_an_emulated_gpu(tmp_path):
    """The numbers are drawn on the host."""
    module = Program(lambda x: (torch.rand(3, 5) * x, torch.randn(20) + 1, F.dropout(x, 0.4)))
    args = (torch.randn(3, 5),)
    save(export(module, args), tmp_path / "m.pt2")
    kernels = emulate.compile_kernels(tmp_path / "m.pt2", tmp_path / "kernels")
    want = expect(module, args, 5)
    with unittest.mock.patch.dict(os.environ, emulate.driver(kernels)):
        flags = "--device=cuda:0", "--no-fallback", "--seed=5"
        got = harness.run(tmp_path / "m.pt2", (args, {}), tmp_path / "out", want, *flags)
    assert_same(got, want, exact=False)
