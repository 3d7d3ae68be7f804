"""Post-training quantization, compared with PyTorch's own observers and operators."""

import json
import pathlib
import re

import exporting
import harness
import leaves
import pytest
import torch
import torch.ao.quantization.fx._decomposed  # registers quantized_decomposed
from models import registry
from torch import nn
from torch.ao.quantization import observer as observers
from torch.utils import _pytree as pytree

OBSERVERS = {
    "min-max": observers.MinMaxObserver,
    "moving-average": observers.MovingAverageMinMaxObserver,
    "histogram": observers.HistogramObserver,
}
ACTIVATIONS = {
    False: dict(dtype=torch.uint8, qscheme=torch.per_tensor_affine),
    True: dict(dtype=torch.int8, qscheme=torch.per_tensor_symmetric),
}


def save_samples(folder: pathlib.Path, samples) -> pathlib.Path:
    for k, args in enumerate(samples):
        leaves.save_inputs(folder / f"{k:03}", args, {})
    return folder


def quantize(program, samples, folder: pathlib.Path, *flags, gain: str = "0"):
    """Returns the path of fx-quantize's output for a program, and its report. The layers of tests
    are small: with the default minimal gain they would stay in float."""
    flags += ("--min-gain", gain)
    exporting.save(program, folder / "m.pt2")
    if samples:
        flags += ("--calibrate", save_samples(folder / "samples", samples))
    result = harness.tool(
        "fx-quantize", folder / "m.pt2", "-o", folder / "q.pt2", "--report", folder / "r.json", *flags
    )
    assert result.returncode == 0, result.stderr
    return folder / "q.pt2", json.loads((folder / "r.json").read_text())


def sqnr(want: torch.Tensor, got: torch.Tensor) -> float:
    want, got = want.double(), got.double()
    return 10 * torch.log10(want.pow(2).sum() / (want - got).pow(2).sum()).item()


def text_of(path: pathlib.Path) -> str:
    result = harness.tool("fx-translate", "--pt2-to-mlir", path)
    assert result.returncode == 0, result.stderr
    return result.stdout


def runs_alike(path: pathlib.Path, inputs: tuple, folder: pathlib.Path) -> list:
    """Returns the interpreter's outputs of the archive, which must equal PyTorch's."""
    expected = torch.export.load(path).module()(*inputs)
    got = harness.run(path, (inputs, {}), folder / "run", expected, "--interpret")
    harness.compare(got, expected)
    return got


#: Values that observers treat differently: outliers, values on one side of zero, a range that grows
#: from sample to sample, a constant.
DATA = {
    "normal": [torch.randn(4, 512, generator=torch.Generator().manual_seed(k)) for k in range(4)],
    "positive": [torch.rand(4, 512, generator=torch.Generator().manual_seed(k)) * (k + 1) for k in range(4)],
    "outliers": [
        torch.randn(4, 512, generator=torch.Generator().manual_seed(k)).pow(5) for k in range(3)
    ],
    "negative": [-3 - torch.rand(4, 512, generator=torch.Generator().manual_seed(7))],
    "constant": [torch.full((4, 512), 0.75), torch.full((4, 512), 0.75), torch.ones(4, 512)],
    "zero": [torch.zeros(4, 512)],
}


