"""Checks what the installed wheel of fx-mlir does with the installed torch, and prints a row of the
table in docs/Compatibility.md. Run it by the Python of an environment with both:

    python -m pip install --no-deps fx_mlir-*.whl
    python scripts/check_torch.py
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable

os.environ["FX_CACHE"] = "0"

import fx_mlir
import torch
from torch import nn

warnings.simplefilter("ignore")
torch.manual_seed(0)
close = torch.testing.assert_close


class Eigenvalues(nn.Module):
    """Has operators without native code, one of which draws random numbers."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.linalg.eigvalsh(x) + torch.poisson(x.abs()).sum() + x.relu()


def net() -> nn.Module:
    layers = [nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(288, 4)]
    return nn.Sequential(*layers).eval()


def check_backend() -> None:
    model, x = net(), torch.randn(2, 3, 8, 8)
    with torch.no_grad():
        close(torch.compile(model, backend="fx_mlir")(x), model(x), rtol=1e-4, atol=1e-5)


def check_training() -> None:
    model, x = net().train(), torch.randn(2, 3, 8, 8)
    want = torch.autograd.grad(model(x).square().sum(), list(model.parameters()))
    compiled = torch.compile(model, backend="fx_mlir")
    got = torch.autograd.grad(compiled(x).square().sum(), list(model.parameters()))
    close(got, want, rtol=1e-3, atol=1e-4)


def check_live() -> None:
    model, x = net(), torch.randn(2, 3, 8, 8)
    with torch.no_grad():
        module = fx_mlir.import_(torch.fx.symbolic_trace(model), (x,))
        close(module.graph_module()(x), model(x))
        close(fx_mlir.compile(module.run("fx-resolve-calls"))(x)[0], model(x), rtol=1e-4, atol=1e-5)


def fallback() -> tuple[fx_mlir.CompiledModel, torch.Tensor]:
    x = torch.randn(4, 4)
    model = fx_mlir.compile(torch.export.export(Eigenvalues(), (x + x.T,)))
    assert model.info["n_fallbacks"]
    return model, x + x.T


def check_fallback() -> str:
    model, x = fallback()
    torch.manual_seed(5)
    want = Eigenvalues()(x)
    torch.manual_seed(5)
    close(model(x), want)
    maps = pathlib.Path("/proc/self/maps").read_text()
    return "libFXTorch" if "libFXTorch" in maps else "Python"


@torch.library.custom_op("check::add_one_", mutates_args=("x",))
def add_one_(x: torch.Tensor) -> None:
    x.add_(1)


class Writes(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        torch.ops.check.add_one_(y)
        return y * 3


def check_operators() -> None:
    """An operator of the user that writes to its argument."""
    x = torch.randn(3)
    close(fx_mlir.compile(torch.export.export(Writes(), (x,)))(x), Writes()(x))


def check_quantize() -> None:
    model, x = net(), torch.randn(2, 3, 8, 8)
    small = fx_mlir.compile(fx_mlir.quantize(torch.export.export(model, (x,)), [(x,)]))
    with torch.no_grad():
        assert (small(x) - model(x)).abs().max() < 0.2


def check_aoti() -> None:
    model, x = net(), torch.randn(2, 3, 8, 8)
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        path = os.path.join(folder, "m.pt2")
        fx_mlir.aoti_package(torch.export.export(model, (x,)), path)
        close(torch._inductor.aoti_load_package(path)(x), model(x), rtol=1e-4, atol=1e-5)


def check_interpreter() -> None:
    """fx-run, which finds torch beside the package."""
    import numpy

    x = torch.randn(4, 4)
    x = x + x.T
    program = torch.export.export(type("M", (nn.Module,), {
        "forward": lambda self, x: torch.linalg.eigvalsh(x) * 2})(), (x,))
    tool = pathlib.Path(sys.executable).with_name("fx-run")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        torch.export.save(program, folder / "m.pt2")
        (folder / "in").mkdir()
        numpy.save(folder / "in/in_0.npy", x.numpy())
        command = [tool, "m.pt2", "--interpret", "--inputs", "in", "--outputs", "out"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr.strip())
        close(torch.from_numpy(numpy.load(folder / "out/out_0.npy")), torch.linalg.eigvalsh(x) * 2)


CHECKS: dict[str, Callable] = {
    "backend": check_backend,
    "training": check_training,
    "live graphs": check_live,
    "fallback": check_fallback,
    "operators that write": check_operators,
    "quantize": check_quantize,
    "aoti_package": check_aoti,
    "interpreter": check_interpreter,
}


def main() -> None:
    row, failed = [torch.__version__], False
    for name, check in CHECKS.items():
        try:
            row.append(check() or "yes")
        except Exception as e:  # noqa: BLE001
            failed = True
            row.append("no")
            print(f"{name}: {type(e).__name__}: {str(e).strip().splitlines()[0]}", file=sys.stderr)
    print("| torch |", " | ".join(CHECKS), "|")
    print("|", " | ".join(row), "|")
    sys.exit(failed)


main()
