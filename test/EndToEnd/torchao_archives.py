"""Writes the archives of test_torchao.py: models that torchao quantized, with eager PyTorch's
results. With a second argument, the cases that the archive has already are copied from it.

usage: torchao_archives.py OUTPUT.tar.xz [INPUT.tar.xz]

Needs torchao (0.18), which the tests do not. On a CPU with AVX-512, PyTorch packs weights of int4
in another layout, so set ATEN_CPU_CAPABILITY=avx2."""

import io
import pathlib
import sys
import tarfile
import tempfile

import torch
from torch import nn
from torch.export import Dim


class Layers(nn.Module):
    """Two linear layers, one of whose widths is no multiple of 32."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(64, 48)
        self.b = nn.Linear(64, 32, bias=False)

    def forward(self, x):
        return self.a(x).relu(), self.b(x)


class Embedded(nn.Module):
    """An embedding of integers."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(40, 64)

    def forward(self, x):
        return self.table(x)


class IntMm(nn.Module):
    """aten._int_mm with extreme values, whose sums need 32 bits."""

    def __init__(self):
        super().__init__()
        w = torch.randint(-128, 128, (2064, 24), dtype=torch.int8)
        w[:, :4] = -128
        self.register_buffer("w", w)

    def forward(self, x):
        return torch._int_mm(x, self.w)


class Int8Pack(nn.Module):
    """aten._weight_int8pack_mm."""

    def __init__(self, dtype):
        super().__init__()
        self.register_buffer("w", torch.randint(-128, 128, (48, 64), dtype=torch.int8))
        self.register_buffer("s", (torch.rand(48) * 0.02).to(dtype))

    def forward(self, x):
        return torch.ops.aten._weight_int8pack_mm(x, self.w, self.s)


def cases():
    """Yields names, models, inputs and options of torch.export."""
    from torchao.prototype.quantization.int4 import PrototypeInt4WeightOnlyConfig
    from torchao.quantization import (
        Int8DynamicActivationInt8WeightConfig,
        Int8DynamicActivationIntxWeightConfig,
        Int8WeightOnlyConfig,
        IntxWeightOnlyConfig,
        quantize_,
    )
    from torchao.quantization.granularity import PerAxis, PerGroup
    from torchao.quantization.quant_primitives import MappingType
    from torchao.utils import unwrap_tensor_subclass

    asymmetric = {"mapping_type": MappingType.ASYMMETRIC}
    configs = {
        "int8": Int8WeightOnlyConfig(),
        "int8-dynamic": Int8DynamicActivationInt8WeightConfig(),
        "int4-groups": IntxWeightOnlyConfig(torch.int4, PerGroup(32)),
        "int2-groups": IntxWeightOnlyConfig(torch.int2, PerGroup(32)),
        "int8-rows": IntxWeightOnlyConfig(torch.int8, PerAxis(0)),
        "int4-zeros": IntxWeightOnlyConfig(torch.int4, PerGroup(32), **asymmetric),
        "int4-dynamic": Int8DynamicActivationIntxWeightConfig(torch.int4, PerGroup(32)),
        "int4-packed": PrototypeInt4WeightOnlyConfig(group_size=32),
    }
    for name, config in configs.items():
        for dtype in (torch.float32, torch.bfloat16):
            torch.manual_seed(0)
            model, x = Layers().eval().to(dtype), torch.randn(5, 64, dtype=dtype)
            quantize_(model, config)
            suffix = "" if dtype == torch.float32 else "-bf16"
            yield name + suffix, model, x, {}
            if dtype == torch.float32:
                yield name + "-decomposed", model, x, {"decomposed": True}
                rows = {"dynamic_shapes": ({0: Dim("rows", min=2, max=64)},)}
                yield name + "-rows", model, x, rows
                yield name + "-unwrapped", unwrap_tensor_subclass(model), x, {}
    yield from float8_cases()
    torch.manual_seed(0)
    model = Embedded().eval()
    quantize_(
        model,
        IntxWeightOnlyConfig(torch.int4, PerGroup(32)),
        lambda m, _: isinstance(m, nn.Embedding),
    )
    yield "embedding", model, torch.arange(12).reshape(3, 4), {}
    x = torch.randint(-128, 128, (20, 2064), dtype=torch.int8)
    x[:3] = -128
    yield "int_mm", IntMm(), x, {}
    for dtype in (torch.float32, torch.bfloat16):
        name = "int8pack" + ("" if dtype == torch.float32 else "-bf16")
        yield name, Int8Pack(dtype), torch.randn(7, 64).to(dtype), {}


def float8_cases():
    """torchao multiplies eight-bit floats on GPUs only, but PyTorch's operators run on CPUs."""
    from torchao.quantization import (
        Float8DynamicActivationFloat8WeightConfig as Dynamic,
        Float8WeightOnlyConfig,
        PerRow,
        PerTensor,
        quantize_,
    )
    from torchao.quantization import quant_api
    from torchao.quantization.quantize_.common import KernelPreference

    quant_api._check_hardware_support = lambda *args: None
    torch_kernels = {"kernel_preference": KernelPreference.TORCH}
    for name, config, dtype in (
        ("float8", Float8WeightOnlyConfig(), torch.float32),
        ("float8-bf16", Float8WeightOnlyConfig(), torch.bfloat16),
        ("float8-e5m2", Float8WeightOnlyConfig(torch.float8_e5m2), torch.float32),
        ("float8-dynamic", Dynamic(granularity=PerTensor(), **torch_kernels), torch.float32),
        ("float8-dynamic-bf16", Dynamic(granularity=PerRow(), **torch_kernels), torch.bfloat16),
    ):
        torch.manual_seed(0)
        model, x = Layers().eval().to(dtype), torch.randn(5, 64, dtype=dtype)
        quantize_(model, config)
        yield name, model, x, {}
        if "dynamic" in name:
            yield name + "-decomposed", model, x, {"decomposed": True}
            yield name + "-rows", model, x, {"dynamic_shapes": ({0: Dim("rows", min=2, max=64)},)}


def copy_archives(source, tar):
    """Copies the members of an archive, and returns their names."""
    with tarfile.open(source) as old:
        for member in old.getmembers():
            tar.addfile(member, old.extractfile(member))
        return set(old.getnames())


def main():
    with tarfile.open(sys.argv[1], "w:xz", preset=9) as tar, tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        present = copy_archives(sys.argv[2], tar) if len(sys.argv) > 2 else set()
        for name, model, x, options in cases():
            if f"{name}.pt2" in present:
                continue
            decomposed = options.pop("decomposed", False)
            with torch.no_grad():
                program = torch.export.export(model, (x,), **options)
                outputs = model(x)
            if decomposed:
                program = program.run_decompositions()
            for module in program.graph_module.modules():
                for node in getattr(module, "graph", torch.fx.Graph()).nodes:
                    node.meta.pop("stack_trace", None)
            torch.export.save(program, folder / "model.pt2")
            outputs = outputs if isinstance(outputs, tuple) else (outputs,)
            torch.save({"x": x, "y": list(outputs)}, folder / "io.pt")
            for file, stored in (("model.pt2", f"{name}.pt2"), ("io.pt", f"{name}.pt")):
                data = (folder / file).read_bytes()
                info = tarfile.TarInfo(stored)
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
            print(name)


if __name__ == "__main__":
    main()
