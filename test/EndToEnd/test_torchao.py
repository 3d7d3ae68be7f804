"""Models that torchao quantized, from archives, compared with torchao's results.

torchao_archives.py wrote the archives; the tests need no torchao."""

import io
import json
import os
import pathlib
import pickle
import tarfile
import zipfile

import emulate
import harness
import pytest
import torch

ARCHIVES = pathlib.Path(__file__).parent / "torchao" / "archives.tar.xz"
with tarfile.open(ARCHIVES) as tar:
    NAMES = sorted(name[:-4] for name in tar.getnames() if name.endswith(".pt2"))


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    folder = tmp_path_factory.mktemp("torchao")
    with tarfile.open(ARCHIVES) as tar:
        tar.extractall(folder, filter="data")
    return folder


@pytest.fixture(autouse=True)
def packed_for_avx2(monkeypatch):
    """The layout in which the weights of int4 are packed."""
    monkeypatch.setenv("ATEN_CPU_CAPABILITY", "avx2")


@pytest.mark.parametrize("mode", ["interpret", "native"])
@pytest.mark.parametrize("name", NAMES)
def test_archive(name, mode, archives, tmp_path):
    model = archives / f"{name}.pt2"
    data = torch.load(archives / f"{name}.pt", weights_only=True)
    target = harness.compiled(model, mode)
    flags = harness.MODES[mode] if target == model else []
    got = harness.run(target, ((data["x"],), {}), tmp_path, data["y"], *flags)
    harness.compare(got, data["y"])
    if "int_mm" in name:
        assert torch.equal(got[0], data["y"][0])


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=[] if name == "int8-dynamic-rows" else [pytest.mark.long])
    for name in NAMES])
def test_on_gpu(name, archives, tmp_path):
    """Kernels for NVIDIA GPUs, on the emulator. Bytes by bytes are multiplied on tensor cores."""
    data = torch.load(archives / f"{name.removesuffix('-rows')}.pt", weights_only=True)
    model = emulate.Model(archives / f"{name}.pt2", tmp_path / "emulated")
    args = (data["x"],)
    harness.compare(model.run(args, data["y"]), data["y"])
    if name == "int8-dynamic-rows":
        assert ".u8.s8" in (tmp_path / "emulated" / "kernels.ll").read_text()
        many, expected = data["x"].repeat(9, 1), [y.repeat(9, 1) for y in data["y"]]
        harness.compare(model.run((many,), expected), expected)


def test_other_row_counts(archives, tmp_path):
    """A symbolic number of rows."""
    x = torch.load(archives / "int8-dynamic.pt", weights_only=True)["x"]
    want = torch.load(archives / "int8-dynamic.pt", weights_only=True)["y"]
    model = harness.compiled(archives / "int8-dynamic-rows.pt2", "native")
    # Rows do not depend on each other.
    many, expected = x.repeat(7, 1), [y.repeat(7, 1) for y in want]
    got = harness.run(model, ((many,), {}), tmp_path, expected)
    harness.compare(got, expected)


def test_round_trip(archives, tmp_path):
    """Translation keeps the pickles and all nodes."""
    model, copy = archives / "int4-groups.pt2", tmp_path / "copy.pt2"
    text = tmp_path / "copy.mlir"
    for option, source, target in (
        ("--pt2-to-mlir", model, text),
        ("--mlir-to-pt2", text, copy),
    ):
        result = harness.tool("fx-translate", option, source, "-o", target)
        assert result.returncode == 0, result.stderr
    with zipfile.ZipFile(model) as a, zipfile.ZipFile(copy) as b:
        records = [
            {n.split("/", 1)[1]: z.read(n) for n in z.namelist() if "/data/weights/weight_" in n}
            for z in (a, b)
        ]
    assert records[0] == records[1] and len(records[0]) == 3


class Calls:
    """Runs a command when it is unpickled."""

    def __reduce__(self):
        return os.system, ("touch executed",)


