"""Weights of compiled models from safetensors, replaced by name without compiling again."""

import json
import os
import subprocess

import fx_mlir
import numpy as np
import pytest
import torch
import weight_files
from safetensors.torch import save_file
from torch import nn

BIN = os.path.join(os.environ.get("FX_BUILD_DIR", "build"), "bin")


class Net(nn.Module):
    """A folded batch norm, packed matrices, a weight that is read as it is, a buffer that is not
    saved, and a constant."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.norm = nn.BatchNorm2d(8)
        self.fc = nn.Linear(8, 5)
        self.scale = nn.Parameter(torch.randn(5))
        self.register_buffer("shift", torch.arange(5.0), persistent=False)

    def forward(self, x):
        x = self.norm(self.conv(x)).mean((2, 3))
        return self.fc(x) * self.scale + self.shift + torch.tensor([1.0, 2, 3, 4, 5])


def make(seed):
    torch.manual_seed(seed)
    net = Net().eval()
    net.norm.running_mean.uniform_(0.5, 2)
    net.norm.running_var.uniform_(0.5, 2)
    return net


X = torch.randn(2, 3, 9, 9, generator=torch.Generator().manual_seed(1))


def run(net):
    with torch.no_grad():
        return net(X)


def close(got, net):
    torch.testing.assert_close(got, run(net), rtol=1e-4, atol=1e-4)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    path = tmp_path_factory.mktemp("weights") / "m.so"
    program = torch.export.export(make(0), (X,))
    fx_mlir.compile(program, no_fallback=True, swappable_weights=True).save(path)
    return path


@pytest.fixture
def model(compiled):
    return fx_mlir.load(compiled)


def tensors(net, prefix=""):
    return {prefix + name: value.contiguous() for name, value in net.state_dict().items()}


def error(call, *args, **options):
    with pytest.raises(fx_mlir.Error) as caught:
        call(*args, **options)
    message = caught.value.message
    assert "\n" not in message, message
    return message


def test_safetensors(model, tmp_path):
    close(model(X), make(0))
    for seed in 1, 2, 2:
        path = tmp_path / f"{seed}.safetensors"
        save_file(tensors(make(seed)), path)
        model.load_weights(path)
        close(model(X), make(seed))
    path.unlink()  # the model keeps what it has mapped
    close(model(X), make(2))


@pytest.mark.parametrize("of_file", [False, True])
def test_prefix(model, of_file, compiled, tmp_path):
    if of_file:
        save_file(tensors(make(3), "model.net."), tmp_path / "w.safetensors")
    else:
        wrapped = nn.Sequential(make(0))
        program = torch.export.export(wrapped, (X,))
        model = fx_mlir.compile(program, no_fallback=True, swappable_weights=True)
        save_file(tensors(make(3)), tmp_path / "w.safetensors")
    model.load_weights(tmp_path / "w.safetensors")
    close(model(X), make(3))


def test_shards(model, tmp_path):
    every = tensors(make(4))
    names = sorted(every)
    weight_map = {}
    for k, part in enumerate((names[:3], names[3:])):
        save_file({name: every[name] for name in part}, tmp_path / f"{k}.safetensors")
        weight_map |= {name: f"{k}.safetensors" for name in part}
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {"total_size": 1}, "weight_map": weight_map}))
    model.load_weights(tmp_path)
    close(model(X), make(4))
    model.load_weights(index)
    wrong = {
        "../0.safetensors": "expected the name of a file beside the index",
        "-gone.safetensors": "-gone.safetensors: No such file",
        "0.safetensors": "'scale' is in 1.safetensors, expected as in the weight_map",
    }
    for shard, message in wrong.items():
        index.write_text(json.dumps({"weight_map": {**weight_map, "scale": shard}}))
        assert message in error(model.load_weights, tmp_path)
    index.write_text(json.dumps({"weight_map": {**weight_map, "extra": "0.safetensors"}}))
    assert "'extra' is not in 0.safetensors" in error(model.load_weights, tmp_path)
    close(model(X), make(4))


def test_all_problems_at_once(model, tmp_path):
    wrong = tensors(make(5))
    del wrong["scale"], wrong["norm.weight"]
    wrong["fc.weight"] = wrong["fc.weight"].T.contiguous()
    wrong["fc.bias"] = wrong["fc.bias"].double()
    wrong["other"] = torch.zeros(2)
    path = tmp_path / "w.safetensors"
    save_file(wrong, path)
    message = error(model.load_weights, path)
    assert message == (
        f"{path}: the file lacks 'scale', 'norm.weight'; the model has no 'other'; "
        "'fc.weight': expected float32[5, 8], got float32[8, 5]; "
        "'fc.bias': expected float32[5], got float64[5]"
    )
    close(model(X), make(0))
    message = error(model.load_weights, path, strict=False)
    assert message.count("expected float32") == 2 and "lacks" not in message
    save_file({"scale": torch.zeros(5), "other": torch.zeros(2)}, path)
    model.load_weights(path, strict=False)
    net = make(0)
    net.scale.data.zero_()
    close(model(X), net)


def test_names(model, tmp_path):
    renamed = tensors(make(6))
    renamed["gain"] = renamed.pop("scale")
    save_file(renamed, tmp_path / "w.safetensors")
    model.load_weights(tmp_path / "w.safetensors", names={"scale": "gain"})
    close(model(X), make(6))
    message = error(model.load_weights, tmp_path / "w.safetensors", names={"scale": "none"})
    assert "expected a tensor of the file, got 'none'" in message


def test_halves_become_floats(model, tmp_path):
    for dtype in torch.float16, torch.bfloat16:
        net = make(7)
        for value in net.state_dict().values():
            if value.is_floating_point():
                value.copy_(value.to(dtype))
        halves = {
            name: value.to(dtype) if value.is_floating_point() else value
            for name, value in net.state_dict().items()
        }
        save_file(halves, tmp_path / "w.safetensors")
        model.load_weights(tmp_path / "w.safetensors")
        close(model(X), net)


def test_unaligned(model, tmp_path):
    """Tensors that no instruction can read where they are, and others, are copied."""
    net = make(8)
    header, data = {"odd": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}}, b"\0"
    for name, value in tensors(net).items():
        bytes_ = value.numpy().tobytes()
        dtype = "F32" if value.is_floating_point() else "I64"
        place = [len(data), len(data) + len(bytes_)]
        header[name] = {"dtype": dtype, "shape": list(value.shape), "data_offsets": place}
        data += bytes_
    (tmp_path / "w.safetensors").write_bytes(weight_files.safetensors(header, data))
    model.load_weights(tmp_path / "w.safetensors", strict=False)
    close(model(X), net)


def test_state_dict(model):
    net = make(9)
    model.load_state_dict(net.state_dict())
    close(model(X), net)
    net.fc.weight.data.zero_()  # the model has copies
    close(model(X), make(9))
    strided = {**net.state_dict(), "fc.weight": make(10).fc.weight.T.contiguous().T}
    model.load_state_dict(strided)
    net.fc.weight.data.copy_(strided["fc.weight"])
    close(model(X), net)
    model.load_state_dict({"scale": np.zeros(5, np.float32)}, strict=False)
    net.scale.data.zero_()
    close(model(X), net)
    wrong = {**make(0).state_dict(), "scale": torch.zeros(4)}
    message = error(model.load_state_dict, wrong)
    assert message == "the tensors: 'scale': expected float32[5], got float32[4]"
    close(model(X), net)


def test_not_swappable(tmp_path):
    model = fx_mlir.compile(torch.export.export(make(0), (X,)), no_fallback=True)
    message = error(model.load_state_dict, make(1).state_dict())
    assert "expected a model compiled with --swappable-weights" in message
    assert "'fc.weight'" in message and "'scale'" not in message
    model.load_state_dict({"scale": make(1).scale}, strict=False)
    net = make(0)
    net.scale.data.copy_(make(1).scale.data)
    close(model(X), net)


def test_memory_is_mapped(tmp_path):
    """A weight that is read as it is stays in the file."""

    class Table(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(1 << 20, 32)  # 128 MiB

        def forward(self, i):
            return self.table(i)

    def resident():
        fields = dict(line.split(":") for line in open("/proc/self/status") if "Rss" in line)
        return int(fields["RssAnon"].split()[0]) // 1024

    net, i = Table().eval(), torch.tensor([5, 1 << 19])
    model = fx_mlir.compile(torch.export.export(net, (i,)), swappable_weights=True)
    with torch.no_grad():
        net.table.weight.normal_()
    want = net(i).detach()
    save_file(net.state_dict(), tmp_path / "w.safetensors")
    before = resident()
    model.load_weights(tmp_path / "w.safetensors")
    assert torch.equal(model(i), want)
    assert resident() - before < 32, (before, resident())


def test_methods(tmp_path):
    """All methods get a weight."""

    class Method(nn.Module):
        def __init__(self, layer, factor):
            super().__init__()
            self.layer, self.factor = layer, factor

        def forward(self, x):
            return self.layer(x) * self.factor

    def programs(layer):
        x = torch.ones(1, 64)
        return {f"m{k}": torch.export.export(Method(layer, k).eval(), (x,)) for k in (1, 2)}

    torch.manual_seed(0)
    first, second = nn.Linear(64, 64), nn.Linear(64, 64)
    model = fx_mlir.compile(programs(first), no_fallback=True, swappable_weights=True)
    save_file(second.state_dict(), tmp_path / "w.safetensors")
    x = torch.randn(1, 64)
    for load in (model, model.m2):
        load.load_state_dict(first.state_dict())
        torch.testing.assert_close(model.m2(x), 2 * first(x))
        load.load_weights(tmp_path / "w.safetensors")
        torch.testing.assert_close(model.m1(x), second(x))
        torch.testing.assert_close(model.m2(x), 2 * second(x))


def test_file(tmp_path):
    path = tmp_path / "w.safetensors"
    values = {"a": torch.randn(2, 3), "b": torch.arange(4), "c": torch.randn(3).bfloat16()}
    values |= {"d": torch.zeros(0, 2), "e": torch.tensor(True)}
    save_file(values, path, metadata={"format": "pt"})
    file = fx_mlir.WeightFile(path)
    assert list(file) == sorted(values) and file.metadata == {"format": "pt"}
    assert file.formats["c"] == "bfloat16" and file.shapes["a"] == (2, 3)
    for name, value in values.items():
        assert torch.equal(file[name], value), name
    with pytest.raises(KeyError):
        file["z"]


@pytest.mark.parametrize("name", weight_files.MALFORMED)
def test_malformed(name, tmp_path):
    data, expected = weight_files.MALFORMED[name]
    path = tmp_path / "w.bin"
    path.write_bytes(data)
    message = error(fx_mlir.WeightFile, path)
    assert message.startswith(str(path)) and expected in message, message


@pytest.mark.parametrize("seed", range(2))
def test_damaged(seed, tmp_path):
    """Damaged files are refused in one line, or read."""
    save_file(tensors(make(0)), tmp_path / "w.safetensors")
    data = (tmp_path / "w.safetensors").read_bytes()
    count = {True: 0, False: 0}
    for changed in weight_files.mutations(data, 1000, seed):
        (tmp_path / "m").write_bytes(changed)
        try:
            file = fx_mlir.WeightFile(tmp_path / "m")
        except fx_mlir.Error as e:
            assert "\n" not in e.message and e.message.startswith(str(tmp_path)), e.message
            count[False] += 1
        else:
            assert all(file[name].numel() >= 0 for name in file)
            count[True] += 1
    assert min(count.values()) > 10, count


def test_tool(compiled, tmp_path):
    """fx-run loads weights, and refuses wrong files in one line without outputs."""
    (tmp_path / "in").mkdir()
    np.save(tmp_path / "in/in_0.npy", X.numpy())
    save_file(tensors(make(1)), tmp_path / "w.safetensors")
    torch.export.save(torch.export.export(make(0), (X,)), tmp_path / "m.pt2")

    def tool(model, weights):
        out = tmp_path / "out"
        command = [f"{BIN}/fx-run", model, "--inputs", tmp_path / "in", "--outputs", out]
        return out, subprocess.run(
            [*command, "--weights", weights], capture_output=True, text=True
        )

    for source in compiled, tmp_path / "m.pt2":
        out, result = tool(source, tmp_path / "w.safetensors")
        assert result.returncode == 0, result.stderr
        close(torch.from_numpy(np.load(out / "out_0.npy")), make(1))
        (out / "out_0.npy").unlink()
    for data in weight_files.safetensors({"x": weight_files.entry()}), b"GGUF", b"":
        (tmp_path / "bad").write_bytes(data)
        out, result = tool(compiled, tmp_path / "bad")
        assert result.returncode == 1 and result.stderr.count("\n") == 1, result.stderr
        assert result.stderr.startswith("error: ") and not list(out.glob("*"))


def test_long_names(model, tmp_path):
    """A name of dots gives no prefix for each of them."""
    header = {"." * 500_000: weight_files.entry(), "x" * 500_000: weight_files.entry(begin=24, end=48)}
    (tmp_path / "w.safetensors").write_bytes(weight_files.safetensors(header, bytes(48)))
    message = error(model.load_weights, tmp_path / "w.safetensors")
    assert "the model has no '....." in message and len(message) < 1000
