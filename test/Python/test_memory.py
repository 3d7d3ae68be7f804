"""Archives from memory: bytes and binary files, against eager PyTorch and against the same
archive as a file; limits of an import."""

import io
import os
import pathlib

import pytest
import torch
from torch import nn

import fx_mlir


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 4))
        self.register_buffer("table", torch.arange(12.0).reshape(3, 4))

    def forward(self, x):
        return self.layers(x) * self.table[0] + self.table.sum()


class Few(io.RawIOBase):
    """A binary file that returns few bytes at once."""

    def __init__(self, data):
        self.data, self.at, self.calls = data, 0, 0

    def read(self, size=-1):
        part = self.data[self.at : self.at + min(size, 1 + self.calls % 900)]
        self.at, self.calls = self.at + len(part), self.calls + 1
        return part


@pytest.fixture(scope="module")
def net():
    torch.manual_seed(0)
    return Net().eval()


@pytest.fixture(scope="module")
def archive(net):
    file = io.BytesIO()
    torch.export.save(torch.export.export(net, (torch.randn(3, 8),)), file)
    return file.getvalue()


def compiled(source, **options):
    return fx_mlir.compile(source, progress=False, no_fallback=True, **options)


def test_sources_against_eager(net, archive, tmp_path):
    path = tmp_path / "net.pt2"
    path.write_bytes(archive)
    x = torch.randn(3, 8)
    expected = fx_mlir.import_(path).export("pt2")
    with open(path, "rb") as file:
        sources = {
            "bytes": archive,
            "bytearray": bytearray(archive),
            "memoryview": memoryview(b"xx" + archive)[2:],
            "BytesIO": io.BytesIO(archive),
            "file": file,
            "few bytes": Few(archive),
        }
        modules = {name: fx_mlir.import_(source) for name, source in sources.items()}
    path.unlink()
    assert modules["file"].name == "net" and modules["bytes"].name == "model"
    for name, module in modules.items():
        assert module.export("pt2") == expected, name
    # The bytes stay the module's own.
    changing = bytearray(archive)
    module = fx_mlir.import_(changing).clone()
    changing[:] = bytes(len(changing))
    for source in archive, io.BytesIO(archive), module:
        torch.testing.assert_close(compiled(source)(x), net(x))
    again = torch.export.load(io.BytesIO(module.export("pt2"))).module()
    torch.testing.assert_close(again(x), net(x))


def test_release(archive):
    """Modules close their files in memory."""
    count = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        fx_mlir.import_(archive).clone()
        with pytest.raises(fx_mlir.Error):
            fx_mlir.import_(archive[:-1])
    assert len(os.listdir("/proc/self/fd")) == count


def test_text_without_its_archive(archive):
    """Text that outlives the archive of its weights says so."""
    module = fx_mlir.import_(archive)
    for data in str(module), module.bytecode():
        assert compiled(fx_mlir.Module.parse(data))
    data = str(module)
    del module
    with pytest.raises(fx_mlir.Error, match="the file was in the memory of another process"):
        compiled(fx_mlir.Module.parse(data))


@pytest.mark.parametrize("make", [bytes, io.BytesIO, Few])
def test_bad_archives(archive, make):
    name = "<bytes>" if make is bytes else "<stream>"
    for data in b"", b"PK\3\4", b"hello\n" * 100, archive[:1000], archive[:-1], archive + b"x":
        with pytest.raises(fx_mlir.Error) as e:
            fx_mlir.import_(make(data))
        assert str(e.value).startswith(f"{name}: expected a zip archive"), str(e.value)
    flipped = bytearray(archive)
    flipped[archive.index(b"aten.gelu")] ^= 1
    with pytest.raises(fx_mlir.Error, match=f"^{name}:models/model.json: expected crc32 0x"):
        fx_mlir.import_(make(bytes(flipped)))
    with pytest.raises(fx_mlir.Error, match=f"^{name}: has no model 'other', only 'model'"):
        fx_mlir.import_(make(archive), model="other")


def test_damaged_weight(net, archive):
    """A weight is read when the module is compiled; the error still has the name."""
    weight = net.layers[0].weight.detach().numpy().tobytes()
    damaged = bytearray(archive)
    damaged[archive.index(weight)] ^= 1
    with pytest.raises(fx_mlir.Error, match="<bytes>:.*: expected crc32 0x"):
        compiled(bytes(damaged))


def test_files_that_fail(archive, tmp_path):
    class Raises(Few):
        def read(self, size=-1):
            if self.calls > 10:
                raise KeyError("the disk is gone")
            return super().read(size)

    class TooMany(Few):
        def read(self, size=-1):
            return bytes(size + 1)

    class Endless(Few):  # returns no bytes-like object
        def read(self, size=-1):
            return None

    with pytest.raises(KeyError, match="the disk is gone"):
        fx_mlir.import_(Raises(archive))
    with pytest.raises(fx_mlir.Error, match="<stream>: expected at most .* bytes of a call, got"):
        fx_mlir.import_(TooMany(archive))
    with pytest.raises(TypeError):
        fx_mlir.import_(Endless(archive))
    with pytest.raises(TypeError):
        fx_mlir.import_(io.StringIO("text"))
    with pytest.raises(BufferError):
        fx_mlir.import_(memoryview(archive)[::2])
    path = pathlib.Path(tmp_path / "closed.pt2")
    path.write_bytes(archive)
    file = path.open("rb")
    file.close()
    with pytest.raises(ValueError, match="closed file"):
        fx_mlir.import_(file)


def test_limits(archive, tmp_path):
    path = tmp_path / "net.pt2"
    path.write_bytes(archive)
    nodes = str(fx_mlir.import_(path)).count(" = call_function")
    for source in path, archive:
        name = str(path) if source is path else "<bytes>"

        def refused(message, **limits):
            with pytest.raises(fx_mlir.Error) as e:
                fx_mlir.import_(source, **limits)
            assert str(e.value).startswith(f"{name}:") and message in str(e.value), str(e.value)

        message = f"models/model.json: expected at most {nodes - 1} nodes, got {nodes}"
        refused(message, max_nodes=nodes - 1)
        assert fx_mlir.import_(source, max_nodes=nodes)
        refused("expected at most 1000 bytes of text, got ", max_text_bytes=1000)
        refused("expected an import of at most 1e-09 seconds, got ", max_seconds=1e-9)
        assert fx_mlir.import_(source, max_nodes=10**6, max_text_bytes=10**9, max_seconds=1e6)
    for option in "max_nodes", "max_text_bytes", "max_seconds":
        too_much = -0.5 if option == "max_seconds" else 2**70
        for value in -1, "1", None, float("nan"), float("inf"), too_much:
            with pytest.raises(fx_mlir.Error, match=f"{option}: expected"):
                fx_mlir.import_(archive, **{option: value})