def replace_pickle(source, target, change, record="weight_0"):
    """Copies an archive with a changed pickle of a weight."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for info in old.infolist():
            data = old.read(info)
            if info.filename.endswith(f"/data/weights/{record}"):
                data = change_nested(data, change)
            new.writestr(info.filename, data)


def change_nested(data, change):
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w") as new:
        for info in old.infolist():
            inner = old.read(info)
            if info.filename.endswith("/data.pkl"):
                inner = change(inner)
            if inner is not None:
                new.writestr(info.filename, inner)
    return buffer.getvalue()


INT4 = b"torchao.quantization\nIntxUnpackedToInt8Tensor\n"
#: How the pickle of a weight is changed, and a part of the error.
CHANGES = {
    "command": (lambda p: pickle.dumps(Calls(), protocol=2), "posix system"),
    "global": (lambda p: p.replace(b"ctorch\nint4\n", b"cos\nsystem\n"), "'os system'"),
    "class": (lambda p: p.replace(INT4, b"torchao.quantization\nOther\n"), "Other"),
    "truncated": (lambda p: p[: len(p) // 2], "data.pkl"),
    "empty": (lambda p: b"", "damaged"),
    "no pickle": (lambda p: None, "no such record"),
    "dict": (lambda p: pickle.dumps({}, protocol=2), "expected a tensor subclass"),
    "attribute": (lambda p: p.replace(b"scale", b"scalf"), "no tensor 'scale'"),
    "twice": (lambda p: p.replace(b"X\x05\x00\x00\x00scale", b"X\x05\x00\x00\x00qdata"), "two"),
    "dtype": (lambda p: p.replace(b"CharStorage", b"ByteStorage"), "of type"),
    "storage": (lambda p: p.replace(b"X\x01\x00\x00\x000", b"X\x01\x00\x00\x009"), "no record"),
    "sizes": (lambda p: p.replace(b"K0K@\x86", b"M\x00\x10K@\x86"), "bytes of storage"),
    "deep": (lambda p: b"\x80\x02" + b"(" * 100000, "damaged"),
    "memo": (lambda p: b"\x80\x02}r\xff\xff\xff\xffr\xfe\xff\xff\xff.", "expected a tensor subclass"),
    "instruction": (lambda p: b"\x80\x02\x93.", "instruction 0x93"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_damaged_pickle(name, archives, tmp_path, monkeypatch):
    change, text = CHANGES[name]
    monkeypatch.chdir(tmp_path)
    model = tmp_path / "m.pt2"
    replace_pickle(archives / "int4-groups.pt2", model, change)
    x = torch.load(archives / "int4-groups.pt", weights_only=True)["x"]
    harness.leaves.save_inputs(tmp_path / "in", (x,), {})
    for command in (
        ["fx-compile", model, "-o", tmp_path / "m.so"],
        ["fx-run", model, "--inputs", tmp_path / "in", "--outputs", tmp_path / "out"],
        ["fx-run", model, "--interpret", "--inputs", tmp_path / "in"],
    ):
        result = harness.tool(*command)
        assert result.returncode == 1, result.stdout
        (line,) = result.stderr.splitlines()
        assert line.startswith("error: ") and text in line, line
    assert not (tmp_path / "executed").exists()


def test_unchanged_pickle(archives, tmp_path):
    """The changes are what the errors above are about."""
    model = tmp_path / "m.pt2"
    replace_pickle(archives / "int4-groups.pt2", model, lambda p: p)
    data = torch.load(archives / "int4-groups.pt", weights_only=True)
    got = harness.run(harness.compiled(model, "native"), ((data["x"],), {}), tmp_path, data["y"])
    harness.compare(got, data["y"])


def test_other_classes_translate(archives, tmp_path):
    """A class that is not known stays a pickle: only its use is an error."""
    model = tmp_path / "m.pt2"
    replace_pickle(archives / "int4-groups.pt2", model, CHANGES["class"][0])
    result = harness.tool("fx-translate", "--pt2-to-mlir", model)
    assert result.returncode == 0, result.stderr
    assert "fx.reason" in result.stdout and "fx.inner_of" in result.stdout


@pytest.mark.parametrize("case", ["int8-dynamic", "int_mm"])
def test_integer_kernels(case, archives, tmp_path):
    """aten._int_mm is a contraction of packed bytes, not plain loops."""
    model, report = archives / f"{case}.pt2", tmp_path / "report.json"
    arguments = [model, "-o", tmp_path / "m.so", "--no-fallback", "--report", report]
    result = harness.tool("fx-compile", *arguments)
    assert result.returncode == 0, result.stderr
    kinds = {
        kernel["schedule"]["kind"]
        for kernel in json.loads(report.read_text())["kernels"]
        if "_int_mm" in kernel["nodes"]
    }
    assert "contraction" in kinds and "loops" not in kinds, kinds
