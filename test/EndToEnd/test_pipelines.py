"""The registered pipelines are those of fx-compile: at every level fx-opt prints the same bytes."""

import exporting
import models
import pytest
import torch
from harness import tool

GPU = ["cuda", "cuda:sm_80", "cuda:sm_75", "rocm", "vulkan"]
NAMES = ["resnet_small", "hf_bert_small", "llama_small_decode_index_put", "cond"]
LONG = ["autoencoder_small", "bert_small", "llama_small", "mlp"]


def pipelines(level: str, target: str, bf16: bool = False) -> list[str]:
    to = f"=target={target}" if target else ""
    steps = ["fx", "linalg", "kernels", "memref"].index(level)
    last = f"--fx-gpu{to}" if target else f"--fx-cpu=until={level}"
    linalg = "--fx-to-linalg=bf16=true" if bf16 else f"--fx-to-linalg{to}"
    return [f"--fx-simplify{to}", linalg, last][: min(steps, 2) + 1]


@pytest.fixture(scope="module")
def imported(tmp_path_factory):
    made = {}

    def get(name):
        if name not in made:
            spec, folder = models.get(name), tmp_path_factory.mktemp(name)
            program = spec.program(spec.build(), spec.dynamic is not None, False)
            exporting.save(program, folder / "m.pt2")
            assert tool("fx-translate", "--pt2-to-mlir", folder / "m.pt2", "-o", folder / "m.mlir").returncode == 0
            made[name] = folder / "m.mlir"
        return made[name]

    return get


def same(model, level: str, target: str = "", bf16: bool = False) -> None:
    # The file of the weights is named relative to the file that refers to it.
    by_driver, by_passes = model.with_suffix(".driver.mlir"), model.with_suffix(".passes.mlir")
    flags = [f"--target={target}"] if target else []
    flags += ["--precision=bf16"] if bf16 else []
    driver = tool("fx-compile", model, f"--emit={level}", *flags, "-o", by_driver)
    assert driver.returncode == 0, driver.stderr
    passes = tool("fx-opt", model, *pipelines(level, target, bf16), "-o", by_passes)
    assert passes.returncode == 0, passes.stderr
    # fx-opt ends a module with an empty line, as mlir-opt does.
    assert by_driver.read_text() + "\n" == by_passes.read_text()


@pytest.mark.xdist_group("pipelines")
@pytest.mark.parametrize("level", ["fx", "linalg", "kernels", "memref"])
@pytest.mark.parametrize("name", [*NAMES, *(pytest.param(name, marks=pytest.mark.long) for name in LONG)])
def test_cpu(name, level, imported):
    same(imported(name), level)


@pytest.mark.xdist_group("pipelines")
@pytest.mark.parametrize("target", GPU)
@pytest.mark.parametrize("name", [pytest.param("resnet_small", marks=pytest.mark.long), "llama_small"])
def test_gpu(name, target, imported):
    same(imported(name), "kernels", target)


def test_options(imported):
    model = imported("cond")
    for flag, error in (
        ("--fx-cpu=until=nowhere", "until: expected kernels, memref or llvm, got 'nowhere'"),
        ("--fx-cpu=cpu=z80", "z80"),
        ("--fx-gpu=target=abacus", "abacus"),
    ):
        result = tool("fx-opt", model, flag)
        assert result.returncode == 1 and error in result.stderr


def test_to_the_llvm_dialect(imported):
    result = tool("fx-opt", imported("llama_small"), "--fx-simplify", "--fx-to-linalg", "--fx-cpu=until=llvm")
    assert result.returncode == 0, result.stderr
    assert "llvm.func @" in result.stdout
    assert all(text not in result.stdout for text in ("memref<", "func.func", "unrealized_conversion_cast"))


@pytest.mark.xdist_group("pipelines")
def test_rows(tmp_path):
    """Sorts and scans, which kernels of the CPU alone compute."""

    class Rows(torch.nn.Module):
        def forward(self, x):
            return torch.sort(x, -1).values, x.cumsum(0)

    exporting.save(exporting.export(Rows(), (torch.randn(4, 9),)), tmp_path / "m.pt2")
    model = tmp_path / "m.mlir"
    made = tool("fx-translate", "--pt2-to-mlir", tmp_path / "m.pt2", "-o", model)
    assert made.returncode == 0, made.stderr
    for level, target in ("linalg", ""), ("kernels", ""), ("kernels", "vulkan"):
        same(model, level, target)


@pytest.mark.xdist_group("pipelines")
def test_lowered_precision(imported):
    same(imported("resnet_small"), "kernels", bf16=True)