@pytest.mark.parametrize("symmetric", [False, True], ids=["affine", "symmetric"])
@pytest.mark.parametrize("kind", OBSERVERS)
def test_scales_are_those_of_torch(kind, symmetric, tmp_path):
    """One model with an input for each data set tests all observers at once."""

    class Layers(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList(nn.Linear(512, 4) for _ in DATA)

        def forward(self, *xs):
            return [layer(x) for layer, x in zip(self.layers, xs)]

    model = Layers().eval()
    sets = list(DATA.values())
    # A data set with fewer samples repeats its last one.
    samples = [tuple(s[min(k, len(s) - 1)] for s in sets) for k in range(4)]
    program = exporting.export(model, samples[0])
    flags = ["--observer", kind] + ["--symmetric"] * symmetric
    path, _ = quantize(program, samples, tmp_path, *flags)
    found = re.findall(r"quantize_per_tensor.default\(%xs_(\d+), (\S+), (\S+), (\S+), (\S+), ", text_of(path))
    assert len(found) == len(sets)
    for k, scale, zero, low, high in found:
        observer = OBSERVERS[kind](**ACTIVATIONS[symmetric])
        for sample in samples:
            observer(sample[int(k)])
        scales, zeros = observer.calculate_qparams()
        name = list(DATA)[int(k)]
        assert (float(scale), int(zero)) == (scales.item(), zeros.item()), name
        assert (int(low), int(high)) == (observer.quant_min, observer.quant_max)


@pytest.mark.parametrize("bits", [8, 4])
@pytest.mark.parametrize("op", ["linear", "conv", "conv_transpose", "addmm"])
def test_weights_are_those_of_torch(op, bits, tmp_path):
    """The scales of the channels and each integer equal those of torch's observer and operator."""
    torch.manual_seed(0)
    model, x, axis = {
        "linear": (nn.Linear(24, 5), torch.randn(3, 24), 0),
        "addmm": (nn.Linear(24, 5), torch.randn(3, 24), 0),
        "conv": (nn.Conv2d(6, 4, 3, groups=2), torch.randn(1, 6, 5, 5), 0),
        "conv_transpose": (nn.ConvTranspose1d(3, 4, 3), torch.randn(1, 3, 6), 1),
    }[op]
    model.weight.data[(slice(None),) * axis + (1,)] = 0  # a channel of zeros
    program = exporting.export(model.eval(), (x,), decomposed=op == "addmm")
    path, _ = quantize(program, [], tmp_path, "--mode", "weight-only", "--weight-bits", str(bits))
    state = torch.export.load(path).state_dict
    high = 2 ** (bits - 1) - 1
    observer = observers.PerChannelMinMaxObserver(
        ch_axis=axis, dtype=torch.int8, qscheme=torch.per_channel_symmetric, quant_min=-high, quant_max=high
    )
    observer(model.weight)
    scale, zero = observer.calculate_qparams()
    assert torch.equal(state["weight_scale"], scale) and torch.equal(state["weight_zero_point"], zero)
    want = torch.ops.quantized_decomposed.quantize_per_channel(
        model.weight, scale, zero, axis, -high, high, torch.int8
    )
    assert torch.equal(state["weight_q"], want)
    assert "weight" not in state
    runs_alike(path, (x,), tmp_path)


# Factors of the first group, and the dtype of the scales: those that are too small or too large
# for float16 stay float32. That of zeros is 2^-23.
@pytest.mark.parametrize(
    "factor, dtype",
    [(1, torch.float16), (0, torch.float16), (1e-3, torch.float16), (1e-4, torch.float32), (1e7, torch.float32)],
)
@pytest.mark.parametrize("mode", ["dynamic", "weight-only"])
def test_groups_are_those_of_torch(mode, factor, dtype, tmp_path):
    torch.manual_seed(0)
    model, x = nn.Linear(64, 5).eval(), torch.randn(3, 64)
    model.weight.data[0, :32] *= factor
    flags = ["--mode", mode, "--weight-bits", "4", "--group-size", "32"]
    path, report = quantize(exporting.export(model, (x,)), [(x,)], tmp_path, *flags)
    state = torch.export.load(path).state_dict
    rows = model.weight.detach().reshape(10, 32)
    scale = (rows.abs().amax(1) / 7).clamp(torch.finfo(torch.float32).eps).reshape(5, 2)
    rounded = scale.half().float()
    if dtype == torch.float32:
        rounded[0, 0] = scale[0, 0]
    assert state["weight_scale"].dtype == dtype
    assert torch.equal(state["weight_scale"].float(), rounded)
    want = torch.ops.quantized_decomposed.quantize_per_channel_group(
        model.weight, rounded, state["weight_zero_point"], -7, 7, torch.int8, 32
    )
    assert torch.equal(state["weight_q"], want)
    runs_alike(path, (x,), tmp_path)
    stored = [state[f"weight_{part}"] for part in ("q", "scale", "zero_point")]
    size = 64 * 5 + 10 * (dtype.itemsize + 8)
    assert report["weight_bytes"] == sum(t.nbytes for t in stored) == size


class Tied(nn.Module):
    """A matrix that is used with its rows as output channels and with its columns as output
    channels."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(32, 32) * torch.logspace(-2, 2, 32)[:, None])

    def forward(self, x, y):
        return nn.functional.linear(x, self.weight), y @ self.weight, x @ self.weight.t()


def test_a_weight_with_two_channel_axes(tmp_path):
    """Each axis has its own integers and scales; layers of one axis share them."""
    torch.manual_seed(0)
    model, inputs = Tied().eval(), (torch.randn(4, 32), torch.randn(4, 32))
    path, report = quantize(exporting.export(model, inputs), [], tmp_path, "--mode", "weight-only")
    got = runs_alike(path, inputs, tmp_path)
    assert min(sqnr(a, b) for a, b in zip(model(*inputs), got)) > 35
    state = torch.export.load(path).state_dict
    assert sorted(t.shape for t in state.values() if t.dtype == torch.int8) == [(32, 32)] * 2
    assert report["weight_bytes_before"] == 4 * 32 * 32
    assert report["weight_bytes"] == sum(t.nbytes for t in state.values())


def test_noise_without_signal_is_not_exact(tmp_path):
    """The float result is 0, the quantized result is not: the SQNR is the lowest possible."""
    model, x = nn.Linear(2, 1, bias=False).eval(), torch.tensor([[0.5, 1.0]])
    model.weight.data = torch.tensor([[1.0, -0.5]])
    flags = ["--observer", "min-max"]
    _, report = quantize(exporting.export(model, (x,)), [(x,)], tmp_path, *flags)
    (layer,) = report["layers"]
    assert layer["own_sqnr_db"] == "-inf"
    assert "it would lose too much" in layer["reason"]


def test_a_nan_of_the_float_model_does_not_count(tmp_path):
    torch.manual_seed(0)
    model, x = nn.Linear(8, 8).eval(), torch.randn(4, 8)
    x[0, 0] = float("nan")
    _, report = quantize(exporting.export(model, (x,)), [(x,)], tmp_path, "--mode", "weight-only")
    (layer,), (output,) = report["layers"], report["outputs"]
    assert min(layer["own_sqnr_db"], layer["sqnr_db"], output["sqnr_db"]) > 35


def randoms(spec: registry.Spec, count: int):
    args, _ = spec.inputs()
    return [tuple(registry.rand(*a.shape, seed=100 + k) for a in args) for k in range(count)]


@pytest.mark.parametrize("mode", ["static", "dynamic", "weight-only"])
def test_autoencoder(mode, tmp_path):
    spec = registry.get("autoencoder_small")
    model = spec.build()
    path, report = quantize(spec.program(model, dynamic=True), randoms(spec, 4), tmp_path, "--mode", mode)
    assert all(layer["quantized"] for layer in report["layers"])
    assert report["samples"] == 4
    x = registry.rand(5, 176, seed=9)
    got = runs_alike(path, (x,), tmp_path)
    assert sqnr(model(x), got[0]) > 25
    # The SQNR of the report is that of its samples.
    got = [torch.export.load(path).module()(*s) for s in randoms(spec, 4)]
    want = [model(*s) for s in randoms(spec, 4)]
    assert abs(sqnr(torch.cat(want), torch.cat(got)) - report["outputs"][0]["sqnr_db"]) < 0.01


@pytest.mark.parametrize("observer", ["min-max", "moving-average", "histogram", "kl"])
def test_resnet_block(observer, tmp_path):
    """Folded batch norms, sums, pools: everything runs on integers."""
    spec = registry.get("resnet_small")
    model = spec.build()
    samples = randoms(spec, 3)
    path, report = quantize(spec.program(model), samples, tmp_path, "--observer", observer)
    assert all(layer["quantized"] for layer in report["layers"])
    kinds = {layer["target"] for layer in report["layers"]}
    assert {"aten.add.Tensor", "aten.max_pool2d.default", "aten.adaptive_avg_pool2d.default"} < kinds
    got = runs_alike(path, samples[0], tmp_path)
    assert sqnr(model(*samples[0]), got[0]) > (20 if observer == "kl" else 30)
    state = torch.export.load(path).state_dict
    assert not any(v.dtype == torch.float32 and v.dim() > 1 for v in state.values())
    # The folded norms and their float weights are removed.
    assert not any("running" in name or "bn" in name for name in state)


def test_what_loses_too_much_stays_in_float(tmp_path):
    """A layer whose input has one large value among small ones stays in float."""

    class Spread(nn.Module):
        def __init__(self):
            super().__init__()
            self.fine, self.coarse = nn.Linear(32, 32), nn.Linear(32, 32, bias=False)

        def forward(self, x):
            y = self.fine(x)
            return self.coarse(torch.cat([y[:, :1] * 1e5, y[:, 1:]], 1) * 1e-3)[:, :4]

    torch.manual_seed(0)
    model = Spread().eval()
    model.coarse.weight.data[:, 0] = 1e-6
    samples = [(torch.randn(4, 32),)]
    flags = ["--observer", "min-max", "--min-sqnr", "20"]
    path, report = quantize(exporting.export(model, samples[0]), samples, tmp_path, *flags)
    layers = {layer["module"]: layer for layer in report["layers"] if "linear" in layer["target"]}
    assert layers["fine"]["quantized"] and not layers["coarse"]["quantized"]
    assert "it would lose too much" in layers["coarse"]["reason"]
    assert layers["coarse"]["own_sqnr_db"] < 20
    got = runs_alike(path, samples[0], tmp_path)
    assert sqnr(model(*samples[0]), got[0]) > 20


class Groups(nn.Module):
    """Grouped convolutions: between others, strided, on the input, with one row."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(8, 16, 3, padding=1, groups=2)
        self.point = nn.Conv2d(16, 24, 1)
        self.strided = nn.Conv2d(24, 24, 3, stride=2, padding=1, groups=3)
        self.wide = nn.Conv2d(24, 80, (1, 3), groups=2)
        self.odd = nn.Conv2d(80, 16, 1, groups=16)
        self.points = nn.Conv2d(16, 16, 1, groups=2)
        self.line = nn.Conv1d(16, 8, 2, groups=2)

    def forward(self, x):
        y = self.point(self.first(x).relu()).relu()
        y = self.odd(self.wide(self.strided(y).relu()).relu()).relu()
        return self.line(self.points(y).flatten(2))


@pytest.mark.parametrize("flags", [[], ["--symmetric"], ["--per-tensor"]])
def test_convolutions_in_groups_are_integers(flags, tmp_path):
    torch.manual_seed(0)
    model, x = Groups().eval(), torch.randn(2, 8, 10, 12)
    program = exporting.export(model, (x,))
    path, report = quantize(program, [(x,)], tmp_path, *flags)
    assert all(layer["quantized"] for layer in report["layers"])
    want, got = model(x), runs_alike(path, (x,), tmp_path)
    assert sqnr(want, got[0]) > 25
    kernels = harness.tool("fx-compile", path, "--emit=kernels", "-o", tmp_path / "k.mlir")
    assert kernels.returncode == 0, kernels.stderr
    # All convolutions but those with groups of five channels.
    assert count_integer_products(tmp_path / "k.mlir") == 6
    native = harness.run(harness.compiled(path, "native", 2), ((x,), {}), tmp_path / "native", want)
    assert sqnr(got[0], native[0]) > 90


def count_integer_products(kernels: pathlib.Path) -> int:
    """Counts the kernels with packed bytes: four bytes of each column are adjacent."""
    lines = kernels.read_text().splitlines()
    return sum('#fx_kernel.contraction' in line and "x4xi8," in line for line in lines)


class Products(nn.Module):
    """Attention by hand, and a matmul whose number of terms is no multiple of four."""

    def forward(self, q, k, v, x, y):
        p = (q @ k.transpose(-1, -2)).softmax(-1)
        return p @ v, x @ y


@pytest.mark.parametrize("flags", [[], ["--symmetric"]])
def test_products_of_activations_are_integers(flags, tmp_path):
    torch.manual_seed(0)
    q, k, v = torch.randn(2, 3, 10, 16), torch.randn(2, 3, 20, 16) + 1, torch.rand(2, 3, 20, 24)
    inputs = (q, k, v, torch.rand(5, 7), torch.randn(7, 40) - 2)
    model = Products()
    path, report = quantize(exporting.export(model, inputs), [inputs], tmp_path, *flags)
    assert [layer["quantized"] for layer in report["layers"]] == [True] * 3
    want, got = model(*inputs), runs_alike(path, inputs, tmp_path)
    assert min(sqnr(a, b) for a, b in zip(want, got)) > 25
    kernels = harness.tool("fx-compile", path, "--emit=kernels", "-o", tmp_path / "k.mlir")
    assert kernels.returncode == 0, kernels.stderr
    assert count_integer_products(tmp_path / "k.mlir") == 3
    native = harness.run(harness.compiled(path, "native", 2), (inputs, {}), tmp_path / "native", want)
    assert min(sqnr(a, b) for a, b in zip(got, native)) > 90


class Slow(nn.Module):
    """Layers that are faster on integers, and layers that are not."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 64, 3, padding=1)
        self.depthwise = nn.Conv2d(64, 64, 3, padding=1, groups=64)
        self.wide, self.narrow = nn.Linear(64, 512), nn.Linear(512, 1)

    def forward(self, x):
        y = self.depthwise(self.conv(x).relu()).relu().flatten(2).transpose(1, 2)
        z = self.wide(y).relu()
        return self.narrow(z), y @ y.transpose(1, 2), x.flatten(1)[:, :64] @ y.transpose(1, 2)


def test_what_gains_no_time_stays_in_float(tmp_path):
    torch.manual_seed(0)
    model, x = Slow().eval(), torch.randn(1, 3, 8, 8)
    program = exporting.export(model, (x,))
    path, report = quantize(program, [(x,)], tmp_path, gain="1")
    layers = {layer["module"] or layer["node"]: layer for layer in report["layers"]}
    layers["row"] = layers.pop("matmul_1")
    assert {name: layer["quantized"] for name, layer in layers.items()} == {
        "conv": True, "depthwise": False, "wide": True, "narrow": False, "matmul": True, "row": False
    }
    for name, layer in layers.items():
        assert (layer["float_us"] >= layer["integer_us"]) == layer["quantized"], name
    for name, note in {"depthwise": r" \(which have no code for it\)", "row": ""}.items():
        layer = layers[name]
        numbers = re.search(
            rf"about ([\d.]+) us on integers{note}, ([\d.]+) us in float", layer["reason"]
        )
        assert float(numbers[1]) == round(layer["integer_us"], 2)
        assert float(numbers[2]) == round(layer["float_us"], 2)
    # The expected times, computed here: the larger of the times of 2 m n k operations and of the
    # bytes.
    wide = layers["wide"]
    real = max(2 * 64 * 64 * 512 / 100e3, 4 * (64 * 64 + 64 * 512 + 64 * 512) / 20e3)
    integer = max(
        2 * 64 * 64 * 512 / 400e3, (64 * 64 + 64 * 512 + 4 * (512 + 64 * 512)) / 20e3
    )
    # The other matmul reads these integers, too: each of the two counts half of their cost.
    integer += (16 * 64 * 64 / 2 + 4 * 64 * 512) / 100e3
    assert wide["float_us"] == pytest.approx(real)
    assert wide["integer_us"] == pytest.approx(integer)
    got = runs_alike(path, (x,), tmp_path)
    assert min(sqnr(a, b) for a, b in zip(model(x), got)) > 25
    # For a narrow layer of one row start-up costs more than it gains; no layer reaches a gain of
    # 100.
    for flags, gain in [(["--mode", "dynamic"], "1"), ([], "100")]:
        narrow = exporting.export(nn.Linear(64, 1).eval(), (torch.randn(1, 64),))
        samples = [] if flags else [(torch.randn(1, 64),)]
        path, report = quantize(narrow, samples, tmp_path / gain, *flags, gain=gain)
        assert not report["layers"][0]["quantized"]
    result = harness.tool("fx-quantize", path, "--min-gain=-1", "-o", tmp_path / "no.pt2")
    assert result.returncode == 1
    assert result.stderr == "error: expected a gain of 0 or more, got '-1.00'\n"


class Quantized(nn.Module):
    """A linear layer as PyTorch's own quantization exports it."""

    def __init__(self):
        super().__init__()
        self.register_buffer("weight", torch.randint(-127, 128, (4, 8), dtype=torch.int8))
        self.register_buffer("scale", torch.rand(4) / 100)
        self.register_buffer("zero", torch.zeros(4, dtype=torch.int64))

    def forward(self, x):
        ops = torch.ops.quantized_decomposed
        q = ops.quantize_per_tensor(x, 0.03, 128, 0, 255, torch.uint8)
        d = ops.dequantize_per_tensor(q, 0.03, 128, 0, 255, torch.uint8)
        w = ops.dequantize_per_channel(self.weight, self.scale, self.zero, 0, -127, 127, torch.int8)
        return nn.functional.linear(d, w).relu()


def test_quantized_programs_stay(tmp_path):
    torch.manual_seed(0)
    model, x = Quantized().eval(), torch.randn(3, 8)
    path, report = quantize(exporting.export(model, (x,)), [(x,)], tmp_path)
    assert [layer["reason"] for layer in report["layers"]] == ["it is quantized already"]
    harness.compare(runs_alike(path, (x,), tmp_path), model(x))
    graph = re.compile(r"call_function @(\S+?)\(")
    assert graph.findall(text_of(path)) == graph.findall(text_of(tmp_path / "m.pt2"))


@pytest.mark.parametrize("form", [["static"], ["dynamic"], ["weight-only"], ["weight-only", "--weight-bits", "4", "--group-size", "16"]])
def test_llama(form, tmp_path):
    spec = registry.get("llama_small")
    model = spec.build()
    inputs = spec.inputs()[0]
    path, report = quantize(spec.program(model), [inputs], tmp_path, "--mode", *form)
    linear = [layer for layer in report["layers"] if layer["target"] == "aten.linear.default"]
    assert linear and all(layer["quantized"] for layer in linear)
    got = harness.run(path, (inputs, {}), tmp_path / "run", model(*inputs), "--interpret")
    want = pytree.tree_leaves(model(*inputs))
    assert sqnr(want[0], got[0]) > (20 if "4" in form else 35)
    native = harness.run(harness.compiled(path, "native", 2), (inputs, {}), tmp_path / "native", want)
    assert sqnr(got[0], native[0]) > 60


CLASSES = 64


def images(labels, seed: int) -> torch.Tensor:
    """Returns a picture of each given class: the class's own pattern at several sizes, and
    noise."""
    g = torch.Generator().manual_seed(seed)
    pictures = []
    for label in labels:
        own = torch.Generator().manual_seed(int(label))
        total = torch.zeros(1, 3, 224, 224)
        for size in (2, 5, 14, 56):
            noise = torch.randn(1, 3, size, size, generator=own) + 0.3 * torch.randn(1, 3, size, size, generator=g)
            total += nn.functional.interpolate(noise, (224, 224), mode="bilinear")
        pictures.append(total)
    return torch.cat(pictures)


@pytest.mark.long
def test_resnet50_agrees(tmp_path):
    """Norms with the statistics of the data, and a head that selects the nearest class mean: the
    many classes stay the same after quantization."""
    spec = registry.get("resnet50")
    model = spec.build()
    for norm in model.modules():
        if isinstance(norm, nn.BatchNorm2d):
            norm.reset_running_stats()
            norm.momentum = None
            norm.train()
    labels = torch.arange(CLASSES)
    with torch.no_grad():
        for k in range(0, CLASSES, 16):
            model(images(labels[k : k + 16], 1))
        model.eval()
        head, model.fc = model.fc, nn.Identity()
        means = torch.cat([model(images(labels[k : k + 16], 2)) for k in range(0, CLASSES, 16)])
        head.weight[:CLASSES] = means
        head.bias[:CLASSES] = -means.pow(2).sum(1) / 2
        head.weight[CLASSES:] = 0
        head.bias[CLASSES:] = -means.pow(2).sum(1).max()
        model.fc = head
    samples = [(images(labels[k::16], 3),) for k in range(8)]
    path, report = quantize(spec.program(model, dynamic=True), samples, tmp_path)
    assert all(layer["quantized"] for layer in report["layers"])
    quantized = torch.export.load(path).module()
    with torch.no_grad():
        batches = [images(labels[k % 8 :: 8], 4 + k // 8) for k in range(32)]
        want = torch.cat([model(x) for x in batches])[:, :CLASSES]
        got = torch.cat([quantized(x) for x in batches])[:, :CLASSES]
    found, agreement = want.argmax(1).unique(), (want.argmax(1) == got.argmax(1)).float().mean().item()
    print(f"{len(found)} classes of {len(want)} inputs, {sqnr(want, got):.1f} dB, {agreement:.4f}")
    assert len(found) >= 50
    assert sqnr(want, got) >= 25
    assert agreement >= 0.98
