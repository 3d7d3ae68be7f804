"""Files of raw tensors, and the program run-model that reads and writes them. It runs under
emulators of other CPUs."""

import pathlib
import shutil
import subprocess

import harness
import numpy as np
import pytest
import torch

#: DLPack's codes of kinds of elements.
_CODES = {
    torch.float64: (2, 64),
    torch.float32: (2, 32),
    torch.float16: (2, 16),
    torch.bfloat16: (4, 16),
    torch.int64: (0, 64),
    torch.int32: (0, 32),
    torch.int16: (0, 16),
    torch.int8: (0, 8),
    torch.uint8: (1, 8),
    torch.bool: (6, 8),
    torch.complex32: (5, 32),
    torch.complex64: (5, 64),
    torch.complex128: (5, 128),
}
_DTYPES = {code: dtype for dtype, code in _CODES.items()}


def build(folder: pathlib.Path, *flags: str) -> pathlib.Path:
    program = folder / "run-model"
    subprocess.run(
        ["clang-22", "-O1", *flags, f"-I{harness.ROOT / 'include'}"]
        + [harness.ROOT / "test/EndToEnd/run-model.c", "-o", program, "-ldl"],
        check=True,
    )
    return program


def emulator(name: str) -> str:
    """Returns the path of an emulator of QEMU."""
    path = shutil.which(name)
    if not path:
        pytest.skip(f"{name} is not installed (package qemu-user)")
    return path


def save(path: pathlib.Path, tensor: torch.Tensor):
    head = [*_CODES[tensor.dtype], tensor.dim(), *tensor.shape]
    tensor = tensor.detach().resolve_conj().resolve_neg().contiguous()
    data = tensor.flatten().view(torch.uint8)
    path.write_bytes(np.array(head, np.int64).tobytes() + data.numpy().tobytes())


def load(path: pathlib.Path) -> torch.Tensor:
    data = path.read_bytes()
    code, bits, rank = np.frombuffer(data, np.int64, 3)
    sizes = np.frombuffer(data, np.int64, rank, offset=24)
    rest, dtype = bytearray(data[24 + 8 * rank :]), _DTYPES[int(code), int(bits)]
    elements = torch.frombuffer(rest, dtype=torch.uint8) if rest else torch.empty(0)
    return (elements.view(dtype) if rest else elements.to(dtype)).reshape(tuple(map(int, sizes)))


def run(command: list, model: pathlib.Path, inputs, folder: pathlib.Path, n: int):
    """Runs `command`, which ends with run-model. Returns the CPU of the version that ran, and the
    `n` outputs; if the program fails, its message and None."""
    folder.mkdir(exist_ok=True)
    for k, tensor in enumerate(inputs):
        save(folder / f"in_{k}", tensor)
    result = subprocess.run(
        [*map(str, command), str(model), str(folder)], capture_output=True, text=True, timeout=120
    )
    if result.returncode:
        return result.stderr.strip(), None
    return result.stdout.strip(), [load(folder / f"out_{k}") for k in range(n)]
